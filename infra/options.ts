// What a deployment may choose, with what it gets where it does not.

import { RemovalPolicy } from 'aws-cdk-lib'
import type { ICertificate } from 'aws-cdk-lib/aws-certificatemanager'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { MOST_JOBS_PER_SHARD } from '../shared/aws/limits.ts'

export interface LaneOptions {
  /** Environments at once, at most: 2 to 1,000. */
  readonly mostEnvironments?: number
  readonly memoryMb?: number
}

export interface TickringProps {
  /**
   * The file whose default export is `defineHandlers({ … })`; a relative path begins in the folder where the app is started. Without it the
   * deployment has the handlers that come with Tickring.
   */
  readonly handlers?: string
  /** A power of two, fixed at the first deployment. One shard takes about 25,000 jobs. */
  readonly shardCount?: number
  /** Seconds that one link of the chain serves. More of them make fewer events and calls, and a longer way back after a crash of a link. */
  readonly hopSeconds?: number
  /** How many jobs a shard is to hold: the ticker's memory follows from it. */
  readonly jobsPerShard?: number
  readonly fast?: LaneOptions
  readonly slow?: LaneOptions
  /** Days for which runs, versions and missed instants are kept. */
  readonly ledgerDays?: number
  readonly logRetention?: RetentionDays
  /** What becomes of the table and the logs when the stack is deleted, or the table when another takes its place. */
  readonly removalPolicy?: RemovalPolicy
  /** Origins of pages that may call the API, such as https://ops.example.com. */
  readonly corsOrigins?: readonly string[]
  readonly requestsPerMinute?: number
  readonly domain?: { readonly name: string; readonly certificate: ICertificate }
  /** Where alarms go. Without one they are shown in CloudWatch only. */
  readonly alarmTopic?: ITopic
  /** Metrics for each shard beside those of the stack; each costs. */
  readonly metricsByShard?: boolean
  /** Write units that the table takes from the first second on; more than its usual 4,000 is charged once. */
  readonly warmWriteUnits?: number
  /** The name of a table that a restore from a backup made. It takes the place of the stack's own; see docs/operations.md. */
  readonly restoredTable?: string
}

export interface Lane {
  readonly mostEnvironments: number
  readonly memoryMb: number
}

/** The choices with all defaults. */
export interface Settings {
  readonly shardCount: number
  readonly hopSeconds: number
  readonly tickMemoryMb: number
  readonly fast: Lane
  readonly slow: Lane
  readonly ledgerDays: number
  readonly logRetention: RetentionDays
  readonly removalPolicy: RemovalPolicy
  readonly corsOrigins: readonly string[]
  readonly requestsPerMinute: number
  readonly metricsByShard: boolean
}

/** Up to so many jobs a shard, a ticker has so much memory. Loading takes CPU, which on Lambda comes with memory. */
const TICK_MEMORY: readonly { readonly jobs: number; readonly memoryMb: number }[] = [
  { jobs: 5_000, memoryMb: 256 },
  { jobs: 12_000, memoryMb: 512 },
  { jobs: MOST_JOBS_PER_SHARD, memoryMb: 1024 },
]

export function settingsOf(props: TickringProps): Settings {
  const { shardCount = 1, hopSeconds = 1, jobsPerShard = 5_000, ledgerDays = 400 } = props
  const size = TICK_MEMORY.find(({ jobs }) => jobsPerShard <= jobs)
  if (size === undefined) {
    throw new Error(
      `jobsPerShard is ${jobsPerShard}, and a ticker takes ${MOST_JOBS_PER_SHARD.toLocaleString('en')} at most: beyond that it is killed while it loads them. Use a larger shardCount.`,
    )
  }
  return {
    shardCount: powerOfTwo('shardCount', shardCount, 512),
    hopSeconds: whole('hopSeconds', hopSeconds, 1, 60),
    tickMemoryMb: size.memoryMb,
    fast: { mostEnvironments: 200, memoryMb: 1024, ...props.fast },
    slow: { mostEnvironments: 100, memoryMb: 1024, ...props.slow },
    ledgerDays: whole('ledgerDays', ledgerDays, 2, 3650),
    logRetention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    corsOrigins: props.corsOrigins ?? [],
    requestsPerMinute: whole('requestsPerMinute', props.requestsPerMinute ?? 600, 1, 1_000_000_000),
    metricsByShard: props.metricsByShard ?? false,
  }
}

/** A job's shard is the last bits of its hash: of three shards one would stay empty for good. */
function powerOfTwo(name: string, value: number, most: number): number {
  if (value >= 1 && value <= most && Number.isInteger(Math.log2(value))) return value
  throw new Error(`${name} is ${value}. Use a power of two from 1 to ${most}.`)
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw new Error(`${name} is ${value}. Use a whole number from ${least} to ${most}.`)
}

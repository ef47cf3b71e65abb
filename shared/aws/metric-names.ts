// All metrics by name, with their units: what an alarm or the dashboard shows, and nothing else, because each costs as much a month as a
// third of a million requests. Only `lag` is said when it is zero.

export const METRICS = {
  /** How far the slowest chain that is awake is behind. */
  lag: 'Seconds',
  /** Runs that were sent. */
  fires: 'Count',
  /** From an instant to the last acknowledgement of its messages. */
  lateness: 'Milliseconds',
  missed: 'Count',
  resent: 'Count',
  doubled: 'Count',
  takeOvers: 'Count',
  /** Events that did not fit their shard: a few are duplicates, many are a second chain. */
  refusedTicks: 'Count',
  succeeded: 'Count',
  failed: 'Count',
  timedOut: 'Count',
  lost: 'Count',
  /** From an instant to the handler's first line. */
  startLateness: 'Milliseconds',
  failedMessages: 'Count',
  deadLetters: 'Count',
} as const

export type Metric = keyof typeof METRICS

export const METRICS_NAMESPACE = 'Tickring'

/** The stack, so that two in one account are told apart; where the deployment asks for it the shard as well. */
export const STACK_DIMENSION = 'stack'
export const SHARD_DIMENSION = 'shard'

// All metrics by name, with their units. Alarms and dashboards name them from here too.

export const METRICS = {
  fires: 'Count',
  messages: 'Count',
  pageFill: 'Count',
  missed: 'Count',
  lateness: 'Milliseconds',
  tickDuration: 'Milliseconds',
  drainSize: 'Count',
  refusedTicks: 'Count',
  coldStarts: 'Count',
  gapSeconds: 'Seconds',
  resent: 'Count',
  doubled: 'Count',
  auditLag: 'Seconds',
  asleep: 'Count',
  takeOvers: 'Count',
  started: 'Count',
  succeeded: 'Count',
  failed: 'Count',
  timedOut: 'Count',
  cancelled: 'Count',
  discarded: 'Count',
  skipped: 'Count',
  expired: 'Count',
  lost: 'Count',
  retried: 'Count',
  attempts: 'Count',
  startLateness: 'Milliseconds',
  runDuration: 'Milliseconds',
  claimLatency: 'Milliseconds',
  refusedClaims: 'Count',
  refusedSettles: 'Count',
  failedMessages: 'Count',
  deadLetters: 'Count',
} as const

export type Metric = keyof typeof METRICS

export const METRICS_NAMESPACE = 'Tickring'

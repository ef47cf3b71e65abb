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
} as const

export type Metric = keyof typeof METRICS

export const METRICS_NAMESPACE = 'Tickring'

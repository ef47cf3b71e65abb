// The jobs that the first start saves: one of each kind that a newcomer asks about, all of them due within ten seconds. Their timeouts are
// short: the runs that wait behind one whose executor was killed wait until its timeout is surely over.

export interface SampleJob {
  readonly name: string
  readonly body: object
}

const handler = (name: string) => ({ type: 'handler', handler: name })
const TIMEOUT = '5s'

export const SAMPLE_JOBS: readonly SampleJob[] = [
  { name: 'every-second', body: { schedules: [{ every: 1 }], target: handler('echo'), timeout: TIMEOUT } },
  {
    name: 'every-ten-seconds',
    body: {
      schedules: [{ every: 10 }],
      target: handler('log'),
      payload: { lines: ['ten more seconds'] },
      timeout: TIMEOUT,
    },
  },
  {
    name: 'brussels-cron',
    body: {
      schedules: [{ cron: '*/5 * * * * *', zone: 'Europe/Brussels' }],
      target: handler('echo'),
      timeout: TIMEOUT,
    },
  },
  {
    name: 'fails-then-works',
    body: {
      description: 'Its first attempt fails, the second succeeds',
      schedules: [{ every: 10, anchor: '2026-01-01T00:00:03Z' }],
      target: handler('fail'),
      payload: { times: 1 },
      retry: { attempts: 2, delay: 1, maxDelay: 2 },
      timeout: TIMEOUT,
    },
  },
  {
    name: 'slow-report',
    body: {
      schedules: [{ every: 10, anchor: '2026-01-01T00:00:06Z' }],
      target: handler('sleep'),
      payload: { ms: 4000 },
      timeout: '8s',
    },
  },
]

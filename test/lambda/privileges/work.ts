// Jobs of every kind, so that executors and tickers meet all that can happen to a run.

import type { Crew } from './crew.ts'

const EVERY_SECOND = { schedules: [{ every: 1 }] }
const EVERY_FEW = { schedules: [{ every: 3 }] }
const LARGE = { text: 'y'.repeat(2000) }
const CALENDAR = { calendars: ['default/used'] }
export const CATCH_UP = { misfire: { policy: 'CATCH_UP', window: '2h', max: 20 } }

/** Jobs whose names end in `of`, one set for each executor. */
export async function saveWork(crew: Crew, of: string): Promise<void> {
  const name = (each: string) => `${each}-${of}`
  const full = (each: string) => `default/${name(each)}`
  await crew.save(name('follower'), 'echo')
  await crew.save(name('plain'), 'echo', EVERY_SECOND)
  await crew.save(name('large'), 'echo', { ...EVERY_FEW, payload: LARGE })
  await crew.save(name('chained'), 'echo', { ...EVERY_FEW, then: [{ on: 'success', job: full('follower') }] })
  await crew.save(name('flaky'), 'fail', { ...EVERY_FEW, retry: { attempts: 1, delay: 1 } })
  await crew.save(name('failing'), 'fail', { ...EVERY_FEW, payload: { times: 9 } })
  await crew.save(name('after'), 'echo', { ...EVERY_FEW, after: [{ job: full('failing'), within: 3000 }] })
  await crew.save(name('skips'), 'echo', { ...EVERY_FEW, ...CALENDAR, skipIfSuccessful: true })
  await crew.save(name('in-line'), 'hold', { ...EVERY_SECOND, payload: { ms: 2500 } })
  await crew.save(name('covers'), 'hold', { ...EVERY_FEW, payload: { ms: 4000 }, block: { strategy: 'COVER' } })
  const stops = { schedules: [{ every: 3 }, { every: 4, kind: 'stop' }] }
  await crew.save(name('stops'), 'hold', { ...stops, payload: { ms: 3000 } })
  await crew.save(name('long'), 'hold', { ...EVERY_SECOND, timeout: 120, payload: { ms: 1500 } })
  await crew.save(name('careless'), 'echo', { ...EVERY_SECOND, misfire: { policy: 'DO_NOTHING' } })
  await crew.save(name('catches-up'), 'echo', { ...EVERY_SECOND, ...CATCH_UP })
}

const LINE_LENGTH = 34

/** Many runs of one job in line: its lock grows long and gets an item of its own. */
export async function makeLongLine(crew: Crew, of: string, ms: number): Promise<void> {
  const then = [{ on: 'failure', job: `default/follower-${of}` }]
  await crew.save(`follower-${of}`, 'echo')
  await crew.save(`crowded-${of}`, 'hold', { payload: { ms }, then, ...CATCH_UP })
  for (let n = 0; n < LINE_LENGTH; n++) await crew.trigger(`crowded-${of}`)
}

/** More than ten long runs within a minute make a job slow. */
export async function makeSlow(crew: Crew, of: string): Promise<void> {
  await crew.save(`slow-${of}`, 'hold', { payload: { ms: 600 }, block: { strategy: 'CONCURRENT', max: 50 } })
  for (let n = 0; n < 13; n++) await crew.trigger(`slow-${of}`)
}

/** Jobs that are over soon: each stops by itself, and is deleted an hour later. */
export async function saveFinite(crew: Crew): Promise<void> {
  for (const n of [1, 2, 3]) {
    await crew.save(`single-${n}`, 'echo', { schedules: [{ at: crew.at(6) }], deleteAfter: '1h' })
    const twice = { ...EVERY_SECOND, maxRuns: 2, deleteAfter: '1h', payload: LARGE }
    await crew.save(`twice-${n}`, 'echo', twice)
  }
}

export async function stopWork(crew: Crew, of: string): Promise<void> {
  const { json } = await crew.ask(`GET /v1/jobs?limit=100&q=${of}`)
  const mine = json.items.filter(({ name }: { name: string }) => name.endsWith(`-${of}`))
  const items = mine.map(({ name }: { name: string }) => ({ stop: { namespace: 'default', name, reason: 'over' } }))
  await crew.ask('POST /v1/jobs/batch', { items })
}

// The drill of a day like 20 October 2025: for 172 minutes the store answers no process, and then all come back at once. A thousand jobs of
// one run a minute, some that fire once, some that do nothing and some that catch up; and others of every second beside them.

import { createRandom } from '../support/random-cron/random.ts'
import { Client } from './client.ts'
import type { Body } from './fleet.ts'
import type { History, Violation } from './history.ts'
import { judge } from './invariants/all.ts'
import { eventsOf, nameOf } from './invariants/view.ts'
import { Recorder } from './recorder.ts'
import { drain } from './simulate.ts'
import { SimStack } from './stack.ts'
import { SimTime } from './time.ts'
import { RandomWeather, SLEEPY } from './weather.ts'

export interface DrillOptions {
  readonly fireOnce: number
  readonly doNothing: number
  readonly catchUp: number
  readonly outageMinutes: number
  onProgress?(what: string): void
}

export interface Drill {
  /** Late runs by the policy of their job. */
  readonly late: { readonly fireOnce: number; readonly doNothing: number; readonly catchUp: number }
  readonly countedMissed: { readonly fireOnce: number; readonly doNothing: number; readonly catchUp: number }
  /** The most old instants that one link of the chain sent, and how many fell into one second of the clock: two links may. */
  readonly mostCaughtUp: { readonly byALink: number; readonly inAClockSecond: number }
  /** From the return of the store until nothing old was left to start. */
  readonly drainedSeconds: number
  /** Of the jobs of every second while others were caught up. */
  readonly onTime: { readonly runs: number; readonly p99Ms: number; readonly maxMs: number }
  /** Calls to the store in a second: before, at most during the outage, at most in the first minutes after it. */
  readonly calls: { readonly before: number; readonly during: number; readonly after: number }
  readonly violations: readonly Violation[]
}

const START = Date.parse('2027-02-10T09:00:00Z') / 1000
const BEFORE_SECONDS = 120
const AFTER_SECONDS = 900
const PER_SECOND_JOBS = 10

const quick = (name: string, schedule: string, misfire: object): Body => ({
  name,
  schedules: [{ cron: schedule }],
  misfire,
  block: { strategy: 'CONCURRENT', max: 1000 },
  timeout: 5,
  target: { type: 'handler', handler: 'act' },
  payload: { acts: 'quick', ms: 20 },
})

function fleetOf({ fireOnce, doNothing, catchUp }: DrillOptions): Body[] {
  const list = (count: number, name: string, schedule: string, misfire: object) =>
    Array.from({ length: count }, (_, place) => quick(`${name}-${place}`, schedule, misfire))
  const eachMinute = '30 * * * * *'
  return [
    ...list(PER_SECOND_JOBS, 'second', '* * * * * *', { policy: 'DO_NOTHING' }),
    ...list(fireOnce, 'once', eachMinute, { policy: 'FIRE_ONCE_NOW' }),
    ...list(doNothing, 'nothing', eachMinute, { policy: 'DO_NOTHING' }),
    ...list(catchUp, 'all', eachMinute, { policy: 'CATCH_UP', window: 86_400 }),
  ]
}

export async function outageDrill(options: DrillOptions): Promise<Drill> {
  const { outageMinutes, onProgress = () => {} } = options
  const random = createRandom(172)
  const time = new SimTime(START * 1000)
  const recorder = new Recorder(time.nowMs)
  const weather = new CountingWeather(random, recorder, SLEEPY, time.nowMs)
  const stack = new SimStack({ time, recorder, random, weather, shardCount: 1, hopSeconds: 1, visibilityMs: 540_000 })
  const fleet = fleetOf(options)
  const client = new Client(stack, random, { start: START, seconds: 0, hasRetries: true }, [])
  stack.start()
  time.at(time.nowMs() + 1000, () => void Promise.all(fleet.map((body) => client.save(body))))
  const outMs = (START + BEFORE_SECONDS) * 1000
  const backMs = outMs + outageMinutes * 60_000
  await time.run(outMs)
  onProgress('the store is gone')
  recorder.add({ op: 'phase', phase: 'storm' }, 'world')
  weather.isStorm = true
  weather.isOut = true
  await time.run(backMs)
  onProgress('the store is back')
  weather.isStorm = false
  recorder.add({ op: 'phase', phase: 'calm' }, 'world')
  await time.run(backMs + AFTER_SECONDS * 1000)
  recorder.add({ op: 'phase', phase: 'drain' }, 'world')
  for (const { name } of fleet) time.at(time.nowMs(), () => void client.stop(name))
  await drain(stack)
  recorder.add({ op: 'phase', phase: 'end' }, 'world')
  stack.stop()
  onProgress('judging')
  return resultOf({ shardCount: 1, events: recorder.events }, { outMs, backMs }, weather)
}

const STORE_CALL = /^(?!fast|slow|watch|bus)\w+\./

/** Counts the calls of all processes to the store by the second. */
class CountingWeather extends RandomWeather {
  readonly #calls = new Map<number, number>()
  readonly #nowMs: () => number

  constructor(...[random, recorder, climate, nowMs]: [...ConstructorParameters<typeof RandomWeather>, () => number]) {
    super(random, recorder, climate)
    this.#nowMs = nowMs
  }

  override strike(...[process, call]: Parameters<RandomWeather['strike']>) {
    const second = Math.floor(this.#nowMs() / 1000)
    if (STORE_CALL.test(call)) this.#calls.set(second, (this.#calls.get(second) ?? 0) + 1)
    return super.strike(process, call)
  }

  mostCalls(fromMs: number, toMs: number): number {
    const seconds = [...this.#calls].filter(([second]) => second * 1000 >= fromMs && second * 1000 < toMs)
    return seconds.reduce((most, [, calls]) => Math.max(most, calls), 0)
  }
}

function resultOf(
  history: History,
  { outMs, backMs }: { outMs: number; backMs: number },
  weather: CountingWeather,
): Drill {
  const names = namesOf(history)
  const isOf = (runId: string, kind: string) => names.get(nameOf(runId).jobId)?.startsWith(kind) === true
  const isOld = (runId: string) => nameOf(runId).second * 1000 >= outMs && nameOf(runId).second * 1000 < backMs
  const late = eventsOf(history, 'start').filter(({ runId, ms }) => isOld(runId) && ms >= backMs)
  const lateOf = (kind: string) => late.filter(({ runId }) => isOf(runId, kind)).length
  const missed = new Map(
    eventsOf(history, 'missed').map((event) => [`${event.jobId}.${event.of}.${event.from}`, event]),
  )
  const missedOf = (kind: string) =>
    [...missed.values()]
      .filter(({ jobId }) => names.get(jobId)?.startsWith(kind))
      .reduce((sum, { count }) => sum + count, 0)
  const lastMs = late.reduce((last, { ms }) => Math.max(last, ms), backMs)
  const untilMs = Math.max(lastMs, backMs + 60_000) + 60_000
  const lags = eventsOf(history, 'start')
    .filter(({ runId }) => isOf(runId, 'second'))
    .filter(({ runId, ms }) => nameOf(runId).second * 1000 >= backMs + 30_000 && ms <= untilMs)
    .map(({ runId, ms }) => ms - nameOf(runId).second * 1000)
    .sort((a, b) => a - b)
  return {
    late: { fireOnce: lateOf('once'), doNothing: lateOf('nothing'), catchUp: lateOf('all') },
    countedMissed: { fireOnce: missedOf('once'), doNothing: missedOf('nothing'), catchUp: missedOf('all') },
    mostCaughtUp: mostCaughtUp(history),
    drainedSeconds: Math.round((lastMs - backMs) / 1000),
    onTime: { runs: lags.length, p99Ms: lags[Math.floor(lags.length * 0.99)] ?? 0, maxMs: lags.at(-1) ?? 0 },
    calls: {
      before: weather.mostCalls(outMs - 60_000, outMs),
      during: weather.mostCalls(outMs, backMs),
      after: weather.mostCalls(backMs, backMs + 120_000),
    },
    violations: judge(history).violations,
  }
}

function namesOf(history: History): Map<string, string> {
  return new Map(
    eventsOf(history, 'version').flatMap(({ jobId, name }) => (name === undefined ? [] : [[jobId, name] as const])),
  )
}

/** What a ticker puts in one go, it puts for one link: between two of its links there is a pause. */
const BETWEEN_LINKS_MS = 300

function mostCaughtUp(history: History): Drill['mostCaughtUp'] {
  const caughtUp = new Set(
    eventsOf(history, 'start').flatMap(({ runId, trigger }) => (trigger === 'CATCH_UP' ? [runId] : [])),
  )
  const puts = eventsOf(history, 'entry').filter(({ from, runId }) => from === null && caughtUp.has(runId))
  const bySecond = Map.groupBy(puts, ({ ms }) => Math.floor(ms / 1000))
  const byTicker = Map.groupBy(puts, ({ proc }) => proc)
  return {
    byALink: Math.max(...[...byTicker.values()].map(longestBurst)),
    inAClockSecond: Math.max(...[...bySecond.values()].map(({ length }) => length)),
  }
}

function longestBurst(puts: readonly { readonly ms: number }[]): number {
  let most = 0
  let count = 0
  for (const [place, { ms }] of puts.entries()) {
    const isNextLink = place > 0 && ms - puts[place - 1].ms > BETWEEN_LINKS_MS
    count = isNextLink ? 1 : count + 1
    most = Math.max(most, count)
  }
  return most
}

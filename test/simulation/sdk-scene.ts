// The same through the real adapters: a minute of jobs on a table of a real engine, behind a request handler that fails, throttles and
// loses requests, while processes die. What is judged is what stands in the table in the end, and what handlers did.

import { dynamoClient } from '../../shared/aws/sdk.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../shared/aws/stores.ts'
import type { JobWrite } from '../../shared/core/job/stored.ts'
import { formatRunId } from '../../shared/core/run/run.ts'
import { Depths } from '../../shared/flow/depths.ts'
import type { Stores } from '../../shared/ports.ts'
import { type StormRates, stormyHandler } from '../support/engines/stormy-handler.ts'
import { createTable } from '../support/engines/table.ts'
import { createRandom } from '../support/random-cron/random.ts'
import { trackedStores } from '../support/tracked.ts'
import { Client } from './client.ts'
import { castAt } from './crash-scene.ts'
import type { Body } from './fleet.ts'
import type { Violation } from './history.ts'
import { noLostRun } from './invariants/i01-no-lost-run.ts'
import { oneRecordAnInstant } from './invariants/i02-one-record.ts'
import { noPhantom } from './invariants/i03-no-phantom.ts'
import { attemptsAreJustified } from './invariants/i04-justified-attempts.ts'
import { onTime } from './invariants/i05-on-time.ts'
import { TERMINAL, type View, viewOf } from './invariants/view.ts'
import { oracleVersionOf } from './oracle-version.ts'
import { policyOf, Recorder } from './recorder.ts'
import { drain } from './simulate.ts'
import { SimStack } from './stack.ts'
import { SimTime } from './time.ts'
import { RandomWeather, THROUGH_SDK } from './weather.ts'

const START = Date.parse('2027-02-10T10:00:20Z') / 1000
const MOST_TRIES = 10

export interface SdkPlay {
  /** Of bad weather, and then of good weather in which jobs are still due. */
  readonly seconds: number
  readonly calmSeconds: number
  readonly cast: readonly Body[]
  readonly rates: StormRates
}

/** A minute of everything, in bad weather. */
export const BAD_MINUTE: SdkPlay = {
  seconds: 60,
  calmSeconds: 0,
  cast: castAt(START),
  rates: { before: 25, after: 35, throttled: 20, unheard: 4 },
}

/**
 * A hundred jobs of five runs each, a second apart, while every fifth request fails before its effect and every fifth after it. So
 * little gets through that they are caught up when the weather is good again.
 */
export const FLAKY_STORE: SdkPlay = {
  seconds: 45,
  // Where the switch was lost, too, the chain comes back with the minute rule.
  calmSeconds: 120,
  cast: Array.from({ length: 100 }, (_, place) => ({
    name: `five-${place}`,
    schedules: [{ every: 1 }],
    startAt: new Date((START + 30) * 1000).toISOString(),
    maxRuns: 5,
    block: { strategy: 'CONCURRENT', max: 10 },
    misfire: { policy: 'CATCH_UP', window: 3600 },
    retry: { attempts: 3, delay: 1, maxDelay: 2 },
    timeout: 5,
    target: { type: 'handler', handler: 'act' },
    payload: { acts: 'quick', ms: 10 },
  })),
  rates: { before: 200, after: 200, throttled: 0, unheard: 0 },
}

export interface SdkScene {
  readonly faults: number
  readonly instants: number
  readonly starts: number
  readonly reads: number
  /** Reads of those who schedule and execute that might have been answered with something old. */
  readonly staleReads: readonly string[]
  readonly violations: readonly Violation[]
}

let scenes = 0

export async function sdkScene(seed: number, endpoint: string, play = BAD_MINUTE): Promise<SdkScene> {
  const { seconds, calmSeconds, cast, rates } = play
  const random = createRandom(seed)
  const time = new SimTime(START * 1000)
  const recorder = new Recorder(time.nowMs)
  const clock = new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })
  const stormy = stormyHandler(random, rates)
  const plain = dynamoClient({ endpoint, clock })
  const client = dynamoClient({ endpoint, clock, requestHandler: stormy.handler })
  scenes += 1
  const tableName = `sim-${process.pid}-${seed}-${scenes}`
  await createTable(plain, tableName)
  const options = { tableName, shardCount: 1, ledgerDays: 30, clock: { nowMs: time.nowMs } }
  const commits: JobWrite[] = []
  const stores = noting(dynamoStores({ ...options, client }), commits)
  const weather = new RandomWeather(random, recorder, THROUGH_SDK)
  const stack = new SimStack({
    time,
    recorder,
    random,
    weather,
    shardCount: 1,
    hopSeconds: 1,
    visibilityMs: 15_000,
    stores: trackedStores(stores, time),
  })
  const people = new Client(stack, random, { start: START, seconds, hasRetries: true }, [])
  weather.isStorm = true
  recorder.add({ op: 'phase', phase: 'storm' }, 'world')
  stack.start()
  time.at((START + 1) * 1000, () => void insist(cast.map((body) => () => people.save(body))))
  await time.run((START + seconds) * 1000)
  weather.isStorm = false
  stormy.calm()
  await time.run((START + seconds + calmSeconds) * 1000)
  recorder.add({ op: 'phase', phase: 'drain' }, 'world')
  time.at(
    time.nowMs(),
    () =>
      void insist(
        cast.map(
          ({ name }) =>
            () =>
              people.stop(name),
        ),
      ),
  )
  await drain(stack)
  stack.stop()
  await readAll(recorder, dynamoStores({ ...options, client: plain }), commits, time.nowMs())
  client.destroy()
  plain.destroy()
  const view = viewOf({ shardCount: 1, events: recorder.events })
  return {
    faults: stormy.faults() + recorder.faults,
    instants: [...view.jobs.values()].reduce((sum, { due }) => sum + due.length, 0),
    starts: recorder.events.filter(({ op }) => op === 'start').length,
    reads: stormy.reads(),
    staleReads: stormy.staleReads(),
    violations: [noLostRun, oneRecordAnInstant, noPhantom, attemptsAreJustified, onTime, allHaveEnded].flatMap(
      (check) => check(view),
    ),
  }
}

/** One after the other, each until it was told that it worked. */
async function insist(asks: readonly (() => Promise<boolean>)[]): Promise<void> {
  for (const ask of asks) for (let tries = 1; tries <= MOST_TRIES && !(await ask()); tries++);
}

/** Keeps what was to be committed: whether it was, the table says in the end. */
function noting(stores: Stores, commits: JobWrite[]): Stores {
  const jobs = new Proxy(stores.jobs, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        if (name === 'commit') commits.push(parameters[0] as JobWrite)
        return Reflect.apply(member, target, parameters)
      }
    },
  })
  return { ...stores, jobs }
}

async function readAll(recorder: Recorder, stores: Stores, commits: readonly JobWrite[], nowMs: number): Promise<void> {
  const end = Math.floor(nowMs / 1000)
  for (const jobId of new Set(commits.map(({ after }) => after.id))) {
    for (const version of await stores.jobs.versions(jobId)) {
      const write = commits.find(
        ({ after }) =>
          after.id === jobId &&
          after.version === version.version &&
          after.versions.at(-1)?.activeFrom === version.activeFrom,
      )
      if (write === undefined) throw new Error(`no client committed version ${version.version} of ${jobId}`)
      const is = oracleVersionOf(write.after.definition, version)
      // Where the fence stood at the commit is not known, so the first seconds are in doubt.
      recorder.add(
        { op: 'version', jobId, shard: 0, fence: version.activeFrom + 3, is, policy: policyOf(write.after) },
        'table',
      )
    }
    for (const { id, entry } of await stores.ledger.runsOf(jobId, START, end + 1, 10_000)) {
      const runId = formatRunId(id)
      if (entry !== null)
        recorder.add({ op: 'entry', runId, place: 'item', key: runId, from: null, to: entry }, 'table')
    }
    for (const missed of await stores.ledger.missedOf(jobId, START, end + 1))
      recorder.add({ op: 'missed', ...missed }, 'table')
  }
  const depths = new Depths(stores, 0)
  for (let minute = Math.floor(START / 60); minute <= Math.floor(end / 60); minute++) {
    for (const { key, entries } of await stores.ledger.pagesOfMinute(0, minute, await depths.ofMinute(minute))) {
      for (const [id, to] of entries) {
        const name = `0.${key.second}.${key.depth}.${key.page}`
        recorder.add({ op: 'entry', runId: `${id}.${key.second}`, place: 'page', key: name, from: null, to }, 'table')
      }
    }
  }
}

function allHaveEnded({ records }: View): Violation[] {
  return [...records].flatMap(([runId, places]) =>
    places.every(({ entry }) => TERMINAL.has(entry.status))
      ? []
      : [{ invariant: 'I8', what: `${runId} has not ended`, runId }],
  )
}

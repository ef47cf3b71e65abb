// The same jobs, alone and beside bad neighbours: how late they start tells whether these were in their way.

import type { Stores } from '../../shared/ports.ts'
import { memoryStores } from '../support/memory/stores.ts'
import { createRandom } from '../support/random-cron/random.ts'
import { Client } from './client.ts'
import { type Body, perSecond } from './fleet.ts'
import { eventsOf, nameOf } from './invariants/view.ts'
import { Recorder } from './recorder.ts'
import { SimStack } from './stack.ts'
import { SimTime } from './time.ts'
import { RandomWeather, SLEEPY } from './weather.ts'

export interface Street {
  readonly neighbours: readonly Body[]
  readonly shardCount: number
  /** A shard whose item no process can read or write. */
  readonly deadShard?: number
}

export interface Lags {
  /** Starts of the good jobs, and how late these were. */
  readonly starts: number
  readonly p99Ms: number
  /** Instants of good jobs, of shards that live, that were never started. */
  readonly neverStarted: number
  /** Starts of the bad ones, and of good ones of the dead shard after its death. */
  readonly othersStarts: number
}

const START = Date.parse('2027-02-10T10:00:00Z') / 1000
const SECONDS = 240
const GOOD_JOBS = 20
/** Saving takes a while, and what comes last may be under way. */
const [FROM, TO] = [START + 10, START + SECONDS - 5]

export async function lagsBeside({ neighbours, shardCount, deadShard }: Street): Promise<Lags> {
  const random = createRandom(1)
  const time = new SimTime(START * 1000)
  const recorder = new Recorder(time.nowMs)
  const stores = memoryStores(
    shardCount,
    recorder.witness(() => 0),
  )
  const stack = new SimStack({
    time,
    recorder,
    random,
    weather: new RandomWeather(random, recorder, SLEEPY),
    shardCount,
    hopSeconds: 1,
    visibilityMs: 540_000,
    stores: deadShard === undefined ? stores : withDeadShard(stores, deadShard, time.nowMs),
  })
  const client = new Client(stack, random, { start: START, seconds: 0, hasRetries: true }, [])
  stack.start()
  const bodies = [...Array.from({ length: GOOD_JOBS }, (_, place) => perSecond(place)), ...neighbours]
  time.at((START + 1) * 1000, () => void Promise.all(bodies.map((body) => client.save(body))))
  await time.run((START + SECONDS) * 1000)
  stack.stop()
  return lagsOf(recorder, deadShard)
}

function lagsOf(recorder: Recorder, deadShard: number | undefined): Lags {
  const history = { shardCount: 1, events: recorder.events }
  const shards = new Map(
    eventsOf(history, 'version').flatMap(({ jobId, name, shard }) =>
      name?.startsWith('second') === true ? [[jobId, shard] as const] : [],
    ),
  )
  const living = new Set([...shards].flatMap(([jobId, shard]) => (shard === deadShard ? [] : [jobId])))
  const all = eventsOf(history, 'start')
    .map(({ runId, ms }) => ({ ...nameOf(runId), ms }))
    .filter(({ second }) => second >= FROM && second < TO)
  const starts = all.filter(({ jobId }) => living.has(jobId))
  const lags = starts.map(({ second, ms }) => ms - second * 1000).sort((a, b) => a - b)
  return {
    starts: starts.length,
    p99Ms: lags[Math.floor(lags.length * 0.99)] ?? 0,
    neverStarted: living.size * (TO - FROM) - new Set(starts.map(({ jobId, second }) => `${jobId}.${second}`)).size,
    othersStarts: all.length - starts.length,
  }
}

/** It dies when all jobs are saved. */
function withDeadShard(stores: Stores, dead: number, nowMs: () => number): Stores {
  const shards = new Proxy(stores.shards, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        if (parameters[0] === dead && nowMs() >= FROM * 1000) throw new Error(`shard ${dead} is gone`)
        return Reflect.apply(member, target, parameters)
      }
    },
  })
  return { ...stores, shards }
}

// One simulation: a fleet of jobs, a while of good weather, a storm, good weather again, and then all jobs stopped until nothing
// is left to do. Whatever happens follows from the seed.

import { putDocument } from '../support/put-document.ts'
import { createRandom } from '../support/random-cron/random.ts'
import { Client } from './client.ts'
import { type Body, CALENDARS, fleetOf, TEMPLATE } from './fleet.ts'
import type { History } from './history.ts'
import type { ProcessKind } from './process.ts'
import { Recorder } from './recorder.ts'
import type { CrashPoint } from './scripted-weather.ts'
import { SimStack } from './stack.ts'
import { SimTime } from './time.ts'
import { CHAIN_ONLY, CLIMATES, RandomWeather, SLEEPY } from './weather.ts'

/** What keeps going what others let fall. */
export const NETS = ['audit', 'retries', 'switch', 'minute rule'] as const
export type Net = (typeof NETS)[number]

export interface SimulationOptions {
  readonly seed: number
  /** How long jobs are due. */
  readonly seconds?: number
  /** The net that is taken away. The audit is part of the code, so it is taken away there: see mutants. */
  readonly without?: Net | null
  /** Who dies where, in the short scene that is made for it. */
  readonly crashes?: readonly CrashPoint[]
}

export interface Simulated {
  readonly seed: number
  readonly climate: string
  readonly history: History
  readonly hash: string
  readonly faults: number
  /** In which jobs were due; the drain comes on top. */
  readonly simulatedSeconds: number
  /** How many calls each kind of process made, where that was counted. */
  readonly calls?: Readonly<Record<ProcessKind, number>>
}

/**
 * Of each lane. A job that says nothing of its timeout has a minute, and a handler that hangs holds its executor for all of it: of
 * eight executors all would be held now and then, and what is due meanwhile would wait for one.
 */
const EXECUTORS = 48

const CALM_BEFORE_SECONDS = 30
const CALM_AFTER_SECONDS = 150
const USUAL_SECONDS = 900
/**
 * More than the longest time after which a process comes back to a run, than five deliveries of a message that fails, and than a crowded
 * job takes that runs one at a time and tries again.
 */
const LONGEST_DRAIN_SECONDS = 20_000

/** Ordinary days, days on which clocks change, the turn of a year. */
const STARTS = [
  '2027-02-10T10:00:00Z',
  '2027-03-28T00:55:00Z',
  '2027-10-31T00:50:00Z',
  '2027-11-07T05:53:00Z',
  '2027-12-31T23:52:00Z',
  '2028-02-28T23:55:00Z',
  '2027-04-03T14:50:00Z',
].map((text) => Date.parse(text) / 1000)

export async function simulate(options: SimulationOptions): Promise<Simulated> {
  const { seed, seconds = USUAL_SECONDS, without = null } = options
  const random = createRandom(Math.imul(seed, 0x9e3779b1) ^ 0x5bd1e995)
  const start = random.pick(STARTS) + random.below(120)
  const time = new SimTime(start * 1000 + random.below(1000))
  const recorder = new Recorder(time.nowMs)
  const climate = CLIMATES[seed % CLIMATES.length]
  const weather = new RandomWeather(random, recorder, climate)
  const shardCount = random.pick([1, 1, 1, 1, 2, 2, 2, 4])
  const stack = new SimStack({
    time,
    recorder,
    random,
    weather,
    shardCount,
    hopSeconds: random.pick([1, 1, 2, 3, 10]),
    visibilityMs: random.pick([15_000, 60_000, 540_000]),
    executors: EXECUTORS,
    hasMinuteRule: without !== 'minute rule',
    hasSwitch: without !== 'switch',
  })
  const isSleepy = climate === SLEEPY
  const fleetOptions = {
    start,
    seconds,
    hasRetries: without !== 'retries',
    hasCatchUp: climate.name !== CHAIN_ONLY,
    hasRefusals: climate.name !== CHAIN_ONLY,
    isSleepy,
  }
  const fleet = fleetOf(random, fleetOptions)
  const disturbed = fleet.map(({ name }) => name).filter((name) => !/^(second|follower|refused)/.test(name))
  const client = new Client(stack, random, fleetOptions, disturbed)
  const at = (second: number) => (start + second) * 1000
  await begin(stack, client, fleet)
  await time.run(at(CALM_BEFORE_SECONDS))

  const stormSeconds = seconds - CALM_BEFORE_SECONDS - CALM_AFTER_SECONDS
  const isOver = () => time.nowMs() >= at(CALM_BEFORE_SECONDS + stormSeconds)
  if (!isSleepy) {
    recorder.add({ op: 'phase', phase: 'storm' }, 'world')
    weather.isStorm = true
    stack.isStorm = true
    planDisasters(stack, weather, stormSeconds)
  }
  disturb()
  await time.run(at(CALM_BEFORE_SECONDS + stormSeconds))

  weather.isStorm = false
  stack.isStorm = false
  if (isSleepy) recorder.add({ op: 'phase', phase: 'storm' }, 'world')
  recorder.add({ op: 'phase', phase: 'calm' }, 'world')
  void startAll(client, fleet)
  await time.run(at(seconds))

  recorder.add({ op: 'phase', phase: 'drain' }, 'world')
  void stopAll(client, fleet)
  await drain(stack)
  recorder.add({ op: 'phase', phase: 'end' }, 'world')
  stack.stop()
  return {
    seed,
    climate: climate.name,
    history: { shardCount, events: recorder.events },
    hash: recorder.digest(),
    faults: recorder.faults,
    simulatedSeconds: seconds,
  }

  function disturb(): void {
    if (isOver()) return
    void (isSleepy ? client.rouse() : client.disturb())
    const everyMs = climate.name === CHAIN_ONLY ? 4000 : 12_000
    time.at(time.nowMs() + random.between(200, everyMs), disturb)
  }

  function planDisasters(of: SimStack, sky: RandomWeather, stormLasts: number): void {
    const someTime = () => time.nowMs() + random.below(stormLasts * 1000)
    const countOf = (mean: number) => Math.floor(mean) + (random.chance(mean % 1) ? 1 : 0)
    for (let wipe = countOf(climate.wipes); wipe > 0; wipe--) {
      const queue = random.pick(['fast', 'fast', 'slow', 'slow', 'watch'] as const)
      time.at(someTime(), () => {
        recorder.add({ op: 'fault', fault: 'wiped queue', where: queue }, 'queue')
        of.queues[queue].purge()
      })
    }
    for (let absence = countOf(climate.absences); absence > 0; absence--) {
      const queue = random.pick(['fast', 'slow'] as const)
      const longestMs = random.between(60, 150) * 1000
      time.at(someTime(), () => {
        const lastsMs = Math.min(longestMs, at(CALM_BEFORE_SECONDS + stormSeconds) - time.nowMs())
        recorder.add({ op: 'fault', fault: 'no executors', where: `${queue} ${lastsMs}` }, 'queue')
        of.queues[queue].isPaused = true
        time.at(time.nowMs() + lastsMs, () => {
          of.queues[queue].isPaused = false
          of.queues[queue].pump()
        })
      })
    }
    for (let outage = countOf(climate.outages); outage > 0; outage--) {
      const fromMs = someTime()
      const lastsMs = random.pick([8, 15, 40, 100]) * 1000
      time.at(fromMs, () => {
        sky.isOut = true
      })
      time.at(fromMs + lastsMs, () => {
        sky.isOut = false
      })
    }
  }
}

async function begin(stack: SimStack, client: Client, fleet: readonly Body[]): Promise<void> {
  for (const { name, ...value } of CALENDARS) await putDocument(stack.world, 'calendar', name, value)
  const { name, ...value } = TEMPLATE
  await putDocument(stack.world, 'template', name, value)
  stack.start()
  const shardsAreMade = stack.time.pause(1000)
  void shardsAreMade.then(async () => {
    for (const body of fleet) await client.save(body)
  })
}

/** What is stopped is started, so that what it has to catch up is caught up. */
async function startAll(client: Client, fleet: readonly Body[]): Promise<void> {
  for (const { name } of fleet) await client.start(name)
}

async function stopAll(client: Client, fleet: readonly Body[]): Promise<void> {
  for (const { name } of fleet) await client.stop(name)
}

const FAR_FUTURE_MS = 9_000_000_000_000

/** Until nothing is left to do, or for as long as anybody may take to come back to a run. */
export async function drain({ time, world, queues }: SimStack): Promise<void> {
  const isAnythingLeft = async () => {
    const shards = Array.from({ length: world.shardCount }, (_, shard) => world.open.due(shard, FAR_FUTURE_MS, 1))
    return queues.fast.size + queues.slow.size > 0 || (await Promise.all(shards)).flat().length > 0
  }
  const untilMs = time.nowMs() + LONGEST_DRAIN_SECONDS * 1000
  // Whatever was sent last is under way for a while, and audits come in turns.
  await time.run(time.nowMs() + 90_000)
  while ((await isAnythingLeft()) && time.nowMs() < untilMs) await time.run(time.nowMs() + 10_000)
}

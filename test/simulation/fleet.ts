// Random jobs: every kind of schedule, block, misfire and retry rule, in every combination that a seed comes upon.

import type { Random } from '../support/random-cron/random.ts'
import type { Acts, Behaviour } from './behaviour.ts'

export interface FleetOptions {
  /** When the simulation begins. */
  readonly start: number
  readonly seconds: number
  /** False where no job may try again. */
  readonly hasRetries: boolean
  /** False where no job catches up what it missed. */
  readonly hasCatchUp?: boolean
  /** False where no edit makes a job one that queues refuse. */
  readonly hasRefusals?: boolean
  /** Nothing that keeps a shard awake. */
  readonly isSleepy?: boolean
}

export type Body = Readonly<Record<string, unknown>> & { readonly name: string }

const iso = (second: number): string => new Date(second * 1000).toISOString().replace('.000Z', 'Z')

export const CALENDARS = [
  { name: 'some-days', dates: ['12-25', '2027-01-01', '2027-03-28', '2027-10-31/2027-11-02'] },
  { name: 'no-days', dates: ['1999-01-01'] },
]
export const TEMPLATE = { name: 'often', schedules: [{ cron: '*/20 * * * * *' }] }

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia']

const CRONS = [
  '*/10 * * * * *',
  '5-20 * * * * *',
  '0,1,2,30 * * * * *',
  '* * * * *',
  '30 */2 * * * *',
  '15 0-59/3 * * * *',
  '*/7 */2 * * * *',
  '59 * * * * *',
  '0 * 2,3 * * *',
  '*/30 * 1-3 * * *',
  '0 30 2 * * *',
  '45 * * L * 1-5',
]

function scheduleOf(random: Random, { start, seconds }: FleetOptions): object {
  const zone = random.pick(ZONES)
  switch (random.below(4)) {
    case 0:
      return { every: random.pick([2, 3, 5, 7, 11, 30, 60, 90]) }
    case 1:
      return { every: random.between(4, 50), anchor: iso(start - random.below(1000)) }
    case 2:
      return { at: iso(start + random.between(20, seconds)) }
    default:
      return { cron: random.pick(CRONS), zone }
  }
}

function schedulesOf(random: Random, options: FleetOptions): object[] {
  const schedules = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => scheduleOf(random, options))
  if (random.chance(0.1)) schedules.push({ kind: 'stop', every: random.between(20, 80) })
  if (random.chance(0.1)) schedules.push({ kind: 'restart', every: random.between(20, 80) })
  return schedules
}

const blockOf = (random: Random): object =>
  random.pick([
    { strategy: 'SERIAL' },
    { strategy: 'SERIAL' },
    { strategy: 'DISCARD' },
    { strategy: 'COVER' },
    { strategy: 'CONCURRENT', max: 1 },
    { strategy: 'CONCURRENT', max: 3 },
    { strategy: 'CONCURRENT', max: 50 },
  ])

const misfireOf = (random: Random, { hasCatchUp = true }: FleetOptions): object =>
  random.pick([
    { policy: 'DO_NOTHING' },
    { policy: 'FIRE_ONCE_NOW' },
    { policy: 'FIRE_ONCE_NOW' },
    ...(hasCatchUp ? CATCH_UPS : []),
  ])

const CATCH_UPS = [
  { policy: 'CATCH_UP', window: 600 },
  { policy: 'CATCH_UP', window: 60, max: 5, overlap: 'all' },
  { policy: 'CATCH_UP', window: 600, overlap: 'latest' },
  { policy: 'CATCH_UP', window: 600, overlap: 'skip' },
]

const ACTS: readonly Behaviour[] = [
  'quick',
  'quick',
  'quick',
  'takes',
  'takes',
  'flaky',
  'throws',
  'hangs',
  'ignores',
  'odd',
]

function actsOf(random: Random, { hasRefusals = true }: FleetOptions): Acts {
  const acts = random.pick(hasRefusals ? [...ACTS, 'refused' as const] : ACTS)
  return { acts, ms: acts === 'quick' ? random.pick([5, 50, 200]) : random.pick([100, 700, 3000, 8000]) }
}

/** Everything but the name, which an edit may replace. */
export function partsOf(random: Random, options: FleetOptions): Record<string, unknown> {
  const { start, seconds, hasRetries } = options
  const isBounded = random.chance(0.1)
  const parts = {
    schedules: schedulesOf(random, options),
    ...(random.chance(0.05) ? { template: 'default/often' } : {}),
    ...(isBounded
      ? { startAt: iso(start + random.below(120)), endAt: iso(start + random.between(200, 2 * seconds)) }
      : {}),
    ...(random.chance(0.1) ? { maxRuns: random.between(1, 60) } : {}),
    ...(random.chance(0.15) ? { spread: random.between(1, 30) } : {}),
    ...(random.chance(0.1) ? { calendars: [random.pick(['default/some-days', 'default/no-days'])] } : {}),
    ...(random.chance(0.2)
      ? { dst: { gap: random.pick(['shift', 'skip']), overlap: random.pick(['first', 'last', 'both']) } }
      : {}),
    misfire: misfireOf(random, options),
    block: blockOf(random),
    ...(random.chance(0.05) ? { skipIfSuccessful: true } : {}),
    ...(random.chance(0.05) ? { after: [{ job: 'default/second-0', within: random.pick([5, 60]) }] } : {}),
    timeout: random.pick([null, 1, 3, 10, 20, 70]),
    ...(random.chance(0.1) ? { maxLateness: random.pick([1, 5, 30]) } : {}),
    retry: { attempts: hasRetries ? random.pick([0, 0, 1, 2, 3]) : 0, delay: random.between(1, 3), maxDelay: 6 },
    priority: random.between(-3, 3),
    target: { type: 'handler', handler: 'act' },
    payload: actsOf(random, options),
    ...(random.chance(0.08) ? { then: [{ on: random.pick(['success', 'failure']), job: 'default/follower' }] } : {}),
    history: { keepDetail: random.chance(0.2) },
  }
  return withoutConflict(parts)
}

/** What catches up starts late runs, so it cannot forbid them. */
function withoutConflict({ maxLateness, ...parts }: Record<string, unknown>): Record<string, unknown> {
  const catchesUp = CATCH_UPS.some((misfire) => misfire === parts.misfire)
  return catchesUp || maxLateness === undefined ? parts : { ...parts, maxLateness }
}

/** Every second, quick, in no other job's way: what is lost or late is seen on these first. */
export const perSecond = (place: number): Body => ({
  name: `second-${place}`,
  schedules: [{ every: 1 }],
  block: { strategy: 'CONCURRENT', max: 100 },
  misfire: { policy: place % 2 === 0 ? 'FIRE_ONCE_NOW' : 'DO_NOTHING' },
  timeout: 5,
  target: { type: 'handler', handler: 'act' },
  payload: { acts: 'quick', ms: 20 },
})

/** Short gaps and locks: runs that meet each other. */
const crowded = (random: Random, options: FleetOptions, place: number): Body => ({
  name: `crowded-${place}`,
  ...partsOf(random, options),
  schedules: [{ every: random.between(1, 4) }],
  block: random.pick([
    { strategy: 'SERIAL' },
    { strategy: 'DISCARD' },
    { strategy: 'COVER' },
    { strategy: 'CONCURRENT', max: 2 },
  ]),
  timeout: random.pick([2, 5, 12]),
  payload: {
    acts: random.pick(['quick', 'takes', 'takes', 'flaky', 'ignores']),
    ms: random.pick([50, 600, 1500, 4000]),
  },
})

const FOLLOWER: Body = {
  name: 'follower',
  schedules: [{ every: 86_400 }],
  block: { strategy: 'CONCURRENT', max: 100 },
  target: { type: 'handler', handler: 'act' },
  payload: { acts: 'quick', ms: 20 },
}

/** No queue takes it: it fails time after time, in the same pages as all others. */
const REFUSED: Body = {
  name: 'refused',
  schedules: [{ every: 5 }],
  retry: { attempts: 2, delay: 1, maxDelay: 2 },
  timeout: 5,
  target: { type: 'handler', handler: 'act' },
  payload: { acts: 'refused', ms: 20 },
  then: [{ on: 'failure', job: 'default/follower' }],
}

const PER_SECOND = 5
const CROWDED = 2
const OTHERS = 11

/** A few runs soon, and then nothing for a long time: the client that saves it must wake the shard, and a sleeping chain must see it. */
export const brief = (random: Random, name: string): Body => ({
  name,
  schedules: [{ every: random.between(3, 20) }],
  maxRuns: random.between(1, 3),
  block: { strategy: 'CONCURRENT', max: 100 },
  timeout: 5,
  target: { type: 'handler', handler: 'act' },
  payload: { acts: 'quick', ms: 20 },
})

const rare = (random: Random, place: number): Body => ({
  ...brief(random, `rare-${place}`),
  schedules: [{ every: random.between(200, 500) }],
  maxRuns: null,
})

export function fleetOf(random: Random, options: FleetOptions): Body[] {
  const list = <Item>(length: number, make: (place: number) => Item) =>
    Array.from({ length }, (_, place) => make(place))
  if (options.isSleepy === true)
    return [
      ...list(3, (place) => rare(random, place)),
      { ...rare(random, 3), name: 'refused-rarely', payload: REFUSED.payload },
    ]
  return [
    FOLLOWER,
    REFUSED,
    ...list(PER_SECOND, perSecond),
    ...list(CROWDED, (place) => crowded(random, options, place)),
    ...list(OTHERS, (place) => ({ name: `any-${place}`, ...partsOf(random, options) })),
  ]
}

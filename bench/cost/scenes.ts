// Spans of time that stand for a month: which jobs there are, how long the scheduler runs before it is looked at, and for how long then.

export interface Scene {
  readonly name: string
  readonly bodies: readonly object[]
  /** Until environments are warm, in seconds from the start, which is a full hour. */
  readonly from: number
  readonly to: number
  /** What the deployment was told to expect; a ticker's memory follows from it. */
  readonly jobsPerShard?: number
  /** Whether tickers begin cold, as they do after a long sleep. */
  readonly isCold?: boolean
}

const START_MS = 1_800_000_000_000
const target = { type: 'handler', handler: 'echo' }
const WARM_SECONDS = 40
const numbered = <Item>(length: number, make: (n: number) => Item): Item[] => Array.from({ length }, (_, n) => make(n))

/** Due every so many seconds, beginning at a second. */
const every = (seconds: number, offset: number) => ({
  every: seconds,
  anchor: new Date(START_MS + offset * 1000).toISOString(),
})

const YEARLY = { cron: '0 0 12 24 6 *' }
/** Tickers load all jobs anew every half hour. */
const HALF_AN_HOUR = 1800
const idle = numbered(100, (n) => ({ name: `idle-${n}`, schedules: [YEARLY], target }))
/** A shard falls asleep where nothing is due for 150 s. */
const keeper = { name: 'keeper', schedules: [every(149, 0)], target }

export const AWAKE: Scene = {
  name: 'awake, with nothing to do',
  bodies: [...idle, keeper],
  from: WARM_SECONDS,
  to: WARM_SECONDS + HALF_AN_HOUR,
}

export const ASLEEP: Scene = {
  name: 'asleep',
  bodies: idle,
  from: 120,
  to: 120 + HALF_AN_HOUR,
}

const LOADED_SECONDS = 60

/** So many runs due every few seconds. Each job comes back after a time, so that no second has the same jobs as the one before. */
function loaded(name: string, runs: number, everySeconds: number, backSeconds: number): Scene {
  const to = WARM_SECONDS + LOADED_SECONDS
  // Jobs that are first due after the end are left out, because filling the table takes longer than the scene.
  const groups = Math.min(backSeconds, to) / everySeconds
  const bodies = numbered(runs * groups, (n) => ({
    name: `${name}-${n}`.replaceAll(' ', '-'),
    schedules: [every(backSeconds, (n % groups) * everySeconds)],
    target,
  }))
  return { name, bodies: [...bodies, keeper], from: WARM_SECONDS, to }
}

/** Instants ten minutes apart need no lock: no run of sixty seconds can meet the next. */
const APART_SECONDS = 600
/** Instants a minute apart do: SERIAL is the default. */
const CLOSE_SECONDS = 60

export const ONE_A_PAGE = loaded('one a page', 1, 1, APART_SECONDS)
export const FEW_A_PAGE = loaded('24 a page', 24, 1, APART_SECONDS)
/** Above 400 runs a second pages are larger: 960 make sixteen of 60. */
export const MANY_A_PAGE = loaded('60 a page', 960, 10, APART_SECONDS)
export const SERIAL = loaded('24 a page with locks', 24, 1, CLOSE_SECONDS)
/** Sixteen pages of 24. Each holds jobs of two lock items only, and the one page of a quiet second those of all 32. */
export const SERIAL_BUSY = loaded('sixteen pages of 24 with locks', 384, 10, CLOSE_SECONDS)

/** A hundred jobs of every second. */
export const EVERY_SECOND: Scene = loaded('fleet of every second', 100, 1, 1)

/** A thousand jobs of every full minute. */
export const FULL_MINUTES: Scene = {
  ...loaded('fleet of full minutes', 1000, 60, 60),
  to: WARM_SECONDS + HALF_AN_HOUR,
}

const HOURLY_JOBS = 10_000

/** Ten thousand jobs of every full hour: the shard sleeps in between, so its tickers begin cold. */
export const HOURLY: Scene = {
  name: 'fleet of full hours',
  bodies: numbered(HOURLY_JOBS, (n) => ({ name: `hourly-${n}`, schedules: [every(3600, 0)], target })),
  from: 1200,
  to: 1200 + 3600,
  jobsPerShard: HOURLY_JOBS,
  isCold: true,
}

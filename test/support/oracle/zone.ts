// Knows the UTC offsets of a zone and the seconds at which they change, by asking Intl for wall-clock times.

export interface Transition {
  atSecond: number
  offsetBefore: number
  offsetAfter: number
}

// A stretch of time with one UTC offset: [fromSecond, toSecond).
export interface OffsetPeriod {
  fromSecond: number
  toSecond: number
  offset: number
}

// Transitions are looked for and kept one such stretch at a time.
const CHUNK_SECONDS = 32 * 86400
const COARSE_STEP_SECONDS = 12 * 3600
const FINE_STEP_SECONDS = 15 * 60

const formats = new Map<string, Intl.DateTimeFormat>()
const transitionsByZoneChunk = new Map<string, Transition[]>()

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  return format
}

// The wall-clock time as if it were UTC, less the instant itself.
export function offsetAt(zone: string, second: number): number {
  const [month, day, year, hour, minute, sec] = formatOf(zone)
    .format(second * 1000)
    .split(/\D+/)
    .map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, sec) / 1000 - second
}

// The one change in (fromSecond, toSecond], to the second.
function narrow(zone: string, fromSecond: number, toSecond: number): Transition {
  const offsetBefore = offsetAt(zone, fromSecond)
  let before = fromSecond
  let after = toSecond
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(zone, middle) === offsetBefore) before = middle
    else after = middle
  }
  return { atSecond: after, offsetBefore, offsetAfter: offsetAt(zone, after) }
}

function changes(zone: string, fromSecond: number, toSecond: number, stepSeconds: number): [number, number][] {
  const found: [number, number][] = []
  let offset = offsetAt(zone, fromSecond)
  for (let second = fromSecond; second < toSecond; second += stepSeconds) {
    const next = offsetAt(zone, second + stepSeconds)
    if (next !== offset) found.push([second, second + stepSeconds])
    offset = next
  }
  return found
}

function transitionsOfChunk(zone: string, chunk: number): Transition[] {
  const key = `${zone} ${chunk}`
  let found = transitionsByZoneChunk.get(key)
  if (found === undefined) {
    found = changes(zone, chunk * CHUNK_SECONDS, (chunk + 1) * CHUNK_SECONDS, COARSE_STEP_SECONDS)
      .flatMap(([from, to]) => changes(zone, from, to, FINE_STEP_SECONDS))
      .map(([from, to]) => narrow(zone, from, to))
    transitionsByZoneChunk.set(key, found)
  }
  return found
}

// The changes of offset in (fromSecond, toSecond].
export function transitionsBetween(zone: string, fromSecond: number, toSecond: number): Transition[] {
  const found: Transition[] = []
  const lastChunk = Math.floor(toSecond / CHUNK_SECONDS)
  for (let chunk = Math.floor(fromSecond / CHUNK_SECONDS); chunk <= lastChunk; chunk++) {
    found.push(...transitionsOfChunk(zone, chunk))
  }
  return found.filter(({ atSecond }) => atSecond > fromSecond && atSecond <= toSecond)
}

// [fromSecond, toSecond) cut at each change of offset.
export function offsetPeriods(zone: string, fromSecond: number, toSecond: number): OffsetPeriod[] {
  const periods: OffsetPeriod[] = []
  let start = fromSecond
  for (const { atSecond, offsetBefore } of transitionsBetween(zone, fromSecond, toSecond)) {
    periods.push({ fromSecond: start, toSecond: atSecond, offset: offsetBefore })
    start = atSecond
  }
  periods.push({ fromSecond: start, toSecond, offset: offsetAt(zone, start) })
  return periods
}

// When a job with all its versions is due. Everything that plans, replays, audits or verifies asks here, so that all
// of them agree: the answer depends on the versions and the seconds asked about, and on nothing else.

import { type Governed, governedOf, isRunningAt, type JobVersion, type VersionedJob } from '../job/version.ts'
import type { Kind } from '../schedule/schedule.ts'
import { between, type Instants, NEVER } from '../time/instants.ts'

export interface DueItem {
  /** The effective second: the key of the run. */
  readonly second: number
  readonly nominal: number
  readonly kind: Kind
  /** The definition in force at the nominal second. */
  readonly version: JobVersion
}

/** In one second a stop comes before a restart and a restart before a start. */
const KINDS: readonly Kind[] = ['stop', 'restart', 'start']

/** The nominal seconds of its time in which a version lets the job run: [from, to). */
function runningPart({ version, from, to }: Governed): { from: number; to: number } {
  if (version.status === 'RUNNING') return { from, to }
  return { from: version.status === 'STOPPED' ? Math.max(from, version.until ?? to) : to, to }
}

const spreadOfKind = (governed: Governed, kind: Kind): number => (kind === 'stop' ? 0 : governed.timing.spreadSeconds)

/** Appends what is due in [from, to), in order of time and kind. */
export function dueBetween(job: VersionedJob, from: number, to: number, out: DueItem[]): void {
  const found: DueItem[] = []
  for (const governed of governedOf(job)) {
    for (const kind of KINDS) addDue(governed, kind, from, to, found)
    addMoved(governed, from, to, found)
  }
  found.sort((a, b) => a.second - b.second || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
  for (const [index, item] of found.entries()) {
    if (isRunningAt(job, item.second) && !isTaken(found, index)) out.push(item)
  }
}

function addDue(governed: Governed, kind: Kind, from: number, to: number, found: DueItem[]): void {
  const part = runningPart(governed)
  const spread = spreadOfKind(governed, kind)
  const seconds: number[] = []
  between(governed.timing[kind], Math.max(from, part.from + spread), Math.min(to, part.to + spread), seconds)
  const { version } = governed
  for (const second of seconds) {
    const isMovedAway = kind === 'start' && version.moves?.some((move) => move.from === second) === true
    if (!isMovedAway) found.push({ second, nominal: second - spread, kind, version })
  }
}

function addMoved(governed: Governed, from: number, to: number, found: DueItem[]): void {
  const part = runningPart(governed)
  for (const move of governed.version.moves ?? []) {
    const isHere = move.to >= Math.max(from, part.from) && move.to < Math.min(to, part.to)
    if (isHere) found.push({ second: move.to, nominal: move.from, kind: 'start', version: governed.version })
  }
}

/** One second has one run of a job: a restart swallows a start, and two that fall together are one. */
function isTaken(found: readonly DueItem[], index: number): boolean {
  const { second, kind } = found[index]
  for (let before = index - 1; before >= 0 && found[before].second === second; before--) {
    if ((found[before].kind === 'stop') === (kind === 'stop')) return true
  }
  return false
}

const MOST_LOOKS = 1000

/** The first second after the given one at which anything of the job is due, or NEVER. */
export function nextDue(job: VersionedJob, after: number): number {
  let t = after
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    t = firstCandidate(job, t)
    if (t === NEVER) return NEVER
    const here: DueItem[] = []
    dueBetween(job, t, t + 1, here)
    if (here.length > 0) return t
  }
  return NEVER
}

/** A second that some version has, though a later one may have stopped or moved it. */
function firstCandidate(job: VersionedJob, after: number): number {
  let first = NEVER
  const consider = (second: number, before: number) => {
    if (second !== NEVER && second < before && (first === NEVER || second < first)) first = second
  }
  for (const governed of governedOf(job)) {
    const part = runningPart(governed)
    if (part.from >= part.to) continue
    for (const kind of KINDS) {
      const spread = spreadOfKind(governed, kind)
      consider(governed.timing[kind].next(Math.max(after, part.from + spread - 1)), part.to + spread)
    }
    for (const move of governed.version.moves ?? [])
      if (move.to > after && move.to >= part.from) consider(move.to, part.to)
  }
  return first
}

/** The last second before the given one at which a run of the job was due, or NEVER. Stops are not runs. */
export function previousRun(job: VersionedJob, before: number): number {
  return governedOf(job).reduce((last, governed) => Math.max(last, lastRunOf(job, governed, before)), NEVER)
}

function lastRunOf(job: VersionedJob, governed: Governed, before: number): number {
  let t = before
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    t = lastCandidate(governed, t)
    if (t === NEVER) return NEVER
    const here: DueItem[] = []
    dueBetween(job, t, t + 1, here)
    if (here.some(({ kind }) => kind !== 'stop')) return t
  }
  return NEVER
}

function lastCandidate(governed: Governed, before: number): number {
  const part = runningPart(governed)
  if (part.from >= part.to) return NEVER
  let last = NEVER
  const spread = governed.timing.spreadSeconds
  for (const kind of ['start', 'restart'] as const) {
    const second = governed.timing[kind].previous(Math.min(before, part.to + spread))
    if (second >= part.from + spread) last = Math.max(last, second)
  }
  for (const { to } of governed.version.moves ?? []) {
    if (to < before && to >= part.from && to < part.to) last = Math.max(last, to)
  }
  return last
}

/** A job as a source of single runs for the run index. */
export const instantsOf = (job: VersionedJob): Instants => ({
  next: (after) => nextDue(job, after),
  previous: (before) => previousRun(job, before),
})

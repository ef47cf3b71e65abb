// When a job with all its versions is due. Everything that plans, replays, audits or verifies asks here, so that all
// of them agree: the answer depends on the versions and the seconds asked about, and on nothing else.

import {
  type Governed,
  governedOf,
  isRunningAt,
  type JobVersion,
  type Move,
  type VersionedJob,
  versionAt,
} from '../job/version.ts'
import type { Kind } from '../schedule/schedule.ts'
import { LAST_SECOND } from '../time/civil.ts'
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

/** What makes a run; a stop does not. */
export const RUNS: readonly Kind[] = ['restart', 'start']

/** The nominal seconds of its time in which a version lets the job run: [from, to). */
function runningPart({ version, from, to }: Governed): { from: number; to: number } {
  if (version.status === 'RUNNING') return { from, to }
  return { from: version.status === 'STOPPED' ? Math.max(from, version.until ?? to) : to, to }
}

const spreadOfKind = (governed: Governed, kind: Kind): number => (kind === 'stop' ? 0 : governed.timing.spreadSeconds)

/** Appends what is due in [from, to), in order of time and kind. */
export function dueBetween(job: VersionedJob, from: number, to: number, out: DueItem[]): void {
  const all = governedOf(job)
  const found: DueItem[] = []
  for (const governed of all) {
    for (const kind of KINDS) addDue(governed, kind, from, to, found)
  }
  const hasMoves = job.versions.some(({ moves }) => moves !== undefined)
  const left = hasMoves ? found.filter((item) => !isMovedAway(job, all, item)) : found
  if (hasMoves) for (const governed of all) addMoved(all, governed, from, to, left)
  left.sort((a, b) => a.second - b.second || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
  for (const [index, item] of left.entries()) {
    if (isRunningAt(job, item.second) && !isTaken(left, index)) out.push(item)
  }
}

function addDue(governed: Governed, kind: Kind, from: number, to: number, found: DueItem[]): void {
  const part = runningPart(governed)
  const spread = spreadOfKind(governed, kind)
  const seconds: number[] = []
  between(governed.timing[kind], Math.max(from, part.from + spread), Math.min(to, part.to + spread), seconds)
  const { version } = governed
  for (const second of seconds) found.push({ second, nominal: second - spread, kind, version })
}

/**
 * A reschedule takes the start away from its second, also where an older definition had put it there. One that was carried out while
 * the definition that has it was in force holds for good, though a later edit has dropped it; what that edit itself puts on the second is
 * another start.
 */
function isMovedAway(job: VersionedJob, all: readonly Governed[], { second, kind, version }: DueItem): boolean {
  if (kind !== 'start') return false
  const inForce = versionAt(job, second)?.moves ?? []
  const hasIt = ({ from, to }: Move) => version.moves?.some((move) => move.from === from && move.to === to) === true
  const carriedOut = all
    .filter(({ from }) => from <= second)
    .flatMap(({ version: { moves = [] }, from, to }) =>
      moves.filter((move) => move.to < to && (version.activeFrom <= from || hasIt(move))),
    )
  return [...inForce, ...carriedOut].some((move) => move.from === second && move.to !== second)
}

/** What the schedule says of a start that comes at a second: the definition that put it there has its own spread. */
function nominalOf(all: readonly Governed[], moving: Governed, second: number): number {
  const placed = all.find(({ timing, from, to }) => {
    const nominal = second - timing.spreadSeconds
    return nominal >= from && nominal < to && timing.start.next(second - 1) === second
  })
  return second - (placed ?? moving).timing.spreadSeconds
}

function addMoved(all: readonly Governed[], governed: Governed, from: number, to: number, found: DueItem[]): void {
  const part = runningPart(governed)
  for (const move of governed.version.moves ?? []) {
    const nominal = nominalOf(all, governed, move.from)
    const isHere = move.to >= Math.max(from, part.from) && move.to < Math.min(to, part.to)
    if (isHere) found.push({ second: move.to, nominal, kind: 'start', version: governed.version })
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

/** Starts of which so many in a row are swallowed by restarts, or moved away, are as good as none. */
const MOST_LOOKS = 2000

/** The first second after the given one at which anything of the job, or anything of some kinds, is due, or NEVER. */
export function nextDue(job: VersionedJob, after: number, kinds: readonly Kind[] = KINDS): number {
  const candidates = candidatesOf(job, kinds)
  let t = candidates.next(after)
  for (let looks = 0; looks < MOST_LOOKS && t !== NEVER; looks++) {
    if (isDueAt(job, t, kinds)) return t
    // While the job is stopped there is no point in looking at its seconds one by one.
    t = candidates.next(isRunningAt(job, t) ? t : runsAgainFrom(job, t) - 1)
  }
  return NEVER
}

export function isDueAt(job: VersionedJob, second: number, kinds: readonly Kind[]): boolean {
  const here: DueItem[] = []
  dueBetween(job, second, second + 1, here)
  return here.some(({ kind }) => kinds.includes(kind))
}

/** The first second after the given one at which another version, or the end of a stop, comes into force. */
function runsAgainFrom(job: VersionedJob, second: number): number {
  const turns = job.versions
    .flatMap(({ activeFrom, until }) => [activeFrom, until ?? activeFrom])
    .filter((turn) => turn > second)
  return turns.reduce((first, turn) => Math.min(first, turn), LAST_SECOND + 1)
}

/** The seconds at which some version has the job due, though a later one may have stopped or moved it: quick, not exact. */
export function candidatesOf(job: VersionedJob, kinds: readonly Kind[] = KINDS): Pick<Instants, 'next'> {
  const parts = governedOf(job).flatMap((governed) => {
    const { from, to } = runningPart(governed)
    return from < to ? [{ governed, from, to }] : []
  })
  return { next: (after) => firstCandidate(parts, kinds, after) }
}

function firstCandidate(
  parts: readonly { governed: Governed; from: number; to: number }[],
  kinds: readonly Kind[],
  after: number,
): number {
  let first = NEVER
  for (const { governed, from, to } of parts) {
    for (const kind of kinds) {
      const spread = spreadOfKind(governed, kind)
      const second = governed.timing[kind].next(Math.max(after, from + spread - 1))
      if (second !== NEVER && second < to + spread && (first === NEVER || second < first)) first = second
    }
    for (const move of governed.version.moves ?? []) {
      const isHere = move.to > after && move.to >= from && move.to < to
      if (isHere && (first === NEVER || move.to < first)) first = move.to
    }
  }
  return first
}

/** The last second before the given one at which a run of the job was due, or NEVER. Stops are not runs. */
export function previousRun(job: VersionedJob, before: number): number {
  return governedOf(job).reduce((last, governed) => Math.max(last, lastRunOf(job, governed, before)), NEVER)
}

function lastRunOf(job: VersionedJob, governed: Governed, before: number): number {
  let t = lastCandidate(governed, before)
  while (t !== NEVER) {
    const here: DueItem[] = []
    dueBetween(job, t, t + 1, here)
    if (here.some(({ kind }) => RUNS.includes(kind))) return t
    t = lastCandidate(governed, isRunningAt(job, t) ? t : stoppedFrom(job, t))
  }
  return NEVER
}

/** Where the version began that keeps the job from running at a second. */
const stoppedFrom = (job: VersionedJob, second: number): number =>
  Math.max(...job.versions.map(({ activeFrom }) => activeFrom).filter((activeFrom) => activeFrom <= second))

function lastCandidate(governed: Governed, before: number): number {
  const part = runningPart(governed)
  if (part.from >= part.to) return NEVER
  let last = NEVER
  const spread = governed.timing.spreadSeconds
  for (const kind of RUNS) {
    const second = governed.timing[kind].previous(Math.min(before, part.to + spread))
    if (second >= part.from + spread) last = Math.max(last, second)
  }
  for (const { to } of governed.version.moves ?? []) {
    if (to < before && to >= part.from && to < part.to) last = Math.max(last, to)
  }
  return last
}

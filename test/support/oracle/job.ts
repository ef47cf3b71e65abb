// Knows at which seconds a job with all its versions is due, by definition: it asks every second of every version.
// It shares nothing with the scheduler, so that the two can be compared.
import type { OracleCalendar } from './calendar.ts'
import { type Kind, type Nominal, nominalOf } from './nominal.ts'
import type { OracleDst } from './oracle.ts'
import type { OracleSchedule } from './schedule.ts'
import { delaySecondsOf } from './spread.ts'

export interface OracleMove {
  from: number
  // Null where the start is skipped: it comes at no second.
  to: number | null
}

export interface OracleVersion {
  version: number
  activeFrom: number
  // Before it an entry under either definition is legal; what is due is said by this version all the same.
  sureFrom?: number
  status: 'RUNNING' | 'STOPPED' | 'DELETED'
  until?: number
  // Effective seconds.
  moves?: readonly OracleMove[]
  // As the user wrote them; the first `templateSchedules` (none unless said) are the template's.
  schedules: readonly OracleSchedule[]
  templateSchedules?: number
  startAt: string | null
  endAt: string | null
  maxRuns: number | null
  dst: OracleDst
  spread: number
  calendars: readonly OracleCalendar[]
}

export interface OracleDue {
  second: number
  nominal: number
  kind: Kind
  version: number
}

// A version with the nominal seconds that it governs: [from, to).
interface Reign extends Nominal {
  version: OracleVersion
  from: number
  to: number
  delaySeconds: number
}

/** Everything due in [from, to), in order of second, stop before restart before start. */
export function oracleDue(jobId: string, versions: readonly OracleVersion[], from: number, to: number): OracleDue[] {
  const reigns = versions.map(
    (version, place): Reign => ({
      version,
      from: version.activeFrom,
      to: versions[place + 1]?.activeFrom ?? Number.POSITIVE_INFINITY,
      delaySeconds: delaySecondsOf(jobId, version.spread),
      ...nominalOf(versions, place),
    }),
  )
  const due: OracleDue[] = []
  for (let second = from; second < to; second++) due.push(...dueAt(reigns, second))
  return due
}

function dueAt(reigns: readonly Reign[], second: number): OracleDue[] {
  const inForce = reignAt(reigns, second)
  if (inForce === undefined || !isRunning(inForce.version, second)) return []
  const due: OracleDue[] = []
  const add = (kind: Kind, found: Placed | undefined) => {
    if (found) due.push({ second, nominal: found.nominal, kind, version: found.reign.version.version })
  }
  add('stop', placedAt(reigns, 'stop', second)[0])
  const restart = placedAt(reigns, 'restart', second)[0]
  if (restart !== undefined) add('restart', restart)
  else add('start', startsAt(reigns, inForce, second)[0])
  return due
}

const reignAt = (reigns: readonly Reign[], second: number): Reign | undefined =>
  reigns.findLast(({ from }) => from <= second)

const isRunning = ({ status, until }: OracleVersion, second: number): boolean =>
  status === 'RUNNING' || (status === 'STOPPED' && until !== undefined && until <= second)

interface Placed {
  reign: Reign
  nominal: number
}

function placedAt(reigns: readonly Reign[], kind: Kind, second: number): Placed[] {
  return governing(reigns, kind, second).filter(
    ({ reign, nominal }) => isRunning(reign.version, nominal) && reign.isNominal(kind, nominal),
  )
}

// Who decides about an effective second of a kind, the oldest version first: with another spread it may be several.
function governing(reigns: readonly Reign[], kind: Kind, second: number): Placed[] {
  const found: Placed[] = []
  for (const reign of reigns) {
    const nominal = kind === 'stop' ? second : second - reign.delaySeconds
    if (nominal >= reign.from && nominal < reign.to) found.push({ reign, nominal })
  }
  return found
}

// The starts of a second after all moves: those that no move took away, then those that a move brought.
function startsAt(reigns: readonly Reign[], inForce: Reign, second: number): Placed[] {
  const stayed = placedAt(reigns, 'start', second).filter(({ reign }) => !isMovedAway(reigns, reign, inForce, second))
  const brought = movesOf(inForce).filter(({ to }) => to === second)
  return [...stayed, ...brought.map((move) => ({ reign: inForce, nominal: nominalBefore(reigns, inForce, move) }))]
}

const movesOf = ({ version }: Reign): readonly OracleMove[] => version.moves ?? []
const has = (reign: Reign, { from, to }: OracleMove): boolean =>
  movesOf(reign).some((move) => move.from === from && move.to === to)

// A move counts while the versions have it. One that was carried out by then stays so, for no edit reaches back: only
// what a later definition puts on that second is another start.
function isMovedAway(reigns: readonly Reign[], governing: Reign, inForce: Reign, second: number): boolean {
  return reigns.flatMap(movesOf).some((move) => {
    if (move.from !== second || move.to === second) return false
    if (move.to === null) return isSkipped(reigns, governing, move)
    const atTarget = reignAt(reigns, move.to)
    const isCarriedOut = move.to < second && atTarget !== undefined && has(atTarget, move)
    const isLater = atTarget !== undefined && governing.from > atTarget.from && !has(governing, move)
    return has(inForce, move) || (isCarriedOut && !isLater)
  })
}

// A start that was skipped once stays away, whatever is edited afterwards; only a definition that came after the skip and
// does not know it puts another start on that second.
function isSkipped(reigns: readonly Reign[], governing: Reign, skip: OracleMove): boolean {
  return reigns.some(
    (reign) => has(reign, skip) && reign.from <= skip.from && (governing.from <= reign.from || has(governing, skip)),
  )
}

// The nominal second of a start before it was moved, which it keeps: what was to come then, before any later edit.
function nominalBefore(reigns: readonly Reign[], inForce: Reign, { from }: OracleMove): number {
  const older = reigns.slice(0, reigns.indexOf(inForce))
  const then = governing([...older, { ...inForce, to: Number.POSITIVE_INFINITY }], 'start', from)
  const origin = then.find(({ reign, nominal }) => reign.isScheduled('start', nominal))
  return origin?.nominal ?? from - inForce.delaySeconds
}

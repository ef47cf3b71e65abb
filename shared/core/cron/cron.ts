// A cron schedule in its zone: next, previous and between, as pure functions of the instant. The DST rule lives here:
// a schedule that covers all 24 hours follows elapsed time; any other runs every matching wall-clock time exactly once.

import { FIRST_SECOND, LAST_SECOND } from '../time/civil.ts'
import { between, type Instants, NEVER } from '../time/instants.ts'
import { AFTER_GAP, FOLD_FIRST, FOLD_LAST, PLAIN, type Zone } from '../time/zone.ts'
import { zoneOf } from '../time/zones.ts'
import { compileExpression } from './compile.ts'
import { ALL_HOURS, WEEKDAYS } from './masks.ts'
import { wallFrom, wallUpTo } from './wall-clock.ts'

export interface Dst {
  /** A wall-clock time that does not exist: run it later by the length of the gap, or not at all. */
  readonly gap: 'shift' | 'skip'
  /** A wall-clock time that comes twice: run it at its first, its last or both occurrences. */
  readonly overlap: 'first' | 'last' | 'both'
}

export const DEFAULT_DST: Dst = { gap: 'shift', overlap: 'first' }

/** No offset is more than a day, so nothing between here and a matching wall-clock time less a day can be due. */
const LARGEST_OFFSET_SECONDS = 86_400

/** A dozen years of jumps: a schedule whose every time falls into them and is skipped will not come out of them. */
const PIECES_TO_SEARCH = 40

/** What a schedule does where the clock jumps, as bits, so that an expansion of many schedules can keep it in a word. */
const SHIFTS_OUT_OF_GAPS = 1
const SKIPS_FOLD_FIRST = 2
const SKIPS_FOLD_LAST = 4

function jumpRule(words: Int32Array, dst: Dst): number {
  if ((words[WEEKDAYS] & ALL_HOURS) !== 0) return 0
  const gap = dst.gap === 'shift' ? SHIFTS_OUT_OF_GAPS : 0
  switch (dst.overlap) {
    case 'first':
      return gap | SKIPS_FOLD_LAST
    case 'last':
      return gap | SKIPS_FOLD_FIRST
    case 'both':
      return gap
  }
}

/** True where a piece repeats wall-clock times that the rule takes from the other pass. */
export const isSkipped = (kind: number, rule: number): boolean =>
  (kind === FOLD_FIRST && (rule & SKIPS_FOLD_FIRST) !== 0) || (kind === FOLD_LAST && (rule & SKIPS_FOLD_LAST) !== 0)

export const isShiftedInto = (kind: number, rule: number): boolean =>
  kind === AFTER_GAP && (rule & SHIFTS_OUT_OF_GAPS) !== 0

export class Cron implements Instants {
  readonly words: Int32Array
  readonly zone: Zone
  readonly rule: number
  readonly warnings: readonly string[]

  constructor(words: Int32Array, zone: Zone, rule: number, warnings: readonly string[]) {
    this.words = words
    this.zone = zone
    this.rule = rule
    this.warnings = warnings
  }

  /** The first instant after a second, or NEVER. */
  next(after: number): number {
    const found = this.#from(Math.max(after + 1, FIRST_SECOND))
    return found <= LAST_SECOND ? found : NEVER
  }

  /** The last instant before a second, or NEVER. */
  previous(before: number): number {
    const found = this.#upTo(Math.min(before - 1, LAST_SECOND))
    return found >= FIRST_SECOND ? found : NEVER
  }

  /** Appends the instants of [from, to) to `out`, in order. */
  between(from: number, to: number, out: number[]): void {
    between(this, from, to, out)
  }

  #from(second: number): number {
    const { words, zone, rule } = this
    let t = second
    for (let visited = 0; visited < PIECES_TO_SEARCH && t <= LAST_SECOND; visited++) {
      const table = zone.tableAt(t)
      const piece = table.pieceAt(t)
      const end = table.starts[piece + 1]
      const kind = table.kinds[piece]
      const offset = table.offsets[piece]
      const wall = isSkipped(kind, rule) ? Number.POSITIVE_INFINITY : wallFrom(words, 0, t + offset)
      let found = wall - offset
      if (isShiftedInto(kind, rule)) {
        const before = table.offsetsBefore[piece]
        found = Math.min(found, wallFrom(words, 0, t + before) - before)
      }
      if (found < end) return found
      t = kind === PLAIN ? Math.max(end, wall - LARGEST_OFFSET_SECONDS) : end
    }
    return Number.POSITIVE_INFINITY
  }

  #upTo(second: number): number {
    const { words, zone, rule } = this
    let t = second
    for (let visited = 0; visited < PIECES_TO_SEARCH && t >= FIRST_SECOND; visited++) {
      const table = zone.tableAt(t)
      const piece = table.pieceAt(t)
      const start = table.starts[piece]
      const kind = table.kinds[piece]
      const offset = table.offsets[piece]
      const wall = isSkipped(kind, rule) ? Number.NEGATIVE_INFINITY : wallUpTo(words, 0, t + offset)
      let found = wall - offset
      if (isShiftedInto(kind, rule)) {
        const before = table.offsetsBefore[piece]
        found = Math.max(found, wallUpTo(words, 0, t + before) - before)
      }
      if (found >= start) return found
      t = kind === PLAIN ? Math.min(start - 1, wall + LARGEST_OFFSET_SECONDS) : start - 1
    }
    return Number.NEGATIVE_INFINITY
  }
}

export interface CronOptions {
  readonly zone?: string
  readonly dst?: Dst
  /** What H takes its values from: the id of the job. */
  readonly hashSeed?: string
}

export function compileCron(expression: string, options: CronOptions = {}): Cron {
  const { words, warnings } = compileExpression(expression, options.hashSeed ?? '')
  return new Cron(words, zoneOf(options.zone ?? 'UTC'), jumpRule(words, options.dst ?? DEFAULT_DST), warnings)
}

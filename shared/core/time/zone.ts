// The offsets of one time zone as tables that extend themselves. It knows when clocks jump and by how much,
// and cuts time into pieces so that gaps and folds are data for the cron evaluator, not branches.

import { DAY_SECONDS, dateFromDays, dayOf } from './civil.ts'

/** What a piece of time is with respect to the jumps of the clock. */
export const PLAIN = 0
/** The stretch right after the clock went forward, as long as the gap: lost wall-clock times land here. */
export const AFTER_GAP = 1
/** The stretch right before the clock goes back, whose wall-clock times will come again. */
export const FOLD_FIRST = 2
/** The stretch right after the clock went back, whose wall-clock times were there before. */
export const FOLD_LAST = 3

const YEAR_SECONDS = 366 * DAY_SECONDS
/** Less than a week: in Gaza, 2040, clocks go back and, a week less an hour later, forward again. */
const SCAN_STEP_SECONDS = 5 * DAY_SECONDS
/** Just outside the scanned range a jump may wait, so from this much of its ends nothing is answered. */
const MARGIN_SECONDS = 3 * DAY_SECONDS
const BISECT_TO_SECONDS = 900

interface Jump {
  readonly at: number
  readonly before: number
  readonly after: number
}

interface Piece {
  readonly start: number
  readonly offset: number
  readonly kind: number
  readonly offsetBefore: number
}

/** Far apart times have tables of their own, so that a look at the year 9000 does not scan all the years between. */
const ERA_SECONDS = 32 * YEAR_SECONDS

export class Zone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat
  readonly #tables = new Map<number, ZoneTable>()
  #lastEra = Number.NaN
  #lastTable: ZoneTable

  constructor(name: string, format: Intl.DateTimeFormat) {
    this.name = name
    this.#format = format
    this.#lastTable = new ZoneTable(format)
  }

  /** The table that answers about a second and those around it. */
  tableAt(second: number): ZoneTable {
    const era = Math.floor(second / ERA_SECONDS)
    if (era === this.#lastEra) return this.#lastTable
    const table = this.#tables.get(era) ?? new ZoneTable(this.#format)
    this.#tables.set(era, table)
    this.#lastEra = era
    this.#lastTable = table
    return table
  }

  offsetAt(second: number): number {
    const table = this.tableAt(second)
    const piece = table.pieceAt(second)
    return table.offsets[piece]
  }
}

export class ZoneTable {
  readonly #format: Intl.DateTimeFormat
  #jumps: Jump[] = []
  #scannedFrom = 0
  #scannedTo = 0

  /** First second, UTC offset, kind and, after a gap, the offset before it: one entry a piece, and an end. */
  starts: number[] = []
  offsets: number[] = []
  kinds: number[] = []
  offsetsBefore: number[] = []
  #lastFound = 0

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format
  }

  /** The piece that holds a second. Its number is good until the next call of pieceAt. */
  pieceAt(second: number): number {
    if (second < this.#answersFrom || second >= this.#answersTo) this.#extendTo(second)
    const { starts } = this
    const cached = this.#lastFound
    if (second >= starts[cached] && second < starts[cached + 1]) return cached
    let low = 0
    let high = starts.length - 2
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= second) low = middle
      else high = middle - 1
    }
    this.#lastFound = low
    return low
  }

  get #answersFrom(): number {
    return this.#scannedFrom + MARGIN_SECONDS
  }

  get #answersTo(): number {
    return this.#scannedTo - MARGIN_SECONDS
  }

  #extendTo(second: number): void {
    if (this.#scannedTo === this.#scannedFrom) {
      const from = second - YEAR_SECONDS
      this.#scannedFrom = this.#scannedTo = from - (from % SCAN_STEP_SECONDS)
    }
    // Growing by half of what is there keeps the number of rebuilds small when a caller walks far ahead.
    const growth = YEAR_SECONDS + (this.#scannedTo - this.#scannedFrom) / 2
    if (second >= this.#answersTo) {
      const to = Math.max(second + MARGIN_SECONDS + YEAR_SECONDS, this.#scannedTo + growth)
      this.#jumps.push(...this.#scan(this.#scannedTo, to))
    } else {
      const from = Math.min(second - MARGIN_SECONDS - YEAR_SECONDS, this.#scannedFrom - growth)
      this.#jumps.unshift(...this.#scan(from - (from % SCAN_STEP_SECONDS), this.#scannedFrom))
    }
    this.#cut()
  }

  /** Looks every few days and halves the interval where the offset changed. */
  #scan(from: number, to: number): Jump[] {
    const jumps: Jump[] = []
    let before = this.#probe(from)
    let t = from
    while (t < to) {
      const next = t + SCAN_STEP_SECONDS
      const after = this.#probe(next)
      if (after !== before) jumps.push({ at: this.#bisect(t, next, before), before, after })
      before = after
      t = next
    }
    this.#scannedFrom = Math.min(this.#scannedFrom, from)
    this.#scannedTo = Math.max(this.#scannedTo, t)
    return jumps
  }

  #bisect(low: number, high: number, before: number): number {
    let [still, changed] = [low, high]
    while (changed - still > 1) {
      // Clocks move on the quarter of an hour, so the last ten halvings are nearly always saved.
      if (changed - still === BISECT_TO_SECONDS && this.#probe(changed - 1) === before) return changed
      const middle = still + Math.floor((changed - still) / 2)
      const rounded = changed - still > BISECT_TO_SECONDS ? middle - (middle % BISECT_TO_SECONDS) : middle
      if (this.#probe(rounded) === before) still = rounded
      else changed = rounded
    }
    return changed
  }

  /** UTC offset by the platform's zone data; the only place that asks it. The format is "dd, hh:mm:ss". */
  #probe(second: number): number {
    const text = this.#format.format(second * 1000)
    const digits = (at: number) => (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
    const days = Math.floor(second / DAY_SECONDS)
    const dayDifference = digits(0) - dayOf(dateFromDays(days))
    const dayShift = dayDifference > 1 ? -1 : dayDifference < -1 ? 1 : dayDifference
    const localSecondOfDay = digits(4) * 3600 + digits(7) * 60 + digits(10)
    return dayShift * DAY_SECONDS + localSecondOfDay - (second - days * DAY_SECONDS)
  }

  #cut(): void {
    const first = this.#jumps.length > 0 ? this.#jumps[0].before : this.#probe(this.#scannedFrom)
    const pieces: Piece[] = [{ start: this.#answersFrom, offset: first, kind: PLAIN, offsetBefore: first }]
    for (const { at, before, after } of this.#jumps) {
      const length = Math.abs(after - before)
      if (after > before) {
        pieces.push({ start: at, offset: after, kind: AFTER_GAP, offsetBefore: before })
      } else {
        pieces.push({ start: at - length, offset: before, kind: FOLD_FIRST, offsetBefore: before })
        pieces.push({ start: at, offset: after, kind: FOLD_LAST, offsetBefore: before })
      }
      pieces.push({ start: at + length, offset: after, kind: PLAIN, offsetBefore: after })
    }
    const startsLater = pieces.findIndex((piece) => piece.start > this.#answersFrom)
    const known = pieces.slice(Math.max(startsLater - 1, 0)).filter((piece) => piece.start < this.#answersTo)
    this.starts = [...known.map((piece) => Math.max(piece.start, this.#answersFrom)), this.#answersTo]
    this.offsets = known.map((piece) => piece.offset)
    this.kinds = known.map((piece) => piece.kind)
    this.offsetsBefore = known.map((piece) => piece.offsetBefore)
    this.#lastFound = 0
  }
}

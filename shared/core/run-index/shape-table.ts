// The distinct schedules of a fleet. Jobs with the same masks, zone and DST rule share one shape, so that ten thousand
// schedules cost as much as their few hundred shapes. One flat array holds them all.

import { Cron } from '../cron/cron.ts'
import { RULE, WORDS } from '../cron/masks.ts'
import { Every } from '../schedule/every.ts'
import type { Shape } from '../schedule/timing.ts'
import type { Zone } from '../time/zone.ts'

/** An interval is a shape too: its RULE is this, its first two words are the interval and the phase. */
export const EVERY = -1

const RULE_BITS = 3
export const zoneNumberOf = (rule: number): number => rule >>> RULE_BITS
export const jumpRuleOf = (rule: number): number => rule & ((1 << RULE_BITS) - 1)

export class ShapeTable {
  words = new Int32Array(64 * WORDS)
  size = 0
  readonly zones: Zone[] = []
  /** Shape numbers plus 1 by the hash of their words: open addressing, at most half full. */
  #slots = new Int32Array(128)

  /** The number of the shape; equal ones have the same. */
  intern(shape: Shape): number {
    return shape instanceof Cron ? this.#internCron(shape) : this.#internEvery(shape)
  }

  #internCron(cron: Cron): number {
    let zone = this.zones.indexOf(cron.zone)
    if (zone < 0) zone = this.zones.push(cron.zone) - 1
    const row = cron.words.slice()
    row[RULE] = (zone << RULE_BITS) | cron.rule
    return this.#internRow(row)
  }

  #internEvery(every: Every): number {
    const row = new Int32Array(WORDS)
    row[0] = every.intervalSeconds
    row[1] = every.phaseSeconds
    row[RULE] = EVERY
    return this.#internRow(row)
  }

  #internRow(row: Int32Array): number {
    if (this.size * WORDS === this.words.length) this.#growWords()
    if (this.size * 2 >= this.#slots.length) this.#growSlots()
    const slot = this.#slotOf(row, 0)
    const known = this.#slots[slot]
    if (known !== 0) return known - 1
    this.words.set(row, this.size * WORDS)
    this.size += 1
    this.#slots[slot] = this.size
    return this.size - 1
  }

  #slotOf(row: Int32Array, base: number): number {
    const last = this.#slots.length - 1
    let hash = 0
    for (let word = 0; word < WORDS; word++) hash = Math.imul(hash ^ row[base + word], 0x9e3779b1) ^ (hash >>> 15)
    let slot = (hash ^ (hash >>> 16)) & last
    while (this.#slots[slot] !== 0 && !this.#holds(this.#slots[slot] - 1, row, base)) slot = (slot + 1) & last
    return slot
  }

  #holds(shape: number, row: Int32Array, base: number): boolean {
    for (let word = 0; word < WORDS; word++) if (this.words[shape * WORDS + word] !== row[base + word]) return false
    return true
  }

  /** By a quarter: memory counts here more than the time of a copy. */
  #growWords(): void {
    const words = new Int32Array(Math.ceil(this.size * 1.25) * WORDS)
    words.set(this.words)
    this.words = words
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    for (let shape = 0; shape < this.size; shape++) this.#slots[this.#slotOf(this.words, shape * WORDS)] = shape + 1
  }

  /** The first second after the given one at which a shape fires, or NEVER. */
  next(shape: number, after: number): number {
    const row = this.words.subarray(shape * WORDS, (shape + 1) * WORDS)
    const rule = row[RULE]
    if (rule === EVERY) return new Every(row[0], row[1]).next(after)
    return new Cron(row, this.zones[zoneNumberOf(rule)], jumpRuleOf(rule), []).next(after)
  }
}

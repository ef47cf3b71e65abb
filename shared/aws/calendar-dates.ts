// The dates of calendars, kept under the hash of what they say. A job's versions name the hash, so that an edit of a
// calendar never changes what the plan of the past was made of, and twenty versions do not repeat two thousand dates.

import { createHash } from 'node:crypto'
import type { JobVersion } from '../core/job/version.ts'
import type { CalendarSpec } from '../core/schedule/calendar.ts'
import type { CalendarReference, KeptVersion } from './items.ts'
import { readDates, writeValue } from './items.ts'
import { keyOf } from './keys.ts'
import type { Table } from './table.ts'

export class CalendarDates {
  readonly #table: Table
  /** What a hash stands for never changes, so it is read once. */
  readonly #known = new Map<string, readonly string[]>()

  constructor(table: Table) {
    this.#table = table
  }

  /** Saves what a version needs, before the version itself. */
  async keep(version: JobVersion): Promise<KeptVersion> {
    const { calendars, ...timing } = version.timing
    if (calendars === undefined) return { ...version, timing }
    return {
      ...version,
      timing: { ...timing, calendars: await Promise.all(calendars.map((each) => this.#save(each))) },
    }
  }

  async #save({ name, dates }: CalendarSpec): Promise<CalendarReference> {
    const hash = createHash('sha256').update(JSON.stringify(dates)).digest('hex').slice(0, 32)
    if (!this.#known.has(hash)) await this.#table.put(keyOf({ type: 'dates', hash }), writeValue(dates))
    this.#known.set(hash, dates)
    return { name, hash }
  }

  async resolve({ timing: { calendars, ...timing }, ...version }: KeptVersion): Promise<JobVersion> {
    if (calendars === undefined) return { ...version, timing }
    const specs = await Promise.all(
      calendars.map(async ({ name, hash }) => ({ name, dates: [...(await this.#read(hash))] })),
    )
    return { ...version, timing: { ...timing, calendars: specs } }
  }

  async #read(hash: string): Promise<readonly string[]> {
    const known = this.#known.get(hash)
    if (known !== undefined) return known
    const item = await this.#table.get(keyOf({ type: 'dates', hash }))
    if (item === null)
      throw new Error(`the dates ${hash} of a calendar are missing. Restore them from the table’s backup`)
    const dates = readDates(item)
    this.#known.set(hash, dates)
    return dates
  }
}

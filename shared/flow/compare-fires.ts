// Which fires appear and which vanish with a change, counted over a day, in pieces, so that no request holds up others.

import type { VersionedJob } from '../core/job/version.ts'
import { type DueItem, dueBetween } from '../core/planner/due.ts'
import type { Rest } from './turns.ts'

export interface FirePair {
  readonly jobId: string
  /** As in "billing/nightly". */
  readonly fullName: string
  readonly before: VersionedJob | null
  readonly after: VersionedJob | null
}

export interface ComparedFire extends DueItem {
  readonly jobId: string
  readonly fullName: string
}

export interface ComparedFires {
  readonly from: number
  /** Earlier than a day later where there are too many fires to compare. */
  readonly to: number
  readonly same: number
  readonly appear: { readonly count: number; readonly items: readonly ComparedFire[] }
  readonly vanish: { readonly count: number; readonly items: readonly ComparedFire[] }
}

const COMPARED_SECONDS = 86_400
const PIECE_SECONDS = 900
const MOST_COMPARED = 200_000
const MOST_SHOWN = 100
/** Pieces of work between two looks at what else waits. */
const FIRES_AT_ONCE = 5000

export async function compareFires(pairs: readonly FirePair[], from: number, rest: Rest): Promise<ComparedFires> {
  const appear = new Tally()
  const vanish = new Tally()
  let same = 0
  let compared = 0
  let sinceRest = 0
  let to = from
  while (to < from + COMPARED_SECONDS && compared < MOST_COMPARED) {
    const end = Math.min(to + PIECE_SECONDS, from + COMPARED_SECONDS)
    for (const pair of pairs) {
      const before = dueIn(pair.before, to, end)
      const after = dueIn(pair.after, to, end)
      const had = new Set(before.map(nameOf))
      const has = new Set(after.map(nameOf))
      for (const item of after) {
        if (had.has(nameOf(item))) same += 1
        else appear.add({ ...item, ...pair })
      }
      for (const item of before) if (!has.has(nameOf(item))) vanish.add({ ...item, ...pair })
      compared += before.length + after.length
      sinceRest += before.length + after.length
      if (sinceRest >= FIRES_AT_ONCE) {
        sinceRest = 0
        await rest()
      }
    }
    to = end
  }
  return { from, to, same, appear, vanish }
}

class Tally {
  count = 0
  readonly items: ComparedFire[] = []

  add({ jobId, fullName, second, nominal, kind, version }: ComparedFire): void {
    this.count += 1
    if (this.items.length < MOST_SHOWN) this.items.push({ jobId, fullName, second, nominal, kind, version })
  }
}

const nameOf = ({ second, kind }: DueItem): string => `${second} ${kind}`

function dueIn(job: VersionedJob | null, from: number, to: number): DueItem[] {
  const found: DueItem[] = []
  if (job !== null) dueBetween(job, from, to, found)
  return found
}

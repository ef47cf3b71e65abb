// Which runs of a second a queue has taken, kept by a warm ticker until the whole second is sent: where one message of a second is not
// acknowledged, the next link sends that one again and not its neighbours. Lost with the ticker; then all of the second is sent again.

import type { PlannedRun } from '../core/planner/snapshot.ts'
import { entryIdOf } from '../core/run/message.ts'

const idOf = ({ jobId, kind }: PlannedRun): string => entryIdOf(jobId, kind)

export class SentRuns {
  readonly #bySecond = new Map<number, Set<string>>()

  add(second: number, entryIds: readonly string[]): void {
    const known = this.#bySecond.get(second)
    if (known === undefined) this.#bySecond.set(second, new Set(entryIds))
    else for (const id of entryIds) known.add(id)
  }

  /** Those that no queue is known to have taken. */
  without(runs: readonly PlannedRun[]): readonly PlannedRun[] {
    if (this.#bySecond.size === 0) return runs
    return runs.filter((run) => this.#bySecond.get(run.second)?.has(idOf(run)) !== true)
  }

  /** Seconds that are sent as a whole are never sent again. */
  forgetThrough(second: number): void {
    for (const known of this.#bySecond.keys()) if (known <= second) this.#bySecond.delete(known)
  }
}

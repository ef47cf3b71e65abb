// Where the entry of a run stands: on a page with others, or in an item of its own. The steps of a run do not care which.

import type { PageEntry } from '../../core/pages/entry.ts'
import { pageKeyOfJob } from '../../core/pages/page.ts'
import type { PageKey, RunDetail } from '../../core/run/record.ts'
import { parseRunId, type RunId } from '../../core/run/run.ts'
import type { Ledger, Swap, SwapResult } from '../../ports.ts'
import { mapLimited } from '../map-limited.ts'

export interface PlaceSwap extends Swap {
  /** What is written beside the entry, if it is ours to write. */
  readonly detail?: RunDetail | undefined
}

type Warn = (message: string, detail: object) => void

export interface Place {
  swap(swaps: readonly PlaceSwap[]): Promise<Map<string, SwapResult>>
  read(): Promise<ReadonlyMap<string, PageEntry>>
}

/** Detail that cannot be written is told and harms nothing: the entry is what counts. */
export function onPage(ledger: Ledger, key: PageKey, warn: Warn = () => {}): Place {
  return {
    swap: async (swaps) => {
      const results = await ledger.swap(key, swaps)
      const noted = swaps.filter(({ id, detail }) => detail !== undefined && results.get(id)?.done === true)
      await mapLimited(noted, async ({ id, detail }) => {
        try {
          await ledger.putDetail({ jobId: id, second: key.second }, detail ?? {})
        } catch (error) {
          warn('the detail of a run was not kept', { jobId: id, second: key.second, reason: String(error) })
        }
      })
      return results
    },
    read: async () => (await ledger.readPages([key]))[0].entries,
  }
}

export function standalone(ledger: Ledger, id: RunId): Place {
  const read = async () => (await ledger.readRun(id))?.entry ?? null
  return {
    swap: async (swaps) => {
      const results = new Map<string, SwapResult>()
      for (const { id: name, expect, next, detail = {} } of swaps) {
        const isPossible = expect !== null
        results.set(
          name,
          isPossible ? await ledger.swapRun(id, expect, next, detail) : { done: false, found: await read() },
        )
      }
      return results
    },
    read: async () => {
      const entry = await read()
      return new Map(entry === null ? [] : [[id.jobId, entry]])
    },
  }
}

/** Where the entry of any run stands. */
export function placeOf(ledger: Ledger, shard: number, run: { readonly runId: string; readonly depth: number | null }) {
  const id = parseRunId(run.runId)
  return run.depth === null ? standalone(ledger, id) : onPage(ledger, pageKeyOfJob(shard, id, run.depth))
}

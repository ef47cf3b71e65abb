// Changes entries that this executor has claimed. An answer may have been lost, so that a claim has moved on without its owner
// knowing: what is refused and yet bears the own token is changed from what was found.

import type { SwapResult } from '../../ports.ts'
import type { Place, PlaceSwap } from './place.ts'

export async function swapClaimed(place: Place, swaps: readonly PlaceSwap[]): Promise<Map<string, SwapResult>> {
  const results = await place.swap(swaps)
  const again = swaps.flatMap((swap): PlaceSwap[] => {
    const result = results.get(swap.id)
    const found = result === undefined || result.done ? null : result.found
    const isOwn = swap.expect?.status === 'RUNNING' && found?.status === 'RUNNING' && found.token === swap.expect.token
    return isOwn ? [{ ...swap, expect: found }] : []
  })
  if (again.length === 0) return results
  return new Map([...results, ...(await place.swap(again))])
}

// The depths of recent seconds in the shard item. A second leaves it only when its minute has an item of its own, where
// readers look next, and not before it is three minutes old.

import { minuteOf } from '../time/units.ts'
import { DEPTHS_KEPT_SECONDS } from '../timings.ts'

/**
 * The map with what a fence opens, without what its readers find elsewhere. `writtenThrough` is the last minute that has its item.
 * A second that was not sent to the end is still to be sent, however old it is, and stays.
 */
export function nextDepths(
  depths: ReadonlyMap<number, number>,
  opened: ReadonlyMap<number, number>,
  { fence, sentThrough, writtenThrough }: { fence: number; sentThrough: number; writtenThrough: number },
): Map<number, number> {
  const isNeeded = (second: number) =>
    second > fence - DEPTHS_KEPT_SECONDS || second > sentThrough || minuteOf(second) > writtenThrough
  return new Map([...[...depths].filter(([second]) => isNeeded(second)), ...opened])
}

/** Minutes that are over and whose depths can be kept in items of their own, oldest first. */
export function wholeMinutes(
  depths: ReadonlyMap<number, number>,
  fence: number,
  writtenThrough: number,
): { readonly minute: number; readonly depths: ReadonlyMap<number, number> }[] {
  const byMinute = new Map<number, Map<number, number>>()
  for (const [second, depth] of depths) {
    const minute = minuteOf(second)
    if (minute >= minuteOf(fence) || minute <= writtenThrough) continue
    const seconds = byMinute.get(minute) ?? new Map<number, number>()
    seconds.set(second, depth)
    byMinute.set(minute, seconds)
  }
  return [...byMinute].sort(([a], [b]) => a - b).map(([minute, seconds]) => ({ minute, depths: seconds }))
}

// Which seconds a turn of the ring fires and which it gives up, from the last second fired and the present one alone.

/** A turn looks at the current second and this many before it. */
export const LOOK_BACK_SECONDS = 2

/** Half-open ranges of seconds; empty where from is not before to. */
export interface Due {
  readonly missed: { readonly from: number; readonly to: number }
  readonly fire: { readonly from: number; readonly to: number }
}

/** A clock that was set back leaves both ranges empty until it passes the last second fired: no run comes twice. */
export function dueSeconds(lastFired: number, now: number): Due {
  const from = lastFired + 1
  const to = Math.max(now + 1, from)
  const fireFrom = Math.max(from, to - 1 - LOOK_BACK_SECONDS)
  return { missed: { from, to: fireFrom }, fire: { from: fireFrom, to } }
}

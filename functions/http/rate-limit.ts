// How many requests a key may send in a minute, counted in the memory of one environment: no request costs a write. The gateway's own
// throttle stands before it.

export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Until the count begins anew. */
  readonly resetSeconds: number
}

const WINDOW_MS = 60_000
const MOST_NAMES = 10_000

export class RateLimit {
  readonly #windows = new Map<string, { startMs: number; used: number }>()

  /** Takes one of a name's requests, or looks without taking; `remaining` is below 0 where none was left. */
  take(name: string, limit: number, nowMs: number, wanted: 0 | 1 = 1): Rate {
    const known = this.#windows.get(name)
    const window = known !== undefined && nowMs < known.startMs + WINDOW_MS ? known : { startMs: nowMs, used: 0 }
    if (window !== known) {
      if (this.#windows.size >= MOST_NAMES) this.#windows.clear()
      this.#windows.set(name, window)
    }
    window.used += wanted
    const resetSeconds = Math.ceil((window.startMs + WINDOW_MS - nowMs) / 1000)
    return { limit, remaining: limit - window.used, resetSeconds }
  }
}

export const rateHeaders = ({ limit, remaining, resetSeconds }: Rate): Record<string, string> => ({
  'ratelimit-policy': `"key";q=${limit};w=${WINDOW_MS / 1000}`,
  ratelimit: `"key";r=${Math.max(0, remaining)};t=${resetSeconds}`,
})

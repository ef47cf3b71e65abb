// For how long a request keeps the event loop to itself. It is counted in processor time of this thread, because on a busy machine
// the clock also runs while others compute.

import type { Api } from '../../../functions/http/door.ts'

const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export interface Timed {
  readonly api: Api
  /** The longest turn of the loop during the last request. */
  blockedMs(): number
}

export function timed(api: Api): Timed {
  let longest = 0
  return {
    blockedMs: () => longest,
    api: async (event) => {
      longest = 0
      let isOver = false
      let last = spentMs()
      const note = () => {
        const now = spentMs()
        longest = Math.max(longest, now - last)
        last = now
      }
      const look = () => {
        if (isOver) return
        note()
        setImmediate(look)
      }
      setImmediate(look)
      try {
        return await api(event)
      } finally {
        isOver = true
        note()
      }
    },
  }
}

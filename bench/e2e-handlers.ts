// The handlers of the end-to-end benchmark: they do nothing, and tell when they began, many at a time.

import { defineHandlers } from '../shared/core/handlers.ts'

export interface Starts {
  /** Run ids, and when their handlers began. */
  readonly starts: readonly (readonly [string, number])[]
}

const TOLD_EVERY_MS = 25
let starts: [string, number][] = []

function tell(): void {
  const told: Starts = { starts }
  process.send?.(told)
  starts = []
}

export default defineHandlers({
  echo: ({ id }) => {
    if (starts.length === 0) setTimeout(tell, TOLD_EVERY_MS)
    starts.push([id, Date.now()])
    return null
  },
})

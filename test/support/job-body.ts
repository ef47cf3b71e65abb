// Bodies of jobs as a user would send them, who sends them, and numbers in a row to compare with.

import type { Actor } from '../../shared/core/actor.ts'

export const ANNA: Actor = { type: 'key', id: '3fK9aZ', name: 'anna', onBehalfOf: null }
export const asking = { by: ANNA }

/** Every second unless the test says otherwise. */
export const body = (name: string, part: object = {}) => ({
  name,
  schedules: [{ every: 1 }],
  target: { type: 'handler', handler: 'echo' },
  ...part,
})

/** From one number up to another, both included. */
export const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, n) => from + n * step)

// Bodies of jobs as a user would send them, and numbers in a row to compare with.

export const asking = { by: 'anna' }

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

// Jobs that start or wait for one another in a ring would run for ever, or never. Such a ring is found with its path.

export type Relation = 'then' | 'after'

/** The jobs along a ring that begins and ends with `start`, or null where there is none. */
export function findCycle(start: string, next: (job: string) => readonly string[]): string[] | null {
  const cameFrom = new Map<string, string>()
  const open = [start]
  for (let job = open.pop(); job !== undefined; job = open.pop()) {
    for (const other of next(job)) {
      if (other === start) return [...pathTo(job, cameFrom), start]
      if (cameFrom.has(other)) continue
      cameFrom.set(other, job)
      open.push(other)
    }
  }
  return null
}

function pathTo(job: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [job]
  for (let before = cameFrom.get(job); before !== undefined; before = cameFrom.get(before)) path.unshift(before)
  return path
}

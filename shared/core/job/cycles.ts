// Jobs that start or wait for one another in a ring would run for ever, or never. Such a ring is found with its path.

import { InputError } from '../errors.ts'

export type Relation = 'then' | 'after'

/** The jobs along a ring that begins and ends with `start`, or null where there is none. */
export function findCycle(start: string, next: (job: string) => readonly string[]): string[] | null {
  const seen = new Set<string>()
  const path: string[] = []
  const leadsBack = (job: string): boolean => {
    path.push(job)
    for (const other of next(job)) {
      if (other === start) return true
      if (seen.has(other)) continue
      seen.add(other)
      if (leadsBack(other)) return true
    }
    path.pop()
    return false
  }
  return leadsBack(start) ? [...path, start] : null
}

export function refuseCycle(relation: Relation, start: string, next: (job: string) => readonly string[]): void {
  const cycle = findCycle(start, next)
  if (cycle === null) return
  throw new InputError({
    code: 'job.cycle',
    field: relation,
    value: cycle.join(' → '),
    problem:
      relation === 'then'
        ? 'these jobs would start one another for ever'
        : 'these jobs would wait for one another for ever',
    remedy: `Take ${cycle[1]} out of ${relation} of ${start}, or break the ring elsewhere`,
  })
}

// What reaches the stores and queues of a world: every call that is no read, with all that it carried.

import type { Thawing } from '../../../functions/thaw.ts'
import type { TickWorld } from '../../../shared/flow/tick-world.ts'
import { memoryWorld } from './open-api.ts'

const READS: ReadonlySet<string> = new Set([
  ...['read', 'readMany', 'bodies', 'load', 'loadOnce', 'changes', 'pointers', 'versions', 'definitions', 'definition'],
  ...['meta', 'minutes', 'readPages', 'pagesOfMinute', 'readRun', 'readRuns', 'runsOf', 'readDetails', 'missedOf'],
  ...['feed', 'chainOf', 'recent', 'due', 'list', 'all', 'namespacesOf', 'ofDay', 'counts', 'receive'],
])

export interface Write {
  /** As in "jobs.commit". */
  readonly what: string
  readonly carried: readonly unknown[]
}

/** A member that can be broken: what it throws is thrown by the next call of that name, as often as it is said. */
export interface Fault {
  readonly what: string
  readonly error: Error
  times: number
  /** Breaks after the act, as a crash before the answer does. */
  readonly isAfter?: boolean
}

export interface Journal {
  readonly world: TickWorld & Thawing
  readonly writes: Write[]
  readonly faults: Fault[]
  advance(seconds: number): void
  nowMs(): number
}

export function journal(made = memoryWorld()): Journal {
  const writes: Write[] = []
  const faults: Fault[] = []
  const watched = <Store extends object>(name: string, store: Store): Store =>
    new Proxy(store, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member)
        if (typeof value !== 'function') return value
        const what = `${name}.${String(member)}`
        return (...carried: unknown[]) => {
          const fault = faults.find((each) => each.what === what && each.times > 0)
          if (fault !== undefined) fault.times -= 1
          if (fault !== undefined && fault.isAfter !== true) return Promise.reject(fault.error)
          if (!READS.has(String(member))) writes.push({ what, carried })
          const result: unknown = Reflect.apply(value, target, carried)
          if (fault === undefined) return result
          return Promise.resolve(result).then(() => Promise.reject(fault.error))
        }
      },
    })
  const { queues, ...rest } = made.world
  const world = Object.fromEntries(
    Object.entries(rest).map(([name, member]) => [
      name,
      typeof member === 'object' && name !== 'clock' ? watched(name, member) : member,
    ]),
  ) as unknown as TickWorld & Thawing
  const all = { ...world, queues: { fast: watched('fast', queues.fast), slow: watched('slow', queues.slow) } }
  return { world: all, writes, faults, advance: made.advance, nowMs: made.nowMs }
}

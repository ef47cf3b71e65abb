// A world whose stores tell what was written to them, so that a refused request can be seen to have left nothing behind.

import type { Thawing } from '../../../functions/thaw.ts'
import type { TickWorld } from '../../../shared/flow/tick-world.ts'

/** What a store's method made of it: text for what was written, null for a look or an attempt that was refused. */
type Told = (result: unknown) => boolean

const always: Told = () => true
const whereTrue: Told = (result) => result === true
const whereFound: Told = (result) => result !== null

/** Every method of shared/ports.ts that writes. `touch` only says when a key was last used, and `reserve` is told below. */
const WRITING: Readonly<Record<string, Readonly<Record<string, Told>>>> = {
  jobs: { commit: whereTrue, amend: always, announce: always },
  shards: { takeOver: whereFound, fence: whereFound, sleep: whereFound },
  ledger: {
    swap: always,
    putRun: whereTrue,
    swapRun: always,
    putDetail: always,
    putMissed: always,
    putRecent: always,
  },
  open: { put: always, move: whereFound, remove: always },
  states: { change: always },
  locks: { change: always },
  calendars: { write: whereTrue },
  templates: { write: whereTrue },
  namespaces: { write: whereTrue },
  pendingEdits: { put: always, remove: always },
  idempotency: { answer: always },
  apiKeys: { write: whereTrue },
  audit: { put: always },
  watch: { send: always },
}

export interface Watched {
  readonly world: TickWorld & Thawing
  /** What was written since it was last asked. */
  taken(): string[]
}

type Method = (...of: unknown[]) => Promise<unknown>

export function watched(world: TickWorld & Thawing): Watched {
  const written: string[] = []
  const reserved = new Set<unknown>()
  const told = (name: string, store: object): object => {
    const writing = WRITING[name]
    return new Proxy(store, {
      get(target, property) {
        const method: unknown = Reflect.get(target, property)
        if (typeof method !== 'function') return method
        const bound = method.bind(target) as Method
        const isWrite = Object.hasOwn(writing, property) ? writing[String(property)] : null
        if (name === 'idempotency' && property === 'reserve') {
          return async (...of: unknown[]) => {
            const there = await bound(...of)
            if (there === null) reserved.add(of[0])
            return there
          }
        }
        if (name === 'idempotency' && property === 'release') {
          return (...of: unknown[]) => {
            reserved.delete(of[0])
            return bound(...of)
          }
        }
        if (isWrite === null) return bound
        return async (...of: unknown[]) => {
          const result = await bound(...of)
          if (isWrite(result)) written.push(`${name}.${String(property)}`)
          return result
        }
      },
    })
  }
  const stores = Object.fromEntries(
    Object.keys(WRITING).map((name) => [name, told(name, Reflect.get(world, name) as object)]),
  )
  return {
    world: { ...world, ...stores },
    taken: () => {
      const taken = [...written, ...[...reserved].map(() => 'idempotency.reserve')]
      written.length = 0
      reserved.clear()
      return taken
    },
  }
}

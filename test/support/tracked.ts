// Stores on real engines in driven time: every call is known to the clock until it is over, and time stands still meanwhile.

import type { Stores } from '../../shared/ports.ts'

export interface Tracking {
  track<Result>(call: Promise<Result>): Promise<Result>
}

export function tracked<Part extends object>(part: Part, time: Tracking): Part {
  return new Proxy(part, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, parameters)
        if (result instanceof Promise) return time.track(result)
        return isPages(result) ? trackedPages(result, time) : result
      }
    },
  })
}

const isPages = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function* trackedPages(pages: AsyncIterable<unknown>, time: Tracking): AsyncGenerator<unknown> {
  const iterator = pages[Symbol.asyncIterator]()
  for (;;) {
    const next = await time.track(iterator.next())
    if (next.done === true) return
    yield next.value
  }
}

export function trackedStores(stores: Stores, time: Tracking): Stores {
  const track = <Part extends object>(part: Part): Part => tracked(part, time)
  return {
    jobs: track(stores.jobs),
    shards: track(stores.shards),
    ledger: track(stores.ledger),
    open: track(stores.open),
    states: track(stores.states),
    locks: track(stores.locks),
    calendars: track(stores.calendars),
    templates: track(stores.templates),
    namespaces: track(stores.namespaces),
    pendingEdits: track(stores.pendingEdits),
    idempotency: track(stores.idempotency),
    apiKeys: track(stores.apiKeys),
    audit: track(stores.audit),
  }
}

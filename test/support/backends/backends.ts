// The backends on which every store must do the same: in memory, on dynoxide, on Amazon's DynamoDB Local, and on dynoxide
// behind a handler that loses answers.

import { randomUUID } from 'node:crypto'
import { afterEach, describe, inject } from 'vitest'
import { dynamoClient } from '../../../shared/aws/sdk.ts'
import { StoreClock } from '../../../shared/aws/store-clock.ts'
import { dynamoStores } from '../../../shared/aws/stores.ts'
import type { Clock, Stores } from '../../../shared/ports.ts'
import { faultyHandler } from '../engines/faulty-handler.ts'
import { createTable } from '../engines/table.ts'
import { MemoryQueue } from '../memory/queue.ts'
import { memoryStores } from '../memory/stores.ts'
import { BACKENDS, type BackendName, type EngineName } from './names.ts'

export interface World extends Stores {
  readonly clock: Clock
  readonly shardCount: number
  readonly watch: MemoryQueue
  newId(): string
  /** How many answers were lost so far. */
  lost(): number
  /** Another process with its own clients on the same table. */
  again(): World
}

const realClock = () => new StoreClock({ wallMs: () => Date.now(), steadyMs: () => performance.now() })

function memoryWorld(shardCount: number): World {
  const world: World = {
    ...memoryStores(shardCount),
    clock: realClock(),
    shardCount,
    watch: new MemoryQueue(() => Date.now()),
    newId: () => randomUUID(),
    lost: () => 0,
    again: () => world,
  }
  return world
}

interface Opened {
  readonly world: World
  close(): void
}

function openTable(endpoint: string, tableName: string, shardCount: number, losesEvery: number | null): Opened {
  const clock = realClock()
  const handler = losesEvery === null ? null : faultyHandler({ every: losesEvery })
  const client = dynamoClient({ endpoint, clock, ...(handler === null ? {} : { requestHandler: handler.handler }) })
  const stores = dynamoStores({ client, tableName, shardCount, ledgerDays: 30 })
  const more: Opened[] = []
  const again = () => {
    const opened = openTable(endpoint, tableName, shardCount, losesEvery)
    more.push(opened)
    return opened.world
  }
  const close = () => {
    client.destroy()
    for (const opened of more) opened.close()
  }
  return {
    world: {
      ...stores,
      clock,
      shardCount,
      watch: new MemoryQueue(() => Date.now()),
      newId: () => randomUUID(),
      lost: () => handler?.lost() ?? 0,
      again,
    },
    close,
  }
}

let tables = 0

async function makeTable(engine: EngineName, shardCount: number, losesEvery: number | null): Promise<Opened> {
  const { endpoint } = inject('engines')[engine]
  if (endpoint === null) throw new Error(`${engine} is not running`)
  tables += 1
  const tableName = `t${process.pid}-${Date.now()}-${tables}`
  const client = dynamoClient({ endpoint, clock: realClock() })
  await createTable(client, tableName)
  client.destroy()
  return openTable(endpoint, tableName, shardCount, losesEvery)
}

/** Where answers are lost, every so manieth is; each one unless told. */
export type MakeWorld = (shardCount?: number, options?: { readonly losesEvery?: number }) => Promise<World>

/** Runs the same tests on each backend. Each test makes a world of its own; what it opened is closed after it. */
export function inEachBackend(
  title: string,
  tests: (make: MakeWorld, name: BackendName) => void,
  names = BACKENDS.map(({ name }) => name),
): void {
  for (const { name, engine, isFaulty } of BACKENDS.filter((backend) => names.includes(backend.name))) {
    const whyNot = engine === null ? null : inject('engines')[engine].whyNot
    describe.skipIf(whyNot !== null)(`${title} [${name}]`, () => {
      const opened: Opened[] = []
      afterEach(() => {
        for (const each of opened.splice(0)) each.close()
      })
      tests(async (shardCount = 4, { losesEvery = 1 } = {}) => {
        if (engine === null) return memoryWorld(shardCount)
        const made = await makeTable(engine, shardCount, isFaulty ? losesEvery : null)
        opened.push(made)
        return made.world
      }, name)
    })
  }
}

// The parts that stand for AWS on a laptop: environments of a function, events on their way, and how long things take.

import { expect, test } from 'vitest'
import { EventDelivery } from '../../local/host/deliver-events.ts'
import { awsLatency } from '../../local/host/latency.ts'
import { AllBusy, Pool, type PoolOptions, REAL_TIME } from '../../local/host/pool.ts'

class Gate {
  #open: () => void = () => {}
  readonly opened = new Promise<void>((resolve) => {
    this.#open = resolve
  })
  open(): void {
    this.#open()
  }
}

function pooled(most: number, more: Partial<PoolOptions<Gate, number>> = {}) {
  let made = 0
  const killed: number[] = []
  const pool = new Pool<Gate, number>({
    time: REAL_TIME,
    most,
    timeoutMs: 10_000,
    make: () => {
      made += 1
      const own = made
      return {
        isAlive: true,
        kill: () => void killed.push(own),
        handle: async (gate) => {
          await gate.opened
          return own
        },
      }
    },
    ...more,
  })
  return { pool, killed, made: () => made }
}

test('an event waits for a free environment, in its turn, and is given up after its time', async () => {
  const { pool, made } = pooled(1)
  const [first, second] = [new Gate(), new Gate()]
  const one = pool.invoke(first)
  const two = pool.invoke(second, 5000)
  await expect(pool.invoke(new Gate())).rejects.toThrow(AllBusy)
  await expect(pool.invoke(new Gate(), 30)).rejects.toThrow(AllBusy)
  first.open()
  second.open()
  expect(await Promise.all([one, two])).toEqual([1, 1])
  expect(made()).toBe(1)
})

test('as many environments as are cheap are made at once, and one more only for an event that has waited', async () => {
  const { pool, made } = pooled(2, { grows: { atOnceUpTo: 1, thenAfterMs: 40 } })
  const [long, short] = [new Gate(), new Gate()]
  const first = pool.invoke(long)
  short.open()
  const waited = pool.invoke(short, 5000)
  expect(made()).toBe(1)
  expect(await waited).toBe(2)
  long.open()
  expect(await first).toBe(1)
  expect([1, 2]).toContain(await pool.invoke(short, 5000))
  expect(made()).toBe(2)
})

test('new code serves the next event, and the old one ends with the event that it has', async () => {
  const { pool, killed } = pooled(2)
  const gate = new Gate()
  const old = pool.invoke(gate)
  pool.renew()
  const open = new Gate()
  open.open()
  expect(await pool.invoke(open)).toBe(2)
  gate.open()
  expect(await old).toBe(1)
  expect(killed).toEqual([1])
})

test('an environment that had nothing to do for long is ended, one that was warmed serves the first event', async () => {
  const { pool, killed, made } = pooled(2)
  pool.warm()
  pool.warm()
  expect(made()).toBe(1)
  const open = new Gate()
  open.open()
  expect(await pool.invoke(open)).toBe(1)
  pool.retire(Date.now() + 1000)
  expect(killed).toEqual([1])
})

test('a function that throws is called again, one that takes too long is not', async () => {
  const failing = pooled(1, { timeoutMs: 50 })
  const gate = new Gate()
  await expect(failing.pool.invoke(gate)).rejects.toThrow('took too long')
  expect(failing.killed).toEqual([1])
  let calls = 0
  const throwing = new Pool<void, number>({
    time: REAL_TIME,
    most: 1,
    timeoutMs: 1000,
    make: () => ({
      isAlive: true,
      kill: () => {},
      handle: async () => {
        calls += 1
        if (calls === 1) throw new Error('once')
        return calls
      },
    }),
  })
  await expect(throwing.invoke()).rejects.toThrow('once')
  expect(await throwing.invoke()).toBe(2)
})

test('an event reaches the functions of the rules that it fits, as often as the bus delivers it', async () => {
  const got: [string, object][] = []
  const target = (functionId: string) => ({ functionId, deadLetters: null })
  const rule = (id: string, detailTypes: string[]) => ({
    id,
    takes: { bus: 'bus', sources: ['tickring'], detailTypes },
    targets: [target(id)],
  })
  const delivery = new EventDelivery({
    rules: [
      rule('ticker', ['tick']),
      rule('other', ['run.failed']),
      { id: 'm', takes: 'each minute', targets: [target('m')] },
    ],
    time: REAL_TIME,
    deliveries: () => [0, 10],
    invoke: async ({ functionId }, event) => void got.push([functionId, event]),
  })
  const entry = { EventBusName: 'bus', Source: 'tickring', DetailType: 'tick', Detail: '{"shard":3}' }
  delivery.take(entry)
  delivery.take({ ...entry, EventBusName: 'another' })
  delivery.take({ ...entry, Source: 'aws.ec2' })
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(got).toHaveLength(2)
  expect(got[0]).toEqual(['ticker', expect.objectContaining({ 'detail-type': 'tick', detail: { shard: 3 } })])
  delivery.stop()
  delivery.take(entry)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(got).toHaveLength(2)
})

test('latencies have the middle and the slowest hundredth that were published, and a seed gives them again', () => {
  const drawn = (seed: number, of: 'busMs' | 'queueMs') => {
    const latency = awsLatency(seed)
    return Array.from({ length: 20_000 }, () => latency[of]()).sort((a, b) => a - b)
  }
  const share = (sorted: readonly number[], part: number) => sorted[Math.floor(sorted.length * part)]
  for (const [of, p50, p99] of [
    ['busMs', 148, 387],
    ['queueMs', 16, 105],
  ] as const) {
    const sorted = drawn(7, of)
    expect(share(sorted, 0.5) / p50).toBeCloseTo(1, 1)
    expect(share(sorted, 0.99) / p99).toBeGreaterThan(0.85)
    expect(share(sorted, 0.99) / p99).toBeLessThan(1.15)
  }
  expect(drawn(7, 'busMs')).toEqual(drawn(7, 'busMs'))
  expect(drawn(7, 'busMs')).not.toEqual(drawn(8, 'busMs'))
})

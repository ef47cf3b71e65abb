import { expect, test } from 'vitest'
import type { ShardItem } from '../../shared/core/shard.ts'
import type { FenceWrite } from '../../shared/ports.ts'
import { inEachBackend } from '../support/backends/backends.ts'

const T = 1_790_000_000

const fenceOf = (item: ShardItem, part: Partial<FenceWrite> = {}): FenceWrite => ({
  epoch: item.epoch,
  previousFence: item.fence,
  fence: item.fence + 1,
  link: `link-${item.fence + 1}`,
  leaseUntil: item.fence + 7,
  sentThrough: item.fence,
  depths: new Map([...item.depths, [item.fence + 1, 0]]),
  backlog: [],
  ...part,
})

const present = (item: ShardItem | null): ShardItem => {
  if (item === null) throw new Error('the write was refused')
  return item
}

inEachBackend('shards', (make) => {
  test('are made once, and a second start changes nothing', async () => {
    const { shards } = await make()
    expect(await shards.meta()).toBeNull()
    expect(await shards.read(0)).toBeNull()
    await shards.make(2, T)
    expect(await shards.meta()).toEqual({ shardCount: 2, initialised: true })
    const first = present(await shards.read(1))
    expect(first).toMatchObject({
      epoch: 0,
      sentThrough: T,
      fence: T,
      auditedThrough: T,
      sleepUntil: null,
      backlog: [],
    })
    await shards.takeOver(1, first, 'a', T + 6)
    await shards.make(2, T + 500)
    expect(await shards.read(1)).toMatchObject({ epoch: 1, fence: T })
  })

  test('keep their number: making them with another does not change it', async () => {
    const { shards } = await make()
    await shards.make(2, T)
    await shards.make(4, T)
    expect(await shards.meta()).toEqual({ shardCount: 2, initialised: true })
  })

  test('are taken over with a new epoch, by one who saw them last', async () => {
    const { shards } = await make()
    await shards.make(1, T)
    const seen = present(await shards.read(0))
    const mine = present(await shards.takeOver(0, seen, 'a', T + 6))
    expect(mine).toMatchObject({ epoch: 1, link: 'a', leaseUntil: T + 6, fence: T })
    expect(await shards.takeOver(0, seen, 'b', T + 6)).toBeNull()
    expect(await shards.read(0)).toEqual(mine)
  })

  test('are not taken over once the chain has moved', async () => {
    const { shards } = await make()
    await shards.make(1, T)
    const mine = present(await shards.takeOver(0, present(await shards.read(0)), 'a', T + 6))
    const seen = present(await shards.read(0))
    await shards.fence(0, fenceOf(mine))
    expect(await shards.takeOver(0, seen, 'b', T + 9)).toBeNull()
  })

  test('move their fence second by second, and hold what a fence brought', async () => {
    const { shards } = await make()
    await shards.make(1, T)
    const mine = present(await shards.takeOver(0, present(await shards.read(0)), 'a', T + 6))
    const backlog = [{ from: T - 100, to: T, openedAt: T + 1, afterJob: 'AAAAAAAAAAA' }]
    const depths = new Map([
      [T - 3, 8],
      [T + 1, 0],
    ])
    const moved = present(await shards.fence(0, fenceOf(mine, { backlog, depths })))
    expect(moved).toMatchObject({ fence: T + 1, sentThrough: T, link: `link-${T + 1}`, backlog, auditedThrough: T })
    expect([...moved.depths]).toEqual([...depths])
    expect(await shards.read(0)).toEqual(moved)
  })

  test('refuse a fence of an older epoch, of another second, and one that takes the sentThrough back', async () => {
    const { shards } = await make()
    await shards.make(1, T)
    const old = present(await shards.takeOver(0, present(await shards.read(0)), 'a', T + 6))
    const mine = present(await shards.takeOver(0, old, 'b', T + 6))
    expect(await shards.fence(0, fenceOf(old))).toBeNull()
    const moved = present(await shards.fence(0, fenceOf(mine)))
    expect(await shards.fence(0, fenceOf(mine, { link: 'again' }))).toBeNull()
    expect(await shards.fence(0, fenceOf(moved, { sentThrough: T - 1 }))).toBeNull()
    expect(await shards.read(0)).toEqual(moved)
  })

  test('sleep under the condition of a fence, and wake by a take-over', async () => {
    const { shards } = await make()
    await shards.make(1, T)
    const mine = present(await shards.takeOver(0, present(await shards.read(0)), 'a', T + 6))
    const sleep = { epoch: 1, previousFence: T, link: 's', sentThrough: T, sleepUntil: T + 500 }
    expect(await shards.sleep(0, { ...sleep, epoch: 0 })).toBeNull()
    const asleep = present(await shards.sleep(0, sleep))
    expect(asleep).toMatchObject({ sleepUntil: T + 500, leaseUntil: 0, fence: T })
    expect(await shards.takeOver(0, mine, 'b', T + 9)).toBeNull()
    expect(await shards.takeOver(0, asleep, 'b', T + 9)).toMatchObject({
      sleepUntil: null,
      epoch: 2,
      leaseUntil: T + 9,
    })
  })

  test('move what is audited only from where it stands', async () => {
    const { shards } = await make()
    await shards.make(1, T)
    expect(await shards.moveAudited(0, T, T + 60)).toBe(true)
    expect(await shards.moveAudited(0, T, T + 30)).toBe(false)
    expect(await shards.read(0)).toMatchObject({ auditedThrough: T + 60 })
  })

  test('keep their minutes by the hour, as they were written first', async () => {
    const { shards } = await make()
    const minute = Math.floor(T / 60)
    const item = {
      shard: 0,
      minute,
      depths: new Map([
        [minute * 60, 8],
        [minute * 60 + 59, 0],
      ]),
      fires: 10_000,
      lateness: { maxMs: 12, sumMs: 90 },
    }
    await shards.putMinute(item)
    await shards.putMinute({ ...item, depths: new Map(), fires: 0 })
    await shards.putMinute({ ...item, minute: minute + 60 })
    expect(await shards.minutes(0, Math.floor(minute / 60))).toEqual([item])
    expect(await shards.minutes(1, Math.floor(minute / 60))).toEqual([])
  })
})

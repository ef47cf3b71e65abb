// A contest for the lease of one shard: all of its contenders want to count one further, again and again.

import { expect, test } from 'vitest'
import type { ShardItem } from '../../shared/core/shard.ts'
import { inEachBackend, type World } from '../support/backends/backends.ts'
import { createRandom } from '../support/random-cron/random.ts'

const T = 1_790_000_000

export interface Contenders {
  readonly contenders: number
  readonly rounds: number
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const read = async (world: World): Promise<ShardItem> => {
  const item = await world.shards.read(0)
  if (item === null) throw new Error('there is no shard')
  return item
}

interface Acquiring {
  readonly leaseMs: number
  /** Those who lose look again within this time: the more they are the longer, or they would keep the machine from the one who has it. */
  readonly restMs: number
  newLink(): string
}

/** Waits until the lease is over and takes it. */
async function acquire(world: World, { leaseMs, restMs, newLink }: Acquiring): Promise<ShardItem> {
  for (;;) {
    const seen = await read(world)
    const left = seen.leaseUntil - Date.now()
    const taken = left > 0 ? null : await world.shards.takeOver(0, seen, newLink(), Date.now() + leaseMs)
    if (taken !== null) return taken
    await pause(Math.max(0, left) + Math.random() * restMs)
  }
}

interface Contest {
  /** The counts that a contender knows to have made. */
  readonly won: readonly number[]
  readonly counter: number
}

const REST_MS_EACH = 10

/**
 * Everyone wants to count one further, so many times. Some are held up beyond the end of their lease, as a machine under load is.
 * With the fence a count is made by the fence itself; without it each trusts its lease.
 */
async function contend(
  world: World,
  { contenders, rounds }: Contenders,
  isFenced: boolean,
  leaseMs: number,
): Promise<Contest> {
  await world.shards.make(1, T)
  let unfenced = 0
  const won: number[] = []
  const contender = async (me: number) => {
    const own = world.again()
    const random = createRandom(me)
    let links = 0
    const newLink = () => `${me}.${links++}`
    for (let counted = 0; counted < rounds; ) {
      const mine = await acquire(own, { leaseMs, restMs: REST_MS_EACH * contenders, newLink })
      const seen = unfenced
      if (random.chance(0.1)) await pause(2 * leaseMs)
      const { epoch, fence, depths, backlog } = mine
      const write = {
        epoch,
        previousFence: fence,
        fence: fence + 1,
        link: newLink(),
        leaseUntil: 0,
        sentThrough: fence,
        depths,
        backlog,
      }
      const isCounted = isFenced ? (await own.shards.fence(0, write)) !== null : true
      if (!isCounted) continue
      unfenced = seen + 1
      won.push(fence + 1)
      counted += 1
    }
  }
  await Promise.all(Array.from({ length: contenders }, (_, me) => contender(me)))
  return { won, counter: isFenced ? (await read(world)).fence - T : unfenced }
}

export function holdContests({ contenders, rounds }: Contenders): void {
  const counts = contenders * rounds

  inEachBackend('a lease', (make, name) => {
    // Conditions that fail use up the SDK's budget of retries, so in a contest fewer answers can be lost.
    const makeWorld = () => make(1, { losesEvery: 10 })

    test(`lets ${contenders} contenders in ${rounds} rounds count to exactly ${counts}`, async () => {
      const { won, counter } = await contend(await makeWorld(), { contenders, rounds }, true, 60)
      expect(new Set(won).size).toBe(counts)
      // Whose answer was lost and who was followed by another before asking again cannot know, and counts once more.
      if (name === 'dynoxide losing answers') expect(counter).toBeGreaterThanOrEqual(counts)
      else expect(counter).toBe(counts)
    }, 120_000)

    test('does not by itself: without the fence counts are lost', async () => {
      expect((await contend(await makeWorld(), { contenders, rounds }, false, 5)).counter).toBeLessThan(counts)
    }, 120_000)
  })
}

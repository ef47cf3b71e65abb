// A chain on real engines that is killed again and again: how soon it is back, and whether anything is missed.

import { expect, type TestContext } from 'vitest'
import { hashOfId, jobIdOf, shardOf } from '../../shared/core/job/id.ts'
import { asking, body, range } from '../support/job-body.ts'
import { beginStack, pause, type RealStack } from '../support/real-stack.ts'
import { saveBody } from '../support/save.ts'

const SHARDS = 4

/** Every second of a job from its first on was started once, and none before its time. */
export function expectAll({ seconds, notes }: RealStack, name: string, from: number, to: number): void {
  expect(seconds(name).filter((second) => second >= from && second <= to)).toEqual(range(from, to))
  expect(notes.started.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
}

/** Each time the chains of all four shards are killed at once. */
export async function expectTakenOverWithinEightSeconds(context: TestContext, times: number): Promise<void> {
  const rig = await beginStack(context, { shardCount: SHARDS, mostEnvironments: 10 })
  const { world } = rig
  // Enough for every shard to have some: one without would sleep.
  const names = range(1, 24).map((n) => `job-${n}`)
  expect(new Set(names.map((name) => shardOf(hashOfId(jobIdOf('default', name)), SHARDS))).size).toBe(SHARDS)
  const jobs = await Promise.all(names.map(async (name) => (await saveBody(world, body(name), asking)).job))
  await pause(5000)
  const items = () => Promise.all(range(0, SHARDS - 1).map((shard) => world.shards.read(shard)))
  const takenOverMs: number[] = []
  const backMs: number[] = []
  for (let kill = 0; kill < times; kill++) {
    await pause(3000 + kill * 230)
    rig.stack.functions.named('tick').kill()
    const killedMs = Date.now()
    const before = await items()
    const [takenOver, back] = [new Set<number>(), new Set<number>()]
    while (back.size < SHARDS) {
      for (const [shard, item] of (await items()).entries()) {
        if ((item?.epoch ?? 0) > (before[shard]?.epoch ?? 0) && !takenOver.has(shard)) {
          takenOver.add(shard)
          takenOverMs.push(Date.now() - killedMs)
        }
        if ((item?.fence ?? 0) <= (before[shard]?.fence ?? 0) || back.has(shard)) continue
        back.add(shard)
        backMs.push(Date.now() - killedMs)
      }
      await pause(20)
    }
  }
  await pause(30_000)
  const worst = (ms: readonly number[]) => (Math.max(...ms) / 1000).toFixed(1)
  console.log(
    `a killed chain was taken over after ${worst(takenOverMs)} s at worst and ticked after ${worst(backMs)} s, with new processes for all ${SHARDS} shards at once, over ${backMs.length} kills`,
  )
  expect(backMs).toHaveLength(times * SHARDS)
  // How long new processes take to start is the machine's matter; that nothing was missed shows that it was soon enough.
  expect(Math.max(...takenOverMs)).toBeLessThanOrEqual(8000)
  const last = Math.floor(Date.now() / 1000) - 16
  for (const [n, name] of names.entries()) expectAll(rig, name, jobs[n].versions[0].activeFrom, last)
}

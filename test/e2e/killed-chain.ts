// A chain on real engines that is killed again and again: how soon it is back, and whether anything is missed.

import { expect, type TestContext } from 'vitest'
import { hashOfId, jobIdOf, shardOf } from '../../shared/core/job/id.ts'
import { asking, body, range } from '../support/job-body.ts'
import { beginStack, pause, type RealStack } from '../support/real-stack.ts'
import { saveBody } from '../support/save.ts'

const SHARDS = 4

/** Every second of a job from its first on was started once, and none before its time. */
export function expectAll({ seconds, started }: RealStack, name: string, from: number, to: number): void {
  expect(seconds(name).filter((second) => second >= from && second <= to)).toEqual(range(from, to))
  expect(started.filter(({ atMs, second }) => atMs < second * 1000)).toEqual([])
}

/** Each time the chains of all four shards are killed at once. */
export async function expectBackWithinEightSeconds(context: TestContext, times: number): Promise<void> {
  const rig = await beginStack(context, { shardCount: SHARDS })
  const { world } = rig.stack
  // Enough for every shard to have some: one without would sleep.
  const names = range(1, 24).map((n) => `job-${n}`)
  expect(new Set(names.map((name) => shardOf(hashOfId(jobIdOf('default', name)), SHARDS))).size).toBe(SHARDS)
  const jobs = await Promise.all(names.map(async (name) => (await saveBody(world, body(name), asking)).job))
  await pause(5000)
  const fences = () =>
    Promise.all(range(0, SHARDS - 1).map(async (shard) => (await world.shards.read(shard))?.fence ?? 0))
  const gapsMs: number[] = []
  for (let kill = 0; kill < times; kill++) {
    await pause(3000 + kill * 230)
    rig.stack.rig.ticks.kill()
    const killedMs = Date.now()
    const before = await fences()
    const back = new Set<number>()
    while (back.size < SHARDS) {
      for (const [shard, fence] of (await fences()).entries()) {
        if (fence <= before[shard] || back.has(shard)) continue
        back.add(shard)
        gapsMs.push(Date.now() - killedMs)
      }
      await pause(20)
    }
  }
  await pause(30_000)
  console.log(
    `on the real engines a killed chain was back after ${(Math.max(...gapsMs) / 1000).toFixed(1)} s at worst, over ${gapsMs.length} kills`,
  )
  expect(gapsMs).toHaveLength(times * SHARDS)
  expect(Math.max(...gapsMs)).toBeLessThanOrEqual(8000)
  const last = Math.floor(Date.now() / 1000) - 16
  for (const [n, name] of names.entries()) expectAll(rig, name, jobs[n].versions[0].activeFrom, last)
}

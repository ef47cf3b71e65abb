import { expect, test } from 'vitest'
import { release, take, wait } from '../../shared/core/gate/release.ts'
import { FREE, type GateRun, type Lock, MOST_WAITING, NEW_STATE } from '../../shared/core/gate/state.ts'
import { hashOfId, jobIdOf, pageBitsOf } from '../../shared/core/job/id.ts'
import type { Block } from '../../shared/core/job/job.ts'
import { pageOf } from '../../shared/core/pages/depth.ts'
import { formatRunId } from '../../shared/core/run/run.ts'
import type { LockChange } from '../../shared/ports.ts'
import { inEachBackend } from '../support/backends/backends.ts'

const T = 1_790_000_000
const SERIAL: Block = { strategy: 'SERIAL' }
const at = { now: T, startBy: T + 60, openMs: T * 1000, block: SERIAL, state: NEW_STATE }
const jobId = jobIdOf('default', 'locked')

const run = (of: string, second: number): GateRun => ({
  runId: formatRunId({ jobId: of, second, suffix: '' }),
  trigger: 'SCHEDULE',
  instant: second,
  nominal: second,
  attempt: 1,
  depth: 0,
  openMs: null,
})

/** Takes the lock, or stands in line. */
const asking = (of: string, second: number, believed: Lock = FREE): LockChange<boolean> => ({
  jobId: of,
  believed,
  decide: (lock) =>
    lock.holders.length > 0
      ? { lock: wait(lock, run(of, second), T), result: false }
      : { lock: take(lock, run(of, second), T + 70, T, SERIAL), result: true },
})

const releasing = (of: string, second: number, believed: Lock = FREE): LockChange<string[]> => ({
  jobId: of,
  believed,
  decide: (lock) => {
    const released = release(lock, run(of, second).runId, at)
    return { lock: released.lock, result: released.send.map(({ runId }) => runId) }
  },
})

/** Jobs whose locks lie together. */
const neighbours = (count: number): string[] =>
  Array.from({ length: 100 * count }, (_, n) => jobIdOf('default', `near-${n}`))
    .filter((id) => pageOf(pageBitsOf(hashOfId(id)), 5) === 3)
    .slice(0, count)

inEachBackend('the lock of a job', (make) => {
  test('is free at first, is held by the run that took it, and is free again', async () => {
    const { locks } = await make()
    expect(await locks.read(jobId)).toEqual(FREE)
    expect(await locks.change([asking(jobId, T)])).toEqual([true])
    const held = await locks.read(jobId)
    expect(held.holders.map(({ runId }) => runId)).toEqual([run(jobId, T).runId])
    expect(await locks.change([releasing(jobId, T, held)])).toEqual([[]])
    expect(await locks.read(jobId)).toEqual(FREE)
  })

  test('goes to one of many who ask at once, and the others stand in line', async () => {
    const world = await make(1, { losesEvery: 3 })
    const got = await Promise.all(
      Array.from({ length: 10 }, (_, n) => world.again().locks.change([asking(jobId, T + n)])),
    )
    expect(got.flat().filter((each) => each)).toHaveLength(1)
    const { holders, waiting } = await world.locks.read(jobId)
    expect(holders).toHaveLength(1)
    expect([...holders, ...waiting].map(({ instant }) => instant).sort()).toEqual(
      Array.from({ length: 10 }, (_, n) => T + n),
    )
  })

  test('is taken with its neighbours, and what others hold of them is found', async () => {
    const world = await make()
    const jobs = neighbours(20)
    expect(await world.locks.change(jobs.slice(5, 8).map((id) => asking(id, T)))).toEqual([true, true, true])
    const got = await world.locks.change(jobs.map((id) => asking(id, T + 1)))
    expect(got.map((each, place) => (each ? -1 : place)).filter((place) => place >= 0)).toEqual([5, 6, 7])
  })

  test('believed to be what it is not is decided about anew', async () => {
    const { locks } = await make()
    await locks.change([asking(jobId, T)])
    expect(await locks.change([asking(jobId, T + 1, FREE)])).toEqual([false])
    const held = { ...FREE, holders: [{ ...run(jobId, T), deadline: T + 70, sentAt: null }] }
    expect(await locks.change([releasing(jobId, T, held)])).toEqual([[run(jobId, T + 1).runId]])
    const seen: Lock[] = []
    const looking: LockChange<null> = {
      jobId,
      believed: FREE,
      decide: (lock) => {
        seen.push(lock)
        return { lock: null, result: null }
      },
    }
    await locks.change([looking])
    expect(seen.at(-1)?.holders[0]).toMatchObject({ runId: run(jobId, T + 1).runId, sentAt: T })
  })

  test('with a thousand in line leaves its neighbours alone, and comes back when they are gone', async () => {
    const world = await make()
    const [crowded, ...others] = neighbours(4)
    const line = Array.from({ length: MOST_WAITING }, (_, n) => run(crowded, T + n + 1))
    await world.locks.change([asking(crowded, T)])
    const crowding: LockChange<null> = {
      jobId: crowded,
      believed: FREE,
      decide: (lock) => ({ lock: line.reduce((each, one) => wait(each, one, T), lock), result: null }),
    }
    await world.locks.change([crowding])
    expect((await world.locks.read(crowded)).waiting).toHaveLength(MOST_WAITING)
    expect(await world.locks.change(others.map((id) => asking(id, T)))).toEqual([true, true, true])
    const both = await world.locks.change([asking(others[0], T + 5), asking(crowded, T + 5000)])
    expect(both).toEqual([false, false])
    expect(await world.locks.change([releasing(crowded, T)])).toEqual([[line[0].runId]])
    const emptying: LockChange<null> = {
      jobId: crowded,
      believed: FREE,
      decide: () => ({ lock: FREE, result: null }),
    }
    await world.locks.change([emptying])
    expect(await world.locks.read(crowded)).toEqual(FREE)
    expect(await world.locks.change([asking(crowded, T + 9)])).toEqual([true])
  })

  test('moves apart and back under many writers, and no run is lost', async () => {
    const world = await make(1, { losesEvery: 4 })
    const comings = Array.from({ length: 60 }, (_, n) => n)
    await Promise.all(
      [0, 1, 2].map(async (hand) => {
        const { locks } = world.again()
        for (const n of comings.filter((each) => each % 3 === hand)) await locks.change([asking(jobId, T + n)])
      }),
    )
    const { holders, waiting } = await world.locks.read(jobId)
    expect([...holders, ...waiting].map(({ instant }) => (instant ?? 0) - T).sort((a, b) => a - b)).toEqual(comings)
    for (let left = 60; left > 0; left--) {
      const [holder] = (await world.locks.read(jobId)).holders
      await world.locks.change([releasing(jobId, holder.instant ?? 0)])
    }
    expect(await world.locks.read(jobId)).toEqual(FREE)
  })
})

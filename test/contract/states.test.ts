import { expect, test } from 'vitest'
import { type JobState, NEW_STATE } from '../../shared/core/gate/state.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import type { OpenRun } from '../../shared/core/run/record.ts'
import { inEachBackend } from '../support/backends/backends.ts'
import { range } from '../support/job-body.ts'

const T = 1_790_000_000
const jobId = jobIdOf('default', 'stateful')
const set = (state: JobState) => () => ({ state, result: null })

inEachBackend('the state of a job', (make) => {
  test('is empty at first and holds all that is put into it', async () => {
    const { states } = await make()
    expect(await states.read(jobId)).toEqual(NEW_STATE)
    const full: JobState = {
      lastSuccess: T - 5,
      catchUp: [{ from: T - 900, to: T - 600, next: T - 700, left: 4 }],
      caughtUpThrough: T - 600,
      lane: { minute: 5, longRuns: 3, slowThroughMinute: 7 },
    }
    await states.change(jobId, set(full))
    expect(await states.read(jobId)).toEqual(full)
    await states.change(jobId, set(NEW_STATE))
    expect(await states.read(jobId)).toEqual(NEW_STATE)
  })

  test('is changed by many at once, and no change is lost', async () => {
    const world = await make(1, { losesEvery: 3 })
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => {
        const cursor = { from: n, to: n + 5, next: n, left: 1 }
        const isThere = (state: JobState) => state.catchUp.some(({ from }) => from === n)
        return world.again().states.change(jobId, (state) => ({
          state: isThere(state) ? null : { ...state, catchUp: [...state.catchUp, cursor] },
          result: null,
        }))
      }),
    )
    const { catchUp } = await world.states.read(jobId)
    expect(catchUp.map(({ from }) => from).sort()).toEqual(range(0, 9))
  })

  test('is not written where there is nothing to decide', async () => {
    const { states } = await make()
    expect(await states.change(jobId, ({ lastSuccess }) => ({ state: null, result: lastSuccess }))).toBeNull()
    expect(await states.read(jobId)).toEqual(NEW_STATE)
  })
})

inEachBackend('open runs', (make) => {
  const open = (n: number): OpenRun => ({
    shard: 0,
    dueMs: T * 1000 + n,
    runId: `${jobId}.${T + n}`,
    times: 0,
    lane: 'slow',
    attempt: 1,
    message: `{"n":${n}}`,
    listedMs: T * 1000 + n,
  })

  test('are found when they are due, oldest first, and not when they are removed', async () => {
    const world = await make()
    for (const n of [3, 1, 2, 9]) await world.open.put(open(n))
    expect(await world.open.due(0, T * 1000 + 3, 10)).toEqual([open(1), open(2), open(3)])
    expect(await world.open.due(0, T * 1000 + 3, 2)).toEqual([open(1), open(2)])
    expect(await world.open.due(1, T * 1000 + 3, 10)).toEqual([])
    await world.open.remove(open(1))
    await world.open.remove(open(1))
    expect(await world.open.due(0, T * 1000 + 3, 10)).toEqual([open(2), open(3)])
  })

  test('are listed without their messages, whatever their time', async () => {
    const world = await make()
    for (const n of [1, 2, 90_000]) await world.open.put(open(n))
    const listed = await world.open.list(0, 10)
    expect(listed.map(({ runId }) => runId).sort()).toEqual([1, 2, 90_000].map((n) => open(n).runId))
    expect(await world.open.list(0, 2)).toHaveLength(2)
    expect(await world.open.list(1, 10)).toEqual([])
  })

  test('of two attempts of a run lie side by side at the same time', async () => {
    const world = await make()
    const again = { ...open(1), attempt: 2 }
    await world.open.put(again)
    const moved = await world.open.move({ ...open(2), runId: again.runId }, again)
    expect(moved).toBeNull()
    await world.open.put(open(1))
    expect(await world.open.due(0, T * 1000 + 3, 10)).toEqual([open(1), again])
    await world.open.remove(open(1))
    expect(await world.open.due(0, T * 1000 + 3, 10)).toEqual([again])
  })

  test('move on to another time, once', async () => {
    const world = await make()
    await world.open.put(open(1))
    const moved = await world.open.move(open(1), { dueMs: T * 1000 + 20_000, times: 1 })
    expect(moved).toEqual({ ...open(1), dueMs: T * 1000 + 20_000, times: 1 })
    expect(await world.open.move(open(1), { dueMs: T * 1000 + 30_000, times: 1 })).toBeNull()
    expect(await world.open.due(0, T * 1000 + 30_000, 10)).toEqual([moved])
  })

  test('are moved by one of many', async () => {
    const world = await make(1, { losesEvery: 3 })
    await world.open.put(open(1))
    const moved = await Promise.all(
      Array.from({ length: 5 }, (_, n) => world.again().open.move(open(1), { dueMs: T * 1000 + 20_000 + n, times: 1 })),
    )
    expect(moved.filter((each) => each !== null)).toHaveLength(1)
    expect(await world.open.due(0, T * 1000 + 30_000, 10)).toEqual(moved.filter((each) => each !== null))
  })
})

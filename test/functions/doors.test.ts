import { describe, expect, test } from 'vitest'
import { makeMinute } from '../../functions/minute.ts'
import { log, putMetrics } from '../../functions/output.ts'
import { makeSwitch } from '../../functions/switch.ts'
import { makeTick } from '../../functions/tick.ts'
import { worldFrom } from '../../functions/world.ts'
import { ENV } from '../../shared/aws/env.ts'
import { METRICS } from '../../shared/aws/metric-names.ts'
import { schedulersOfThisFile } from '../support/test-schedulers.ts'

const begin = schedulersOfThisFile()
const NOW_MS = Date.UTC(2026, 10, 16)

function output() {
  const lines: Record<string, unknown>[] = []
  return { lines, out: { line: (text: string) => lines.push(JSON.parse(text)), nowMs: () => NOW_MS } }
}

describe('what functions write', () => {
  test('is a line of JSON with level, message and time', () => {
    const { lines, out } = output()
    log(out, 'warn', 'something', { shard: 3 })
    expect(lines).toEqual([{ level: 'warn', message: 'something', at: '2026-11-16T00:00:00.000Z', shard: 3 }])
  })

  test('are metrics that CloudWatch finds: each is named with its unit and has its value beside', () => {
    const { lines, out } = output()
    putMetrics({ ...out, stack: 'prod' }, { fires: 24, lateness: 7, missed: 0, startLateness: [] }, 2)
    const [line] = lines
    const { Timestamp, CloudWatchMetrics } = line._aws as {
      Timestamp: number
      CloudWatchMetrics: Record<string, unknown>[]
    }
    expect(Timestamp).toBe(NOW_MS)
    expect(CloudWatchMetrics).toEqual([
      {
        Namespace: 'Tickring',
        Dimensions: [['stack']],
        Metrics: [
          { Name: 'fires', Unit: METRICS.fires },
          { Name: 'lateness', Unit: METRICS.lateness },
        ],
      },
    ])
    expect(line).toMatchObject({ stack: 'prod', fires: 24, lateness: 7 })
  })

  test('are no metrics of zeros, because each that is said is paid for, but for the heartbeat', () => {
    const { lines, out } = output()
    putMetrics(out, { fires: 0, missed: 0, startLateness: [] }, 2)
    expect(lines).toHaveLength(0)
    putMetrics(out, { lag: 0 })
    expect(lines).toHaveLength(1)
  })

  test('are told apart by shard only where the deployment asks for it, and counted for the whole stack even then', () => {
    const { lines, out } = output()
    putMetrics({ ...out, isByShard: true }, { fires: 1 }, 3)
    expect(lines[0]).toMatchObject({ shard: '3', fires: 1 })
    expect(lines[0]._aws).toMatchObject({ CloudWatchMetrics: [{ Dimensions: [['stack'], ['stack', 'shard']] }] })
  })

  test('are at most as many values of a metric as CloudWatch takes in a line', () => {
    const { lines, out } = output()
    putMetrics(out, { startLateness: Array.from({ length: 480 }, () => 5) })
    expect(lines[0].startLateness).toHaveLength(100)
  })
})

describe('the door of the chain', () => {
  test('refuses an event that is none, and one for another number of shards', async () => {
    const { out } = output()
    const scheduler = begin({ shardCount: 2 })
    await scheduler.run(1)
    const tick = makeTick(scheduler.world, out)
    await expect(tick({ detail: { shard: 'x' } })).rejects.toThrow()
    const other = makeTick({ ...scheduler.world, shardCount: 4 }, out)
    const detail = { shard: 0, epoch: 1, second: 5, sentThrough: 4, catchesUp: false, auditedAt: 0, backlog: [] }
    await expect(other({ detail })).rejects.toThrow('made for 2 shards')
  })

  test('answers a stale event quietly', async () => {
    const { lines, out } = output()
    const scheduler = begin()
    await scheduler.run(1)
    const detail = { shard: 0, epoch: 0, second: 5, sentThrough: 4, catchesUp: false, auditedAt: 0, backlog: [] }
    expect(await makeTick(scheduler.world, out)({ detail })).toEqual({ end: 'stale' })
    expect(lines.some((line) => line.refusedTicks === 1)).toBe(true)
  })
})

describe('the doors of those who watch', () => {
  test('gives back what it could not handle, and only that', async () => {
    const { out, lines } = output()
    const scheduler = begin()
    await scheduler.run(1)
    const wake = JSON.stringify({ type: 'wake', shard: 0 })
    const Records = ['{', wake, '{"type":"other","shard":0}'].map((body, n) => ({ messageId: `m${n}`, body }))
    const { batchItemFailures } = await makeSwitch(scheduler.world, out)({ Records })
    expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['m0', 'm2'])
    expect(lines.filter(({ level }) => level === 'error')).toHaveLength(2)
  })

  test('say so where the item of a shard is missing, watch the others, and give one heartbeat that calls the operator', async () => {
    const { out, lines } = output()
    const scheduler = begin({ shardCount: 2 })
    await scheduler.run(1)
    const { read } = scheduler.world.shards
    scheduler.world.shards.read = async (shard) => (shard === 0 ? null : read.call(scheduler.world.shards, shard))
    await makeMinute(scheduler.world, out)()
    expect(lines.flatMap((line) => ('lag' in line ? [line.lag] : []))).toEqual([3600])
    expect(scheduler.warnings().some((line) => line.includes('the shard item is missing'))).toBe(true)
  })
})

test.each([
  [{}, `${ENV.shardCount} is not set`],
  [{ [ENV.shardCount]: 'many' }, 'Use a whole number above 0'],
])('an environment that is not set up says what is missing: %j', (env, message) => {
  expect(() => worldFrom(env, output().out)).toThrow(message)
})

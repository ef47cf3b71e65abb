import { expect, test } from 'vitest'
import { billOf, totalOf } from '../../bench/cost/bill.ts'
import { FUNCTIONS, LEDGER_DAYS } from '../../bench/cost/deployment.ts'
import { figuresOf } from '../../bench/cost/figures.ts'
import { metricsIn } from '../../bench/cost/metrics.ts'
import { openStage } from '../../bench/cost/play.ts'
import { plot } from '../../bench/cost/plot.ts'
import { AWAKE } from '../../bench/cost/scenes.ts'
import { millionOf, monthOf, onTopOf, type Usage } from '../../bench/cost/usage.ts'
import { cheaperThanSchedulerFrom } from '../../bench/cost/volume.ts'

const NOTHING: Usage = {
  seconds: 60,
  triggers: 0,
  functions: Object.fromEntries(
    FUNCTIONS.map((name) => [name, { calls: 0, gbSeconds: 0 }]),
  ) as unknown as Usage['functions'],
  tableRequests: 0,
  readUnits: 0,
  writeUnits: 0,
  storedBytes: 0,
  queueRequests: 0,
  emptyPolls: 0,
  busEvents: 0,
  logBytes: 0,
  metrics: [],
}

const withFast = (calls: number, gbSeconds: number): Usage['functions'] => ({
  ...NOTHING.functions,
  fast: { calls, gbSeconds },
})

test('a hand-counted month is priced service by service', () => {
  const month: Usage = {
    ...NOTHING,
    functions: { ...withFast(1e6, 1000), tick: { calls: 2e6, gbSeconds: 9000 } },
    readUnits: 8e6,
    writeUnits: 2e6,
    storedBytes: 2e9,
    queueRequests: 4e6,
    emptyPolls: 1e6,
    busEvents: 3e6,
    logBytes: 6e9,
    metrics: ['a', 'b'],
  }
  const bill = billOf(month, 5)
  expect(bill.lambda).toBeCloseTo(3 * 0.2 + 10_000 * 0.0000133334, 9)
  expect(bill.bus).toBeCloseTo(3, 9)
  expect(bill.sqs).toBeCloseTo(5 * 0.4, 9)
  expect(bill.table).toBeCloseTo(8 * 0.125 + 2 * 0.625, 9)
  expect(bill.storage).toBeCloseTo(0.9 * (LEDGER_DAYS / 30), 9)
  expect(bill.logs).toBeCloseTo(3, 9)
  expect(bill.metrics).toBeCloseTo(0.6, 9)
  expect(bill.alarms).toBeCloseTo(0.5, 9)
  expect(totalOf(bill)).toBeCloseTo(0.733334 + 3 + 2 + 2.25 + 0.9 * (LEDGER_DAYS / 30) + 3 + 0.6 + 0.5, 9)
})

test('a trigger costs what is used on top of the shard that is awake, and no metric', () => {
  const awake: Usage = { ...NOTHING, seconds: 600, writeUnits: 600, busEvents: 600 }
  const loaded: Usage = { ...NOTHING, triggers: 1440, writeUnits: 180, busEvents: 60, metrics: ['fires'] }
  const million = millionOf(onTopOf(loaded, awake))
  expect(million.writeUnits).toBeCloseTo((1e6 * 120) / 1440, 6)
  expect(million.busEvents).toBe(0)
  expect(totalOf(billOf(million))).toBeCloseTo(((1e6 * 120) / 1440) * 0.625e-6, 9)
})

test('a month has thirty days, and its metrics are charged once', () => {
  const month = monthOf({ ...NOTHING, busEvents: 60, metrics: ['fires'] })
  expect([month.busEvents, month.metrics]).toEqual([2_592_000, ['fires']])
})

test('a metric is counted once for each set of its dimensions', () => {
  const line = (dimensions: Record<string, string>, names: readonly string[]) => {
    const Metrics = names.map((Name) => ({ Name, Unit: 'Count' }))
    const CloudWatchMetrics = [{ Namespace: 'Tickring', Dimensions: [Object.keys(dimensions)], Metrics }]
    return JSON.stringify({ _aws: { Timestamp: 1, CloudWatchMetrics }, ...dimensions })
  }
  const lines = [
    line({ stack: 'a' }, ['fires', 'lateness']),
    line({ stack: 'a' }, ['fires']),
    line({ stack: 'b' }, ['fires']),
    '{"level":"info"}',
  ]
  expect(metricsIn(lines)).toEqual(['Tickring fires stack=a', 'Tickring fires stack=b', 'Tickring lateness stack=a'])
})

const SOME = figuresOf({
  awake: { ...NOTHING, busEvents: 60 },
  asleep: NOTHING,
  byPage: {
    '1': { ...NOTHING, triggers: 60, writeUnits: 120 },
    '24': { ...NOTHING, triggers: 1440, writeUnits: 120 },
    '60': { ...NOTHING, triggers: 3600, writeUnits: 120 },
  },
  serial: { ...NOTHING, triggers: 1440, writeUnits: 240 },
  fleets: { everySecond: NOTHING, fullMinutes: NOTHING, hourly: NOTHING },
})

test('the figures have the names that programs ask for', () => {
  expect(Object.keys(SOME)).toEqual([
    'perMillionTriggers',
    'perMillionTriggersSerial',
    'perShardMonthAwake',
    'perShardMonthAsleep',
    'byPage',
    'services',
    'fleets',
  ])
  expect(Object.keys(SOME.byPage)).toEqual(['1', '24', '60'])
  expect(Object.keys(SOME.fleets)).toEqual(['everySecond', 'fullMinutes', 'hourly'])
  for (const line of Object.values(SOME.services)) expect(Object.keys(line)).toEqual(['awake', 'asleep', 'perMillion'])
  expect(SOME.perMillionTriggers).toBe(SOME.byPage['24'])
})

test('the picture names each of the four it compares', () => {
  expect(plot(SOME).match(/<polyline/g)).toHaveLength(4)
})

test('a flat price and a price by volume cross where they are equal', () => {
  expect(cheaperThanSchedulerFrom((triggers) => 16 + 0.2e-6 * triggers)).toBeCloseTo(20e6, -6)
  expect(cheaperThanSchedulerFrom((triggers) => 16 + 1.2e-6 * triggers)).toBeNull()
})

test('a second of a shard with nothing to do is one event, one link, one write and hardly more than one read', async () => {
  const stage = await openStage(1, () => {})
  try {
    const { busEvents, functions, writeUnits, readUnits, metrics } = await stage.play({ ...AWAKE, from: 30, to: 60 })
    expect([busEvents, functions.tick.calls, functions.switch.calls, functions.fast.calls]).toEqual([30, 30, 6, 0])
    // A link waits for its second from 148 ms after the one before.
    expect(functions.tick.gbSeconds / 30 / 0.25).toBeCloseTo(0.852, 1)
    expect(writeUnits).toBeLessThan(1.3 * 30)
    expect(readUnits).toBeLessThan(2 * 30)
    expect(metrics.length).toBeGreaterThan(0)
  } finally {
    await stage.close()
  }
})

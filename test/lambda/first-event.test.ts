// Each function as it is deployed: its bundle, Lambda's own runtime client around it, and nothing else of ours in the process.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENV } from '../../shared/aws/env.ts'
import type { FunctionName } from '../../shared/aws/limits.ts'
import { TICK, type TickEvent, type WatchMessage } from '../../shared/core/chain.ts'
import type { Ticked } from '../../shared/flow/tick.ts'
import type { Received } from '../../shared/ports.ts'
import { eventually } from '../support/real-stack.ts'
import type { LambdaEnvironment } from './environment.ts'
import { askApi, type LambdaScheduler, startLambdaScheduler, synthesiseHere } from './lambda-scheduler.ts'
import type { SynthesisedStack } from './template.ts'

/** Loose, because the machine of a test may be busy; what is aimed at is 0.7 MB and 200 ms. */
const MOST_BYTES = 750_000
const MOST_START_MS = 5000

let stack: SynthesisedStack
let scheduler: LambdaScheduler
const started: { name: FunctionName; kB: number; startMs: number }[] = []

beforeAll(async () => {
  stack = synthesiseHere()
  scheduler = await startLambdaScheduler(stack)
}, 60_000)

afterAll(async () => {
  console.table(started)
  await scheduler.stop()
})

/** Starts a function and notes its size and how long it took. */
async function start(name: FunctionName): Promise<LambdaEnvironment> {
  const environment = await scheduler.start(name)
  const startMs = Math.round(await environment.startMs)
  const { size } = statSync(join(scheduler.functions[name].folder, 'index.mjs'))
  started.push({ name, kB: Math.round(size / 1000), startMs })
  expect(size).toBeLessThan(MOST_BYTES)
  expect(startMs).toBeLessThan(MOST_START_MS)
  return environment
}

const records = (...bodies: string[]) => ({ Records: bodies.map((body, n) => ({ messageId: `m${n}`, body })) })
const adminKey = () => scheduler.parameters.get(scheduler.functions.deploy.environment[ENV.adminKeyParameter]) ?? ''
const JOB = { schedules: [{ every: 1 }], target: { type: 'handler', handler: 'echo' }, payload: { n: 1 } }

/** The newest event of the chain: an older one is stale where a switch has taken the chain over. */
async function tickEvent(): Promise<{ detail: TickEvent }> {
  await eventually(() => scheduler.events.length > 0, 5000)
  const entry = scheduler.events.splice(0).at(-1)
  expect(entry).toMatchObject({ Source: 'tickring', DetailType: TICK })
  return { detail: JSON.parse(entry?.Detail ?? '') }
}

/** The functions in the order in which a new deployment calls them: each leaves to the next a real event. */
test('a new deployment makes shards and the admin key', async () => {
  const deploy = await start('deploy')
  expect(await deploy.invoke({})).toBeNull()
  expect(await scheduler.stores.shards.meta()).toMatchObject({ initialised: true, shardCount: 1 })
  expect(adminKey()).toMatch(/^tkr_/)
})

test('the API answers a client without a key, and takes a job from one with the admin key', async () => {
  const api = await start('api')
  const ask = (...of: [key: string | null, request: string, body?: unknown]) =>
    askApi(api, scheduler.functions.api, of[0], of[1], { body: of[2] })
  expect(await ask(null, 'GET /v1/health')).toMatchObject({ status: 200, json: { status: 'ok' } })
  expect((await ask(null, 'PUT /v1/jobs/default/first', JOB)).status).toBe(401)
  expect((await ask(adminKey(), 'PUT /v1/jobs/default/first', JOB)).status).toBe(201)
  expect((await ask(adminKey(), 'GET /docs')).status).toBe(200)
})

test('the minute rule starts a chain that does not tick', async () => {
  const minute = await start('minute')
  expect(await minute.invoke({})).toBeNull()
  expect((await scheduler.stores.shards.read(0))?.epoch).toBe(1)
  expect(minute.lines().some((line) => line.lag !== undefined)).toBe(true)
})

test('a switch looks after a chain that does not move', async () => {
  const { fence: second } = (await scheduler.stores.shards.read(0)) ?? { fence: 0 }
  const watch = await start('switch')
  const body = JSON.stringify({ type: 'switch', shard: 0, second } satisfies WatchMessage)
  expect(await watch.invoke(records(body))).toEqual({ batchItemFailures: [] })
  // Whether the lease is over by now depends on how busy this machine is.
  expect(watch.lines()[0].message).toMatch(/^switch: (put back|taken over)$/)
})

let pages: Received[]

test('a link of the chain sends what is due and puts the next event on the bus', async () => {
  const tick = await start('tick')
  let sent = 0
  for (let links = 1; sent < 2 && links < 15; links++) {
    const result = await tick.invoke<Ticked>(await tickEvent())
    expect(result.end).toBe('chained')
    sent += result.messages
  }
  pages = await scheduler.queues.fast.receive(2, 5)
  expect(pages).toHaveLength(2)
})

test.each(['fast', 'slow'] as const)('an executor of the %s lane runs a page of runs', async (lane) => {
  const executor = await start(lane)
  const { body } = pages[lane === 'fast' ? 0 : 1]
  expect(await executor.invoke(records(body))).toEqual({ batchItemFailures: [] })
  expect(executor.lines().some((line) => line.succeeded === 1)).toBe(true)
})

test('a dead letter that cannot be read stays in its queue, and an operator is told', async () => {
  const dead = await start('dead')
  expect(await dead.invoke(records('{"type":"broken"'))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm0' }] })
  expect(dead.lines().some((line) => line.deadLetters === 1)).toBe(true)
})

test('no function was given an endpoint: credentials and places come from the environment alone', () => {
  const names = new Set(scheduler.calls.map(({ by }) => by))
  expect([...names].sort()).toEqual(Object.keys(scheduler.functions).sort())
})

// What Lambda does to environments: it freezes them between two events, kills them in the middle of one, and starts others. And what a
// deployment does when it comes again.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENV } from '../../shared/aws/env.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import { eventually, pause } from '../support/real-stack.ts'
import type { LambdaEnvironment } from './environment.ts'
import { writeHandlers } from './handlers-file.ts'
import { askApi, type LambdaScheduler, startLambdaScheduler, synthesiseHere } from './lambda-scheduler.ts'
import type { SynthesisedStack } from './template.ts'

const HANDLERS = `
  echo: ({ payload }) => payload,
  sleep: async (run) => {
    run.log('begins')
    await new Promise((resolve) => setTimeout(resolve, 3000))
    run.log('ends')
  },
  stray: () => {
    void Promise.reject(new Error('no caller waits for this'))
    setTimeout(() => { throw new Error('a timer threw this') }, 10)
  },
`
const NIGHTLY = `nightly: { schedule: '0 2 * * *', zone: 'Europe/Berlin', run: () => null },`

let stack: SynthesisedStack
let scheduler: LambdaScheduler
let api: LambdaEnvironment

const parameter = () => scheduler.functions.deploy.environment[ENV.adminKeyParameter]
const adminKey = () => scheduler.parameters.get(parameter()) ?? ''
const ask = (request: string, body?: unknown, key = adminKey()) =>
  askApi(api, scheduler.functions.api, key, request, { body })
const records = (...bodies: string[]) => ({ Records: bodies.map((body, n) => ({ messageId: `m${n}`, body })) })

beforeAll(async () => {
  stack = synthesiseHere({ handlers: writeHandlers(HANDLERS + NIGHTLY) })
  scheduler = await startLambdaScheduler(stack)
  await (await scheduler.start('deploy')).invoke({})
  api = await scheduler.start('api')
}, 60_000)

afterAll(() => scheduler.stop())

const stored = async (name: string) => {
  const [job] = await scheduler.stores.jobs.readMany([jobIdOf('default', name)])
  return job
}

async function saveJob(name: string, handler: string, more: object = {}): Promise<void> {
  const body = { schedules: [{ cron: '0 0 1 1 *' }], target: { type: 'handler', handler }, ...more }
  expect((await ask(`PUT /v1/jobs/default/${name}`, body)).status).toBe(201)
}

/** A run by hand: its id, and the message that was sent for it. */
async function triggered(name: string): Promise<{ runId: string; body: string }> {
  const { status, json } = await ask(`POST /v1/jobs/default/${name}/trigger`, {})
  expect(status).toBe(202)
  const [message] = await scheduler.queues.fast.receive(1, 5)
  await scheduler.queues.fast.remove([message.receipt])
  return { runId: json.id, body: message.body }
}

const statusOf = async (runId: string): Promise<string> => (await ask(`GET /v1/runs/${runId}`)).json.status
const said = (environment: LambdaEnvironment, message: string) =>
  environment.lines().filter((line) => line.message === message).length

test('a deployment saves the schedules beside the code, and deletes them when the code has them no longer', async () => {
  expect(await stored('nightly')).toMatchObject({ managedBy: 'code', version: 1 })
  const without = synthesiseHere({ handlers: writeHandlers(HANDLERS) })
  const deploy = await scheduler.start('deploy', without)
  await deploy.invoke({})
  expect(deploy.lines()[0]).toMatchObject({ message: 'schedules beside the code', saved: 0, deleted: 1 })
  expect((await stored('nightly')).versions.at(-1)?.status).toBe('DELETED')
}, 60_000)

test('a deployment whose schedule cannot be read fails, so that it is rolled back', async () => {
  const wrong = synthesiseHere({ handlers: writeHandlers(`wrong: { schedule: 'often', run: () => null },`) })
  const deploy = await scheduler.start('deploy', wrong)
  await expect(deploy.invoke({})).rejects.toThrow('1 schedules of the handlers file were refused: default/wrong')
}, 60_000)

test('a second deployment keeps the admin key, and does not revive one that an operator deleted', async () => {
  const first = adminKey()
  const deploy = await scheduler.start('deploy', stack)
  await deploy.invoke({})
  expect(adminKey()).toBe(first)
  expect((await ask('GET /v1/me')).status).toBe(200)
  const { json: other } = await ask('POST /v1/keys', { name: 'other', role: 'admin', namespaces: ['*'] })
  expect((await ask(`DELETE /v1/keys/${first.split('_')[1]}`, undefined, other.secret)).status).toBe(204)
  await deploy.invoke({})
  const { keys } = await scheduler.stores.apiKeys.all()
  expect(keys.map(({ name }) => name)).toEqual(['other'])
  scheduler.parameters.set(parameter(), other.secret)
})

test('an error that a handler lets go astray is told, and does not end the runs beside it', async () => {
  await saveJob('stray', 'stray')
  await saveJob('neighbour', 'sleep')
  const [stray, neighbour] = [await triggered('stray'), await triggered('neighbour')]
  const executor = await scheduler.start('fast')
  expect(await executor.invoke(records(stray.body, neighbour.body))).toEqual({ batchItemFailures: [] })
  expect(said(executor, 'a handler let an error go astray')).toBe(2)
  expect(await statusOf(neighbour.runId)).toBe('SUCCEEDED')
  expect(executor.isAlive).toBe(true)
})

test('an executor that was frozen for a while runs what comes next at once', async () => {
  await saveJob('after-frost', 'echo')
  const executor = await scheduler.start('fast')
  await executor.invoke(records((await triggered('after-frost')).body))
  await executor.freeze()
  // Longer than the servers keep an idle connection: those of the executor are dead when it wakes.
  await pause(7000)
  const { runId, body } = await triggered('after-frost')
  executor.thaw()
  const begunMs = performance.now()
  expect(await executor.invoke(records(body))).toEqual({ batchItemFailures: [] })
  expect(performance.now() - begunMs).toBeLessThan(5000)
  expect(await statusOf(runId)).toBe('SUCCEEDED')
}, 30_000)

test('an executor that is killed in the middle of a run is followed by one that runs it again, and only once', async () => {
  await saveJob('killed', 'sleep', { retry: { attempts: 1 }, timeout: 10 })
  const { runId, body } = await triggered('killed')
  const first = await scheduler.start('fast')
  const cutShort = expect(first.invoke(records(body))).rejects.toThrow('the environment ended: SIGKILL')
  await eventually(() => said(first, 'begins') === 1, 10_000)
  await first.kill()
  await cutShort
  expect(await statusOf(runId)).toBe('RUNNING')
  // The queue shows the message again when its visibility is over; by then the claim of the dead executor is over too.
  scheduler.weather.aheadMs += 60_000
  const next = await scheduler.start('fast')
  expect(await next.invoke(records(body))).toEqual({ batchItemFailures: [] })
  expect([said(next, 'begins'), said(next, 'ends')]).toEqual([1, 1])
  expect(await statusOf(runId)).toBe('SUCCEEDED')
  await next.invoke(records(body))
  expect(said(next, 'begins')).toBe(1)
}, 60_000)

test('a link that is killed in the middle of its second is followed by one that sends all that is due', async () => {
  await saveJob('every-second', 'echo', { schedules: [{ every: 1 }] })
  const newest = async () => {
    await eventually(() => scheduler.events.length > 0, 10_000)
    return { detail: JSON.parse(scheduler.events.splice(0).at(-1)?.Detail ?? '') }
  }
  const minute = await scheduler.start('minute')
  await minute.invoke({})
  const first = await scheduler.start('tick')
  for (let links = 0; links < 4; links++) expect(await first.invoke(await newest())).toMatchObject({ end: 'chained' })
  const cutShort = expect(first.invoke(await newest())).rejects.toThrow('the environment ended: SIGKILL')
  // It has fenced its second by now, or is about to: what it sends and what not is chance.
  await pause(700)
  await first.kill()
  await cutShort
  const before = (await scheduler.stores.shards.read(0))?.fence ?? 0
  // The lease is over: the minute rule takes the chain over.
  scheduler.weather.aheadMs += 8000
  scheduler.events.length = 0
  await minute.invoke({})
  const next = await scheduler.start('tick')
  for (let links = 0; links < 3; links++) expect(await next.invoke(await newest())).toMatchObject({ end: 'chained' })
  const executor = await scheduler.start('fast')
  await executor.startMs
  const drainedFromMs = performance.now()
  for (;;) {
    const messages = await scheduler.queues.fast.receive(10, 1)
    if (messages.length === 0) break
    await executor.invoke(records(...messages.map(({ body }) => body)))
    await scheduler.queues.fast.remove(messages.map(({ receipt }) => receipt))
  }
  // By the machine's own clock, which is a minute behind the store's here, it would have waited for that long.
  expect(performance.now() - drainedFromMs).toBeLessThan(30_000)
  const { json } = await ask('GET /v1/jobs/default/every-second/runs?limit=100')
  const seconds = json.items.map(({ instant }: { instant: string }) => Date.parse(instant) / 1000)
  const expected = Array.from({ length: seconds.length }, (_, place) => seconds[0] - place)
  expect(seconds).toEqual(expected)
  expect(seconds[0]).toBeGreaterThan(before)
  expect(seconds.at(-1)).toBeLessThan(before)
  expect(new Set(json.items.map(({ status }: { status: string }) => status))).toEqual(new Set(['SUCCEEDED']))
}, 90_000)

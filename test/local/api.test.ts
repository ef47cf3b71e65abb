// The API that `npm start` serves: the first job, what is kept, and what is refused at the start.

import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LocalStart } from '../support/local-start.ts'

const QUIET = ['--plain', '--port', '0', '--no-samples']
const EVERY_SECOND = { schedules: [{ every: '1s' }], target: { type: 'handler', handler: 'echo' } }

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

async function firstRunOf(started: LocalStart, name: string, isWanted: (run: { status: string }) => boolean) {
  for (;;) {
    const { json } = await started.ask('GET', `/v1/jobs/default/${name}/runs`)
    const found = (json.items as { status: string; latenessMs: number }[]).find(isWanted)
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

test.concurrent('one curl saves a job with an emoji in its payload, and it fires', async ({ onTestFinished }) => {
  const started = new LocalStart(onTestFinished, QUIET)
  const body = { ...EVERY_SECOND, description: '每秒钟', payload: { greeting: '你好 👋' } }
  expect((await started.ask('PUT', '/v1/jobs/default/hello', body)).status).toBe(201)
  const run = await firstRunOf(started, 'hello', ({ status }) => status === 'SUCCEEDED')
  expect(run.latenessMs).toBeLessThan(5000)
  const { json } = await started.ask('POST', '/v1/jobs/default/hello/trigger', { payload: { once: '🎉' } })
  const ended = await firstRunOf(
    started,
    'hello',
    (each) => (each as { id?: string }).id === json.id && each.status === 'SUCCEEDED',
  )
  expect(ended.status).toBe('SUCCEEDED')
  expect((await started.ask('GET', `/v1/runs/${json.id}`)).json.output).toEqual({ once: '🎉' })
})

test.concurrent('what was acknowledged is there after kill -9 and another start, with the same key', async ({
  onTestFinished,
}) => {
  const first = new LocalStart(onTestFinished, QUIET)
  const key = (await first.url()) && first.key
  expect((await first.ask('PUT', '/v1/jobs/default/kept', EVERY_SECOND)).status).toBe(201)
  first.kill('SIGKILL')
  await first.ended
  const second = new LocalStart(onTestFinished, QUIET, first.data)
  const { status, json } = await second.ask('GET', '/v1/jobs/default/kept')
  expect(status).toBe(200)
  expect(json.version).toBe(1)
  expect(second.key).toBe(key)
  await firstRunOf(second, 'kept', ({ status: each }) => each === 'SUCCEEDED')
})

test.concurrent('only its owner can read the key and the store', async ({ onTestFinished }) => {
  const started = new LocalStart(onTestFinished, QUIET)
  await started.url()
  expect(modeOf(started.data)).toBe('700')
  expect(modeOf(join(started.data, 'admin.key'))).toBe('600')
  expect(modeOf(join(started.data, 'store.db'))).toBe('600')
})

test.concurrent('a second start in the same folder says where the first one runs', async ({ onTestFinished }) => {
  const first = new LocalStart(onTestFinished, QUIET)
  const url = await first.url()
  const { code, errors } = await new LocalStart(onTestFinished, QUIET, first.data).ended
  expect(code).toBe(1)
  expect(errors).toContain(`already running at ${url}`)
})

test.concurrent('another host than loopback is refused without a key from an earlier start', async ({
  onTestFinished,
}) => {
  const { code, errors } = await new LocalStart(onTestFinished, [...QUIET, '--host', '0.0.0.0']).ended
  expect(code).toBe(1)
  expect(errors).toContain('there is no admin key')
})

test.concurrent('a port that is taken is said, with the remedy', async ({ onTestFinished }) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const address = taken.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, errors } = await new LocalStart(onTestFinished, ['--plain', '--port', String(port)]).ended
  taken.close()
  expect(code).toBe(1)
  expect(errors).toContain(`port ${port} of 127.0.0.1 cannot be used`)
  expect(errors).toContain('--port')
})

// The first minutes of a newcomer, one after the other: a start with its sample jobs, a job by one request, handlers that are saved, a
// sleep, kill -9 and another start, and the end.

import { appendFileSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import { SAMPLE_JOBS } from '../../local/samples.ts'
import { LocalStart } from '../support/local-start.ts'
import { eventually, pause } from '../support/real-stack.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const handler = (name: string) => ({ type: 'handler', handler: name })

interface Run {
  readonly id: string
  readonly instant: string
  readonly status: string
  readonly latenessMs: number
  readonly output: unknown
}

describe.skipIf(whyNoDynoxide() !== null)('the first minutes', { timeout: 90_000 }, () => {
  const cleaning: (() => void)[] = []
  const over = (clean: () => void) => void cleaning.push(clean)
  const folder = mkdtempSync(join(tmpdir(), 'tickring-first-'))
  const handlers = join(folder, 'handlers.ts')
  const data = join(folder, 'data')
  const said: string[] = []
  const note = (what: string, sinceMs: number) => said.push(`${what}: ${((Date.now() - sinceMs) / 1000).toFixed(1)} s`)
  const begin = (...more: string[]) =>
    new LocalStart(over, ['--plain', '--port', '0', '--handlers', handlers, ...more], data)
  let first: LocalStart
  let second: LocalStart
  let key = ''

  const saveHandlers = (more: string) => {
    copyFileSync(resolve('functions/handlers.ts'), handlers)
    const text = `import own from ${JSON.stringify(resolve('functions/handlers.ts'))}\nimport { defineHandlers } from ${JSON.stringify(resolve('shared/core/handlers.ts'))}\n`
    writeFileSync(handlers, `${text}const all = Object.fromEntries(own.names.map((name) => [name, own.find(name)]))\n`)
    appendFileSync(handlers, `export default defineHandlers({ ...all, ${more} })\n`)
  }

  const runsOf = async (started: LocalStart, name: string): Promise<Run[]> => {
    const { json } = await started.ask('GET', `/v1/jobs/default/${name}/runs`)
    return (json.items ?? []) as Run[]
  }
  const hasRun = async (started: LocalStart, name: string, isWanted: (run: Run) => boolean) =>
    (await runsOf(started, name)).some(isWanted)
  const succeeded = ({ status }: Run) => status === 'SUCCEEDED'

  /** A run that is triggered by hand and waited for. */
  const trigger = async (started: LocalStart, name: string, payload: unknown): Promise<Run> => {
    const { json } = await started.ask('POST', `/v1/jobs/default/${name}/trigger`, { payload })
    const id = String(json.id)
    const read = async () => (await started.ask('GET', `/v1/runs/${id}`)).json as unknown as Run
    await eventually(async () => ['SUCCEEDED', 'FAILED'].includes((await read()).status), 20_000)
    return read()
  }

  beforeAll(() => saveHandlers("greet: () => 'hello'"))

  afterAll(() => {
    for (const clean of cleaning) clean()
    rmSync(folder, { recursive: true, force: true })
    console.log(`first minutes: ${said.join(', ')}`)
  })

  /** A start with handlers of its own saves none. */
  const saveSamples = async () => {
    for (const { name, body } of SAMPLE_JOBS)
      expect((await first.ask('PUT', `/v1/jobs/default/${name}`, body)).status).toBe(201)
  }

  test('a start says each step with its seconds, the API, the key and the log', async () => {
    const begunMs = Date.now()
    first = begin()
    await first.url()
    note('first start', begunMs)
    key = first.key
    for (const step of ['store and queues', 'the stack, synthesised', 'shards, admin key'])
      expect(await first.says(new RegExp(`^✓ ${step}.* \\d+\\.\\d s$`, 'm'))).not.toBeNull()
    await first.says(/^Log .*functions\.log {3}ready after \d+\.\d s$/m)
    await saveSamples()
    expect([data, join(data, 'admin.key'), join(data, 'store.db')].map(modeOf)).toEqual(['700', '600', '600'])
  })

  test('a second start in the same folder says where the first one runs', async () => {
    const { code, errors } = await begin().ended
    expect(code).toBe(1)
    expect(errors).toContain(`already running at ${await first.url()}`)
  })

  test('one request saves a job with an emoji and Chinese in it, and it fires', async () => {
    const body = {
      schedules: [{ every: '1s' }],
      target: handler('echo'),
      description: '每秒钟',
      payload: { greeting: '你好 👋' },
      history: { keepDetail: true },
    }
    expect((await first.ask('PUT', '/v1/jobs/default/hello', body)).status).toBe(201)
    await eventually(() => hasRun(first, 'hello', succeeded), 20_000)
    expect((await trigger(first, 'hello', { once: '🎉' })).output).toEqual({ once: '🎉' })
  })

  test('handlers that are saved run from then on, and those that do not compile change nothing', async () => {
    await first.ask('PUT', '/v1/jobs/default/greets', { schedules: [], target: handler('greet') })
    expect((await trigger(first, 'greets', null)).output).toBe('hello')
    const savedMs = Date.now()
    saveHandlers("greet: () => 'good morning', tidy: { schedule: 'every 1h', run: () => null }")
    await first.says(/^Saved: \d functions run the new code\.$/m)
    note('reload', savedMs)
    expect((await trigger(first, 'greets', null)).output).toBe('good morning')
    expect((await first.ask('GET', '/v1/jobs/default/tidy')).json.managedBy).toBe('code')
    saveHandlers('greet: ((')
    await first.says(/^Saved, and the old code goes on: .*handlers\.ts:\d+:\d+/m)
    expect((await trigger(first, 'greets', null)).output).toBe('good morning')
    saveHandlers("greet: () => 'good morning'")
    await eventually(async () => (await first.ask('GET', '/v1/jobs/default/tidy')).status === 404, 20_000)
  })

  test('a laptop that slept wakes up: what was due meanwhile is counted or runs, and runs are on time again', async () => {
    const sleptFrom = Math.floor(Date.now() / 1000)
    first.kill('SIGSTOP')
    await pause(40_000)
    first.kill('SIGCONT')
    const wokenMs = Date.now()
    const isOnTime = ({ instant, status, latenessMs }: Run) =>
      Date.parse(instant) > wokenMs && status === 'SUCCEEDED' && latenessMs < 2000
    await eventually(() => hasRun(first, 'every-second', isOnTime), 45_000)
    note('on time after a sleep of 40 s', wokenMs)
    const { json } = await first.ask(
      'GET',
      `/v1/jobs/default/every-second/runs?from=${new Date(sleptFrom * 1000).toISOString()}`,
    )
    const missed = json.missed as { count: number }[]
    expect(missed.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(20)
  })

  test('after kill -9 and a while away another start says in one line what was due, fired and missed', async () => {
    first.kill('SIGKILL')
    await first.ended
    await pause(13_000)
    const begunMs = Date.now()
    second = begin()
    await second.url()
    note('warm start', begunMs)
    const readyMs = Date.now()
    await Promise.all(
      SAMPLE_JOBS.map(async ({ name }) => {
        await second.says(new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}${name} `, 'm'))
      }),
    )
    note('all samples fired, from ready', readyMs)
    const [line, due, fired, missed] = await second.says(
      /^Away for \d+ s: ([\d,]+) runs were due; ([\d,]+) fired since, ([\d,]+) recorded as missed/m,
    )
    said.push(line)
    expect(Number(fired) + Number(missed)).toBeLessThanOrEqual(Number(due))
    expect(Number(due)).toBeGreaterThan(10)
    expect(Number(missed)).toBeGreaterThan(0)
    expect(second.key).toBe(key)
    expect((await second.ask('GET', '/v1/jobs/default/hello')).json.version).toBe(1)
  })

  test('no second of a job has fired twice, before and after', async () => {
    const fires = [
      ...second.out.matchAll(/^(\d\d:\d\d:\d\d {2}\S+) /gm),
      ...first.out.matchAll(/^(\d\d:\d\d:\d\d {2}\S+) /gm),
    ]
    const each = fires.map(([, fire]) => fire)
    expect(each.length).toBeGreaterThan(20)
    expect(new Set(each).size).toBe(each.length)
  })

  test('Ctrl-C ends it within three seconds, with exit code 0 and a last line', async () => {
    const askedMs = Date.now()
    second.signal('SIGINT')
    const { code, out, errors } = await second.ended
    note('end', askedMs)
    expect(Date.now() - askedMs).toBeLessThan(3000)
    expect(errors).toBe('')
    expect(code).toBe(0)
    expect(out).toMatch(/ fired, late p50 \d+ ms, p99 \d+ ms, .*\.\n$/)
  })

  test('a reader that goes away ends it quietly', async () => {
    const started = begin('--no-samples')
    await started.url()
    started.closeReader()
    const { code, errors } = await started.ended
    expect(errors).toBe('')
    expect(code).toBe(0)
  })
})

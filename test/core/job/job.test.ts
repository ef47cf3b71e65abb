import { describe, expect, test } from 'vitest'
import { digest64 } from '../../../shared/core/digest.ts'
import { findCycle } from '../../../shared/core/job/cycles.ts'
import { hashOfId, jobIdOf, pageBitsOf, shardOf } from '../../../shared/core/job/id.ts'
import { type Fault, InvalidInput } from '../../../shared/core/job/invalid.ts'
import { LIMITS } from '../../../shared/core/job/limits.ts'
import { readJob } from '../../../shared/core/job/read-job.ts'

const least = {
  name: 'send-report',
  schedules: [{ cron: '0 9 * * 1-5' }],
  target: { type: 'handler', handler: 'echo' },
}
const CATCH_UP = { policy: 'CATCH_UP', window: 60 }
const QUEUE = { type: 'sqs', queue: 'https://sqs.example/q' }
const read = (input: unknown) => readJob(input, 'id')

function faultsIn(input: unknown): readonly Fault[] {
  try {
    return read(input).faults
  } catch (error) {
    if (error instanceof InvalidInput) return error.faults
    throw error
  }
}

const faults = (input: unknown): string[] => faultsIn(input).map(({ path, message }) => `${path}: ${message}`)

describe('a job', () => {
  test('needs a name, a schedule and a target, and gets everything else', () => {
    const { job, warnings } = read(least)
    expect(job).toMatchObject({
      namespace: 'default',
      status: 'RUNNING',
      dst: { gap: 'shift', overlap: 'first' },
      misfire: { policy: 'FIRE_ONCE_NOW' },
      block: { strategy: 'SERIAL' },
      timeout: 60,
      retry: { attempts: 0, delay: 5, maxDelay: 300 },
      history: { keepDetail: false },
    })
    expect(warnings).toEqual([])
  })

  test('may take its schedules from a template', () => {
    expect(faults({ ...least, schedules: [], template: 'default/office' })).toEqual([])
    const { schedules: _, ...without } = least
    expect(faults({ ...without, template: 'default/office' })).toEqual([])
  })

  test('that only a trigger or another job starts says so with an empty list', () => {
    expect(faults({ ...least, schedules: [] })).toEqual([])
    const { schedules: _, ...without } = least
    expect(faultsIn(without)).toEqual([
      {
        path: '/schedules',
        code: 'field.required',
        message: 'is missing. Give schedules or a template; [] is a job that only a trigger or another job starts.',
      },
    ])
  })

  test('has its durations in seconds and its times in Z, however they were written', () => {
    const { job } = read({
      ...least,
      schedules: [{ every: '1d', anchor: '2026-01-01T01:00:00+01:00' }, { at: '2030-06-01T12:00:00+02:00' }],
      startAt: '2026-01-01T00:00:00-05:00',
      timeout: '5m',
      spread: '90s',
      maxLateness: '2h',
      retry: { attempts: 1, delay: '10s', maxDelay: 20 },
      after: [{ job: 'default/load', within: '1d' }],
      deleteAfter: '2d',
    })
    expect(job).toMatchObject({
      schedules: [{ every: 86_400, anchor: '2026-01-01T00:00:00Z' }, { at: '2030-06-01T10:00:00Z' }],
      startAt: '2026-01-01T05:00:00Z',
      timeout: 300,
      spread: 90,
      maxLateness: 7200,
      retry: { attempts: 1, delay: 10, maxDelay: 20 },
      after: [{ job: 'default/load', within: 86_400 }],
      deleteAfter: 172_800,
    })
  })

  test('that gives null as its timeout has the usual one', () => {
    expect(read({ ...least, timeout: null }).job.timeout).toBe(60)
  })

  test('passes the warnings of its expressions on', () => {
    expect(read({ ...least, schedules: [{ cron: '0 0 12 ? * 2' }] }).warnings).toHaveLength(1)
  })

  test('that is read and read again is the same', () => {
    const { job } = read({ ...least, misfire: { policy: 'CATCH_UP', window: 3600 } })
    expect(read(job).job).toEqual(job)
    expect(job.misfire).toEqual({ policy: 'CATCH_UP', window: 3600, overlap: 'all', max: 1000 })
  })
})

describe('a bad job is refused with every fault, its path, its value and its remedy', () => {
  test.each<[string, object | null, string]>([
    ['nothing', null, ': got "null". Use a value of type object.'],
    ['no name', { name: undefined }, '/name: is missing. Use a value of type string.'],
    ['capitals', { name: 'Report' }, '/name: got "Report". Use 1 to 126 of a-z'],
    ['separator', { name: 'a#b' }, '/name: got "a#b". Use 1 to 126'],
    ['too long', { name: 'x'.repeat(127) }, 'Use 1 to 126'],
    ['an extra field', { tenantId: 'x' }, ': Remove tenantId; there is no such field.'],
    [
      'a schedule with two meanings',
      { schedules: [{ cron: '* * * * *', every: 5 }] },
      'Use one of {"cron": text}, {"every": seconds} and {"at": time}',
    ],
    [
      'a bad cron',
      { schedules: [{ every: 5 }, { cron: '60 * * * *' }] },
      '/schedules/1/cron: cron minute "60": 60 is outside 0-59. Use 0-59.',
    ],
    [
      'a bad zone',
      { schedules: [{ cron: '* * * * *', zone: 'europe/paris' }] },
      '/schedules/0/zone: zone "europe/paris": is not an IANA time zone. Use Europe/Paris.',
    ],
    [
      'an end before its start',
      { startAt: '2027-01-01T00:00:00Z', endAt: '2026-01-01T00:00:00Z' },
      '/endAt: endAt "2026-01-01T00:00:00Z": is before startAt',
    ],
    [
      'an unknown policy',
      { misfire: { policy: 'FIRE_ALL' } },
      '/misfire/policy: got "FIRE_ALL". Use one of DO_NOTHING, FIRE_ONCE_NOW, CATCH_UP.',
    ],
    [
      'a lower-case strategy',
      { block: { strategy: 'serial' } },
      '/block/strategy: got "serial". Use one of SERIAL, DISCARD, COVER, CONCURRENT.',
    ],
    ['no room for a run', { block: { strategy: 'CONCURRENT', max: 0 } }, '/block/max: got "0". Use at least 1.'],
    ['half an attempt', { retry: { attempts: 1.5 } }, '/retry/attempts: got "1.5". Use a whole number.'],
    [
      'a delay above its most',
      { retry: { delay: 400 } },
      '/retry/maxDelay: is missing. Use a maxDelay of at least delay.',
    ],
    ['a timeout of days', { timeout: '2d' }, `/timeout: got "2d". Use at most ${LIMITS.timeoutSeconds}.`],
    ['no time at all', { timeout: 0 }, '/timeout: got "0". Use at least 1.'],
    ['a duration in words', { timeout: 'an hour' }, '/timeout: got "an hour". Use whole seconds, or "90s", "5m"'],
    ['half a second', { timeout: 1.5 }, '/timeout: got "1.5". Use whole seconds'],
    ['a duration of another type', { timeout: true }, '/timeout: got "true". Use whole seconds'],
    ['no interval', { schedules: [{ every: 0 }] }, '/schedules/0/every: got "0". Use at least 1.'],
    ['a time that is none', { startAt: 'tomorrow' }, '/startAt: startAt "tomorrow": is not'],
    ['a time of another type', { schedules: [{ at: 5 }] }, '/schedules/0/at: got "5". Use a value of type string.'],
    ['a long description', { description: 'x'.repeat(1001) }, '/description: got'],
    [
      'many tags',
      { tags: Object.fromEntries(Array.from({ length: 51 }, (_, tag) => [`t${tag}`, ''])) },
      'Use at most 50 tags',
    ],
    ['an unknown target', { target: { type: 'script' } }, '/target/type: got "script". Use one of handler, http'],
    ['a handler that is a path', { target: { type: 'handler', handler: '../x' } }, 'Use 1 to 126 of a-z'],
    [
      'a file as address',
      { target: { type: 'http', url: 'file:///etc/passwd' } },
      '/target/url: got "file:///etc/passwd". Use an http or https address.',
    ],
    [
      'a header with a line break',
      { target: { type: 'http', url: 'https://x.org', headers: { a: 'b\r\nc: d' } } },
      '/target/headers/a: got',
    ],
    [
      'a secret instead of its name',
      { target: { type: 'http', url: 'https://x.org', secret: 'Pa55word!' } },
      '/target/secret: is not accepted. Use 1 to 126',
    ],
    ['a large payload', { payload: 'x'.repeat(70_000) }, '/payload: got "xxx'],
    [
      'an unknown moment',
      { then: [{ on: 'always', job: 'default/x' }] },
      '/then/0/on: got "always". Use one of success, failure.',
    ],
    ['a job without its namespace', { after: [{ job: 'x', within: 60 }] }, '/after/0/job: got "x". Use namespace/name'],
  ])('%s', (_, part, fault) => {
    const found = faults(part === null ? null : { ...least, ...part })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(fault)
  })

  test('a tag with a comma', () => {
    expect(faults({ ...least, tags: { team: 'a,b' } })).toEqual([
      '/tags/team: got "a,b". Use text without commas and control characters.',
    ])
  })

  test('a tag whose name is none, with the name in the path as a pointer has it', () => {
    expect(faultsIn({ ...least, tags: { 'a/b~c': 'x' } })).toMatchObject([
      { path: '/tags/a~1b~0c', code: 'field.name' },
    ])
  })

  test.each<[string, object, string, string]>([
    [
      'late runs that are not to start and are caught up',
      { maxLateness: 5, misfire: CATCH_UP },
      '/maxLateness',
      'field.conflict',
    ],
    ['an end that no schedule brings', { schedules: [], deleteAfter: '1d' }, '/deleteAfter', 'field.conflict'],
    ['a target that is not delivered yet', { target: QUEUE }, '/target/type', 'field.not-available'],
    ['a timeout that no handler has', { timeout: 841 }, '/timeout', 'field.not-available'],
    ['a heartbeat', { heartbeat: 60 }, '/heartbeat', 'field.not-available'],
    ['other notifications than usual', { notify: ['FAILED'] }, '/notify', 'field.not-available'],
    ['a stop after failures', { stopAfterFailures: 3 }, '/stopAfterFailures', 'field.not-available'],
  ])('%s', (_, part, path, code) => {
    expect(faultsIn({ ...least, ...part })).toMatchObject([{ path, code }])
  })

  test('what its rules forbid is told together with its schedules', () => {
    const both = { ...least, schedules: [{ cron: '60 * * * *' }], heartbeat: 60 }
    expect(faultsIn(both).map(({ path }) => path)).toEqual(['/schedules/0/cron', '/heartbeat'])
  })

  test('a body nested too deep is refused before anything walks it', () => {
    let payload: unknown = 1
    for (let level = 0; level < 50_000; level++) payload = [payload]
    expect(faults({ ...least, payload })).toEqual([': is nested too deep. Use at most 20 levels.'])
  })

  test('several at once', () => {
    expect(faults({ name: 'A', target: { type: 'x' }, timeout: -1 })).toHaveLength(4)
    expect(() => read({ ...least, name: 'A' })).toThrow(/^\/name: got "A"/)
    expect(() => read([])).toThrow(/^got "\[\]"/)
  })

  test('a fault that is not the user’s is not hidden', () => {
    const notAnId = Symbol('id') as unknown as string
    expect(() => readJob({ ...least, schedules: [{ cron: 'H 3 * * *' }] }, notAnId)).toThrow(TypeError)
  })
})

describe('the id of a job', () => {
  test('is the same for the same name, and eleven base62 digits', () => {
    expect(jobIdOf('default', 'a')).toBe(jobIdOf('default', 'a'))
    expect(jobIdOf('default', 'a')).toMatch(/^[0-9A-Za-z]{11}$/)
    expect(hashOfId(jobIdOf('default', 'a'))).toBe(digest64('default/a'))
  })

  test('differs for a hundred thousand names, and spreads them over shards and pages', () => {
    const hashes = Array.from({ length: 100_000 }, (_, job) => digest64(`default/job-${job}`))
    expect(new Set(hashes).size).toBe(100_000)
    const shards = Array.from({ length: 16 }, () => 0)
    const pages = Array.from({ length: 16 }, () => 0)
    for (const hash of hashes) {
      shards[shardOf(hash, 16)] += 1
      pages[pageBitsOf(hash) >>> 28] += 1
    }
    for (const count of [...shards, ...pages]) expect(Math.abs(count - 6250)).toBeLessThan(400)
    expect(shardOf(hashes[0], 1)).toBe(0)
  })

  test('sorted as text is sorted by hash', () => {
    const names = Array.from({ length: 500 }, (_, job) => `job-${job}`)
    const byId = [...names].sort((a, b) => (jobIdOf('x', a) < jobIdOf('x', b) ? -1 : 1))
    const byHash = [...names].sort((a, b) => (digest64(`x/${a}`) < digest64(`x/${b}`) ? -1 : 1))
    expect(byId).toEqual(byHash)
  })
})

describe('jobs in a ring', () => {
  const edges: Record<string, string[]> = { a: ['x', 'b'], b: ['c', 'y'], c: ['y', 'a'], x: ['y'], y: [] }
  const next = (job: string) => edges[job] ?? []

  test('are found with their path', () => {
    expect(findCycle('a', next)).toEqual(['a', 'b', 'c', 'a'])
    expect(findCycle('c', next)).toEqual(['c', 'a', 'b', 'c'])
    expect(findCycle('x', next)).toBeNull()
    expect(findCycle('self', () => ['self'])).toEqual(['self', 'self'])
  })

  test('a chain of any length is followed', () => {
    const chain = (job: string) => [`${(Number(job) + 1) % 50_000}`]
    expect(findCycle('0', chain)).toHaveLength(50_001)
  })

  test('a graph with many ways through is searched once', () => {
    const layers = (job: string) => (Number(job) < 60 ? [`${Number(job) + 2}`, `${Number(job) + 3}`] : [])
    expect(findCycle('0', layers)).toBeNull()
  })
})

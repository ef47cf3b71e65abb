import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDepths, writeDepths } from '../../shared/aws/depth-text.ts'
import type { Attributes } from '../../shared/aws/expression.ts'
import {
  type KeptJob,
  readChange,
  readJob,
  readMeta,
  readOpen,
  readShard,
  writeJob,
  writeShard,
} from '../../shared/aws/items.ts'
import { keyOf } from '../../shared/aws/keys.ts'
import { jobSchema } from '../../shared/core/job/job.ts'
import { revise } from '../../shared/core/job/revise.ts'
import { newShard } from '../../shared/core/shard.ts'

const definition = jobSchema.parse({
  name: 'job',
  schedules: [{ every: 60 }],
  target: { type: 'handler', handler: 'echo' },
})
const moment = { nowMs: 1_000_000, activeFrom: 1002, auditedThrough: 0 }
const resolved = { template: null, calendars: [] }
const id = 'AAAAAAAAAAA'
const state = { status: 'RUNNING', stopped: null, managedBy: null } as const
const job = revise({ id, old: null, definition, resolved, ...state, ...moment })
const at = (item: Attributes, key: Parameters<typeof keyOf>[0]): Attributes => {
  const { pk, sk } = keyOf(key)
  return { ...item, pk: { S: pk }, sk: { S: sk } }
}
const jobItem = at(writeJob({ ...job, versions: [] }), { type: 'job', shard: 0, jobId: id })

describe('an item', () => {
  test('of a job holds only the fields that differ from their defaults', () => {
    const { versions, ...item } = writeJob({ ...job, versions: [] })
    expect(Object.keys(item).sort()).toEqual(['createdAtMs', 'name', 'schedules', 'target', 'updatedAtMs', 'version'])
    expect(versions).toEqual({ S: '[]' })
  })

  const whole = {
    ...job,
    definition: {
      ...definition,
      tags: { team: 'a' },
      description: 'said by many',
      retry: { attempts: 3, delay: 5, maxDelay: 60 },
      payload: { list: [1, null, 'x'] },
    },
    versions: [
      ...job.versions,
      { ...job.versions[0], version: 2, activeFrom: 90, sureFrom: 95, until: 100, moves: [{ from: 91, to: 99 }] },
    ],
    managedBy: 'code',
    stopped: {
      code: 'BY_HAND',
      reason: '',
      by: { type: 'system', id: null, name: '', onBehalfOf: null },
      atMs: 1,
      until: null,
      queued: 'run',
      operation: null,
      from: 2,
    },
  } as unknown as KeptJob

  test.each<[string, KeptJob]>([
    ['with defaults only', job as unknown as KeptJob],
    ['that has been stopped, moved and edited', whole],
    ['whose payload is stored apart', { ...whole, bodyVersion: 1, definition: { ...whole.definition, payload: null } }],
  ])('of a job %s is read as it was written, twice', (_, written) => {
    const item = at(writeJob(written), { type: 'job', shard: 0, jobId: id })
    expect(readJob(item)).toEqual({ ...written, isOnce: false })
    expect(readJob(item)).toEqual({ ...written, isOnce: false })
  })

  test('of a job leaves out what this code does not know of a version', () => {
    const item = at(writeJob({ ...whole, stopped: null }), { type: 'job', shard: 0, jobId: id })
    const versions = whole.versions.map((version) => ({ ...version, later: 1 }))
    expect(readJob({ ...item, versions: { S: JSON.stringify(versions) } }).versions).toEqual(whole.versions)
  })

  const brokenVersions = (change: object) => ({ S: JSON.stringify([{ ...job.versions[0], ...change }]) })
  const wholeItem = at(writeJob({ ...whole, stopped: null }), { type: 'job', shard: 0, jobId: id })

  test.each<[string, () => unknown]>([
    [
      'cannot be read: versions.0.status',
      () => readJob({ ...wholeItem, versions: brokenVersions({ status: 'GONE' }) }),
    ],
    ['cannot be read: versions.0.timing', () => readJob({ ...wholeItem, versions: brokenVersions({ timing: {} }) })],
    ['cannot be read: versions.0.misfire', () => readJob({ ...wholeItem, versions: brokenVersions({ misfire: {} }) })],
    [
      'cannot be read: versions.0.priority',
      () => readJob({ ...wholeItem, versions: brokenVersions({ priority: null }) }),
    ],
    ['cannot be read: createdAtMs', () => readJob({ ...wholeItem, createdAtMs: { N: 'x' } })],
    ['cannot be read: target', () => readJob({ ...wholeItem, target: { S: '{"type":"none"}' } })],
    [
      'cannot be read: name',
      () => readJob(Object.fromEntries(Object.entries(wholeItem).filter(([n]) => n !== 'name'))),
    ],
    ['JOB#0000 AAAAAAAAAAA cannot be read: versions', () => readJob(jobItem)],
    [
      'cannot be read: name',
      () =>
        readJob({
          ...jobItem,
          versions: {
            S: '[{"version":1,"activeFrom":5,"status":"RUNNING","timing":{"schedules":[]},"misfire":{"policy":"DO_NOTHING"},"timeoutSeconds":1,"maxLatenessSeconds":null,"priority":0}]',
          },
          name: { S: '"Bad Name"' },
        }),
    ],
    ['is no job', () => readJob(at({}, { type: 'meta' }))],
    ['cannot be read: shardCount', () => readMeta(at({}, { type: 'meta' }))],
    [
      'cannot be read: epoch',
      () => readShard(at({ ...writeShard(newShard(5)), epoch: { S: 'x' } }, { type: 'shard', shard: 0 })),
    ],
    [
      'are no page depths',
      () => readShard(at({ ...writeShard(newShard(5)), depths: { S: '5:0;x' } }, { type: 'shard', shard: 0 })),
    ],
    ['is of type meta, not change', () => readChange(at({}, { type: 'meta' }))],
    [
      'cannot be read: times',
      () => readOpen(at({}, { type: 'open', shard: 0, part: 0, ms: 1, runId: 'a.1', attempt: 1 })),
    ],
  ])('that is broken is said to be, with its key: %s', (message, read) => {
    expect(read).toThrow(message)
  })
})

describe('page depths', () => {
  test('are read as they were written', () => {
    const depths = fc.uniqueArray(fc.tuple(fc.integer({ min: 1_790_000_000, max: 1_790_000_900 }), fc.nat(20)), {
      selector: ([second]) => second,
    })
    fc.assert(
      fc.property(depths, (pairs) => {
        const map = new Map([...pairs].sort(([a], [b]) => a - b))
        expect(readDepths(writeDepths(map))).toEqual(map)
      }),
    )
  })

  test('of five minutes leave room in a kilobyte', () => {
    const depths = new Map(Array.from({ length: 300 }, (_, n) => [1_790_000_000 + n, 20]))
    expect(writeDepths(depths).length).toBeLessThan(320)
  })

  test('of a shard that slept for a month are as short', () => {
    const depths = new Map(
      [...Array(180).keys()].flatMap((n): [number, number][] => [
        [n, 3],
        [n + 2_592_000, 3],
      ]),
    )
    expect(writeDepths(depths).length).toBeLessThan(400)
    expect(readDepths(writeDepths(depths)).size).toBe(360)
  })
})

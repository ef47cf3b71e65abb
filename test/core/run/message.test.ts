import { describe, expect, test } from 'vitest'
import { jobIdOf } from '../../../shared/core/job/id.ts'
import type { StoredJob } from '../../../shared/core/job/stored.ts'
import {
  entryIdOf,
  jobIdOfEntry,
  type PageMessage,
  type ReadTicket,
  readMessage,
  splitMessage,
  type TicketJob,
  ticketJobOf,
  withOpen,
  writePageMessage,
  writeRunMessage,
  writeTicketJob,
} from '../../../shared/core/run/message.ts'
import { stopOf, storedJob } from '../../support/stored-job.ts'

const SECOND = 1_790_000_000
const jobId = jobIdOf('default', 'report')
const usual: TicketJob = {
  namespace: 'default',
  name: 'report',
  version: 3,
  target: { type: 'handler', handler: 'echo' },
  payload: {},
  bodyVersion: null,
  block: { strategy: 'SERIAL' },
  misfire: { policy: 'FIRE_ONCE_NOW' },
  skipIfSuccessful: false,
  after: [],
  maxLateness: null,
  retry: { attempts: 0, delay: 5, maxDelay: 300 },
  then: [],
  timeoutSeconds: 60,
  keepDetail: false,
  cancelled: null,
}
const unusual: TicketJob = {
  ...usual,
  namespace: 'other',
  payload: { a: [1, 'two', null] },
  block: { strategy: 'CONCURRENT', max: 5 },
  misfire: { policy: 'DO_NOTHING' },
  retry: { attempts: 3, delay: 1, maxDelay: 30 },
  then: [{ on: 'failure', job: 'default/repair' }],
  keepDetail: true,
}
const key = { shard: 1, second: SECOND, depth: 3, page: 5 }
const ticket: ReadTicket = {
  id: jobId,
  kind: 'start',
  nominal: SECOND,
  lockHint: 'take',
  attempt: 1,
  notBefore: null,
  job: usual,
}
const write = (tickets: readonly ReadTicket[]) =>
  writePageMessage(
    { ...key, lane: 'fast' },
    SECOND * 1000 - 800,
    tickets.map((each) => ({ ...each, job: writeTicketJob(each.job) })),
  )

describe('a page message', () => {
  const rare: ReadTicket = {
    id: entryIdOf(jobId, 'stop'),
    kind: 'stop',
    nominal: SECOND - 7,
    lockHint: 'check',
    attempt: 4,
    notBefore: SECOND + 9,
    job: unusual,
  }

  test('is read as it was written', () => {
    const read = readMessage(write([ticket, rare]))
    const head = { type: 'page', key, lane: 'fast', changesReadAtMs: SECOND * 1000 - 800, openMs: null, unreadable: [] }
    expect(read).toEqual({ ...head, tickets: [ticket, rare] })
    expect(readMessage(withOpen(write([ticket]), 17))).toMatchObject({ openMs: 17, tickets: [ticket] })
  })

  test('says of a usual job no more than its name, version, target and timeout', () => {
    expect(Object.keys(JSON.parse(writeTicketJob(usual)))).toEqual(['name', 'version', 'target', 'timeoutSeconds'])
    expect(write([ticket]).length).toBeLessThan(270)
  })

  test('with tickets that cannot be read still brings the others', () => {
    const parsed = JSON.parse(write([ticket]))
    const broken = [{ ...parsed.runs[0], lockHint: 'never' }, { job: 1 }, null, 7, { id: 5 }]
    const read = readMessage(JSON.stringify({ ...parsed, runs: [...parsed.runs, ...broken] }))
    expect(read).toMatchObject({ tickets: [ticket] })
    expect('unreadable' in read && read.unreadable.map(({ id }) => id)).toEqual([jobId, null, null, null, null])
  })

  test.each(['', '{', '[]', 'null', '{"type":"page"}', '{"type":"other"}', '7'])(
    'is refused where it is none: %j',
    (body) => {
      expect(() => readMessage(body)).toThrow()
    },
  )
})

describe('what users wrote', () => {
  const odd: TicketJob = {
    ...unusual,
    payload: { text: 'done 🎉 \uFFFE \u0007 é', '\uD83C': [null] },
    target: { type: 'sqs', queue: 'Grüße-🎉' },
  }

  test('comes as it was, in a message that is all printable ASCII', () => {
    const text = write([{ ...ticket, job: odd }])
    expect(text).toMatch(/^[\x20-\x7e]*$/)
    expect(readMessage(text)).toMatchObject({ tickets: [{ job: odd }] })
  })

  test('as the reason of a stop is cut to what a reader wants to see, between characters', () => {
    const versions = [{ timeoutSeconds: 60 }]
    const definition = { ...usual, history: { keepDetail: false } }
    const stopped = { reason: `x${'🎉'.repeat(200_000)}`, from: 77, until: null, queued: 'cancel' }
    const job = { definition, bodyVersion: null, version: 1, versions, stopped } as unknown as StoredJob
    expect(ticketJobOf(job).cancelled).toEqual({
      before: 77,
      reason: `its job was stopped: x${'🎉'.repeat(999)}`,
    })
    expect(ticketJobOf({ ...job, stopped: null }).cancelled).toBeNull()
  })
})

describe('a message that is taken apart', () => {
  test('becomes one message for each of its runs, with all that it said of them', () => {
    const other = { ...ticket, id: jobIdOf('default', 'other'), job: { ...unusual, payload: '🎉' } }
    const whole = withOpen(write([ticket, other]), 17)
    const parts = splitMessage(whole)
    const { tickets, ...head } = readMessage(whole) as PageMessage
    expect(parts.map((part) => readMessage(part))).toEqual(tickets.map((each) => ({ ...head, tickets: [each] })))
    for (const part of parts) expect(part).toMatch(/^[\x20-\x7e]*$/)
  })

  test('stays as it is where it brings one run', () => {
    const alone = write([ticket])
    expect(splitMessage(alone)).toEqual([alone])
    const run = { shard: 0, runId: `${jobId}.${SECOND}.m1`, lane: 'slow', trigger: 'MANUAL' } as const
    const single = writeRunMessage({ ...run, nominal: null, changesReadAtMs: 5 }, writeTicketJob(usual))
    expect(splitMessage(single)).toEqual([single])
  })
})

test('a message of a single run is read as it was written', () => {
  const run = {
    shard: 0,
    runId: `${jobId}.${SECOND}.m1`,
    lane: 'slow',
    trigger: 'MANUAL',
    nominal: null,
    changesReadAtMs: 5,
  } as const
  const usualRun = { type: 'run', ...run, openMs: null, attempt: 1, notBefore: null, job: unusual }
  expect(readMessage(writeRunMessage(run, writeTicketJob(unusual)))).toEqual(usualRun)
  const again = { ...run, attempt: 2, notBefore: SECOND }
  expect(readMessage(writeRunMessage(again, writeTicketJob(unusual)))).toEqual({ ...usualRun, ...again })
})

describe('what a ticket says of a job', () => {
  test('is what its newest version has, and nothing about a stop that lets what is queued run', () => {
    const job = storedJob('report', { timeout: 5, priority: 3, history: { keepDetail: true } })
    expect(ticketJobOf(job)).toMatchObject({ name: 'report', version: 1, timeoutSeconds: 5, keepDetail: true })
    const stopped = storedJob('report', {}, { status: 'STOPPED', stopped: stopOf() })
    expect([ticketJobOf(job).cancelled, ticketJobOf(stopped).cancelled]).toEqual([null, null])
  })

  test('is before which second nothing may start any more, where a stop cancels what is queued', () => {
    const stop = stopOf({ queued: 'cancel', reason: 'double bookings', from: 1234, until: 2000 })
    const job = storedJob('report', {}, { status: 'STOPPED', stopped: stop })
    expect(ticketJobOf(job).cancelled).toEqual({ before: 1234, reason: 'its job was stopped: double bookings' })
    const until = (second: number) => ticketJobOf({ ...job, stopped: { ...stop, until: second } }).cancelled?.before
    // A stop that ends before it comes into force cancels nothing that is due from its end on.
    expect([until(1233), until(2000)]).toEqual([1233, 1234])
  })
})

test('the entry of a stop names its job', () => {
  expect(jobIdOfEntry(entryIdOf(jobId, 'stop'))).toBe(jobId)
  expect(jobIdOfEntry(entryIdOf(jobId, 'restart'))).toBe(jobId)
})

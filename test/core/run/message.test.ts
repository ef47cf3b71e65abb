import { describe, expect, test } from 'vitest'
import { jobIdOf } from '../../../shared/core/job/id.ts'
import {
  entryIdOf,
  jobIdOfEntry,
  type ReadTicket,
  readMessage,
  type TicketJob,
  withOpen,
  writePageMessage,
  writeRunMessage,
  writeTicketJob,
} from '../../../shared/core/run/message.ts'

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
  keepOutput: false,
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
  keepOutput: true,
}
const key = { shard: 1, second: SECOND, depth: 3, page: 5 }
const ticket: ReadTicket = {
  id: jobId,
  kind: 'start',
  nominal: SECOND,
  meets: 'clear',
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
    meets: 'ask',
    attempt: 4,
    notBefore: SECOND + 9,
    job: unusual,
  }

  test('is read as it was written', () => {
    const read = readMessage(write([ticket, rare]))
    const head = { type: 'page', key, lane: 'fast', drainedMs: SECOND * 1000 - 800, openMs: null, unreadable: [] }
    expect(read).toEqual({ ...head, tickets: [ticket, rare] })
    expect(readMessage(withOpen(write([ticket]), 17))).toMatchObject({ openMs: 17, tickets: [ticket] })
  })

  test('says of a usual job no more than its name, version, target and timeout', () => {
    expect(Object.keys(JSON.parse(writeTicketJob(usual)))).toEqual(['name', 'version', 'target', 'timeoutSeconds'])
    expect(write([ticket]).length).toBeLessThan(270)
  })

  test('with tickets that cannot be read still brings the others', () => {
    const parsed = JSON.parse(write([ticket]))
    const broken = [{ ...parsed.runs[0], meets: 'never' }, { job: 1 }, null, 7, { id: 5 }]
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

test('a message of a single run is read as it was written', () => {
  const run = {
    shard: 0,
    runId: `${jobId}.${SECOND}.m1`,
    lane: 'slow',
    trigger: 'MANUAL',
    nominal: null,
    drainedMs: 5,
  } as const
  const usualRun = { type: 'run', ...run, openMs: null, attempt: 1, notBefore: null, job: unusual }
  expect(readMessage(writeRunMessage(run, writeTicketJob(unusual)))).toEqual(usualRun)
  const again = { ...run, attempt: 2, notBefore: SECOND }
  expect(readMessage(writeRunMessage(again, writeTicketJob(unusual)))).toEqual({ ...usualRun, ...again })
})

test('the entry of a stop names its job', () => {
  expect(jobIdOfEntry(entryIdOf(jobId, 'stop'))).toBe(jobId)
  expect(jobIdOfEntry(entryIdOf(jobId, 'restart'))).toBe(jobId)
})

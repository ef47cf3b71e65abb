import { expect, test } from 'vitest'
import { type AuditEntry, NO_NAMESPACE } from '../../shared/core/audit-entry.ts'
import { deleteJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { inEachBackend } from '../support/backends/backends.ts'
import { ANNA, asking, body } from '../support/job-body.ts'
import { auditOf } from '../support/put-document.ts'
import { saveBody } from '../support/save.ts'

const DAY_MS = 86_400_000
const DAY = 20_000
const AT_MS = DAY * DAY_MS

const entry = (id: string, atMs: number, namespace = 'billing'): AuditEntry => ({
  ...auditOf(`${namespace}/${id}`, atMs),
  id,
  namespace,
  reason: 'because',
  versionBefore: 1,
  versionAfter: 2,
  changes: [{ path: '/priority', from: 0, to: null }],
  requestId: 'req_1',
})

inEachBackend('the audit trail', (make) => {
  test('is read by namespace and day, newest first, from one time up to another', async () => {
    const { audit } = await make()
    const all = [entry('a', AT_MS), entry('b', AT_MS + 5), entry('c', AT_MS + 5), entry('d', AT_MS + DAY_MS - 1)]
    for (const each of all) await audit.put(each)
    await audit.put(entry('next-day', AT_MS + DAY_MS))
    await audit.put(entry('other', AT_MS, 'search'))
    expect(await audit.ofDay('billing', DAY, AT_MS, AT_MS + DAY_MS)).toEqual([...all].reverse())
    const ids = async (fromMs: number, toMs: number) =>
      (await audit.ofDay('billing', DAY, fromMs, toMs)).map(({ id }) => id)
    expect(await ids(AT_MS + 1, AT_MS + 5)).toEqual(['c', 'b'])
    expect(await ids(AT_MS + 6, AT_MS + 6)).toEqual([])
    expect(await audit.ofDay('nobodys', DAY, AT_MS, AT_MS + DAY_MS)).toEqual([])
  })

  test('names the namespaces of a day', async () => {
    const { audit } = await make()
    for (const namespace of ['search', 'billing', NO_NAMESPACE]) await audit.put(entry('a', AT_MS, namespace))
    await audit.put(entry('b', AT_MS + 1, 'billing'))
    expect(await audit.namespacesOf(DAY)).toEqual([NO_NAMESPACE, 'billing', 'search'])
    expect(await audit.namespacesOf(DAY + 1)).toEqual([])
  })

  test('says of every change of a job who made it, why, and what differs', async () => {
    const world = await make()
    const now = Math.floor(world.clock.nowMs() / 1000)
    await world.shards.make(world.shardCount, now - 1)
    const of = { ...asking, requestId: 'req_7' }
    const { job } = await saveBody(world, body('audited', { namespace: 'billing' }), of)
    await saveBody(world, body('audited', { namespace: 'billing' }), of)
    await saveBody(world, body('audited', { namespace: 'billing', priority: 5 }), of)
    await stopJob(world, job.definition, { code: 'BY_HAND', reason: 'too loud', operation: 'op_1' }, of)
    await deleteJob(world, job.definition, of)
    const days = [Math.floor((now - 60) / 86_400), Math.floor((now + 60) / 86_400)]
    const lists = await Promise.all(
      [...new Set(days)].map((day) => world.audit.ofDay('billing', day, 0, (now + 60) * 1000)),
    )
    const told = lists
      .flat()
      .sort((a, b) => (a.versionAfter ?? 0) - (b.versionAfter ?? 0))
      .map(({ action, target, reason, operation, versionBefore, versionAfter, changes }) => [
        action,
        target,
        reason,
        operation,
        versionBefore,
        versionAfter,
        changes.map(({ path, from, to }) => [path, from, to]),
      ])
    expect(told).toEqual([
      ['job.create', 'billing/audited', null, null, null, 1, []],
      ['job.update', 'billing/audited', null, null, 1, 2, [['/priority', 0, 5]]],
      ['job.stop', 'billing/audited', 'too loud', 'op_1', 2, 3, [['/status', 'RUNNING', 'STOPPED']]],
      ['job.delete', 'billing/audited', null, null, 3, 4, []],
    ])
    expect(lists.flat().every(({ by, requestId }) => by.id === ANNA.id && requestId === 'req_7')).toBe(true)
  })
})

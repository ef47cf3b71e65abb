// What one tenant can reach of another: nothing by forged ids, nothing by references.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { hashOfId, jobIdOf } from '../../shared/core/job/id.ts'
import { InvalidInput } from '../../shared/core/job/invalid.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { findJob, findJobs } from '../../shared/flow/find-job.ts'
import { stopJob } from '../../shared/flow/manage-jobs.ts'
import type { Jobs } from '../../shared/ports.ts'
import { inEachBackend, type MakeWorld, type World } from '../support/backends/backends.ts'
import { asking, body } from '../support/job-body.ts'
import { putDocument } from '../support/put-document.ts'
import { saveBody } from '../support/save.ts'

async function begin(make: MakeWorld): Promise<World> {
  const world = await make(1, { losesEvery: 5 })
  await world.shards.make(1, Math.floor(world.clock.nowMs() / 1000) - 1)
  return world
}

/** A store in which the id of any name is that of one job, as if ids could be forged. */
const forged = (world: World, victim: StoredJob): World => {
  const jobs: Partial<Jobs> = { read: async () => victim, readMany: async () => [victim] }
  return {
    ...world,
    jobs: new Proxy(world.jobs, { get: (of, name) => Reflect.get(jobs, name) ?? Reflect.get(of, name) }),
  }
}

const faultsOf = async (saving: Promise<unknown>): Promise<string[]> => {
  const error = await saving.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof InvalidInput)) throw new Error('it was not refused for its body', { cause: error })
  return error.faults.map(({ path, code }) => `${path} ${code}`)
}

test('the id of a job is 64 bits of a hash that no tenant can find a second name for', () => {
  const digest = createHash('sha256').update('billing/nightly-invoices').digest('hex')
  expect(hashOfId(jobIdOf('billing', 'nightly-invoices')).toString(16).padStart(16, '0')).toBe(digest.slice(0, 16))
})

inEachBackend('a job of another name with the same id', (make) => {
  test('is not found, not changed and not replaced', async () => {
    const world = await begin(make)
    const { job: victim } = await saveBody(world, body('invoices', { namespace: 'billing' }), asking)
    const attacker = forged(world, victim)
    const name = { namespace: 'evil', name: 'forged' }
    expect(await findJob(attacker, name)).toBeNull()
    expect(await findJobs(attacker, ['evil/forged'])).toEqual(new Map())
    await expect(stopJob(attacker, name, { code: 'BY_HAND', reason: 'x' }, asking)).rejects.toMatchObject({
      code: 'not-found',
    })
    await expect(saveBody(attacker, body('forged', { namespace: 'evil' }), asking)).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await world.jobs.read(victim.id)).toEqual(victim)
  })
})

inEachBackend('a job', (make) => {
  const mine = (part: object) => body('mine', { namespace: 'search', ...part })

  test('takes templates and calendars of its own namespace and of the shared one', async () => {
    const world = await begin(make)
    await putDocument(world, 'calendar', 'days-off', { dates: ['12-25'] }, { namespace: 'shared' })
    await putDocument(world, 'template', 'office', { schedules: [{ cron: '0 9 * * *' }] }, { namespace: 'search' })
    const part = { schedules: [], template: 'search/office', calendars: ['shared/days-off'] }
    const { job } = await saveBody(world, mine(part), asking)
    expect(job.versions[0].timing).toMatchObject({
      schedules: [{ cron: '0 9 * * *' }],
      calendars: [{ name: 'shared/days-off', dates: ['12-25'] }],
    })
    const builtIn = mine({ schedules: [], template: 'shared/hourly' })
    expect((await saveBody(world, builtIn, asking)).job.versions[1].timing.schedules).toEqual([{ cron: '0 * * * *' }])
  })

  test('does not learn whether another tenant has a template or a calendar', async () => {
    const world = await begin(make)
    await putDocument(world, 'calendar', 'secret', { dates: ['12-25'] }, { namespace: 'billing' })
    await putDocument(world, 'template', 'secret', { schedules: [{ every: 60 }] }, { namespace: 'billing' })
    const asked = (name: string) =>
      faultsOf(saveBody(world, mine({ schedules: [], template: name, calendars: [name] }), asking))
    expect(await asked('billing/secret')).toEqual(['/template template.unknown', '/calendars/0 calendar.unknown'])
    expect(await asked('billing/none')).toEqual(await asked('billing/secret'))
    expect(await world.jobs.read(jobIdOf('search', 'mine'))).toBeNull()
  })

  test('starts and follows jobs of its own namespace only', async () => {
    const world = await begin(make)
    await saveBody(world, body('invoices', { namespace: 'billing' }), asking)
    const part = {
      then: [{ on: 'success', job: 'billing/invoices' }],
      after: [{ job: 'billing/invoices', within: 60 }],
    }
    expect(await faultsOf(saveBody(world, mine(part), asking))).toEqual([
      '/then/0/job job.foreign',
      '/after/0/job job.foreign',
    ])
  })

  test('that names one which is not there yet is saved with a warning', async () => {
    const world = await begin(make)
    const { warnings } = await saveBody(world, mine({ then: [{ on: 'success', job: 'search/later' }] }), asking)
    expect(warnings).toMatchObject([{ path: '/then/0/job', code: 'job.unknown' }])
    await saveBody(world, body('later', { namespace: 'search' }), asking)
    const again = await saveBody(world, mine({ then: [{ on: 'success', job: 'search/later' }] }), asking)
    expect(again).toMatchObject({ warnings: [], result: 'UNCHANGED' })
  })

  test('that would start itself in a ring is refused, with the ring', async () => {
    const world = await begin(make)
    const next = (name: string, to: string) =>
      body(name, { namespace: 'search', then: [{ on: 'success', job: `search/${to}` }] })
    await saveBody(world, next('b', 'c'), asking)
    await saveBody(world, next('c', 'mine'), asking)
    await expect(saveBody(world, next('mine', 'b'), asking)).rejects.toThrow(
      'search/mine → search/b → search/c → search/mine: these jobs would start one another for ever',
    )
    expect(await faultsOf(saveBody(world, mine({ after: [{ job: 'search/mine', within: 60 }] }), asking))).toEqual([
      '/after/0/job job.cycle',
    ])
  })

  test('is not put into the namespace that is shared', async () => {
    const world = await begin(make)
    expect(await faultsOf(saveBody(world, body('any', { namespace: 'shared' }), asking))).toEqual([
      '/namespace namespace.shared',
    ])
  })
})

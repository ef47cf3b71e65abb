// Every kind of request that the API takes, once.

import type { Crew } from './crew.ts'

const LARGE = { text: 'x'.repeat(2000) }
const ONCE = { schedules: [{ at: '2099-01-01T00:00:00Z' }] }

export async function tourOfApi(crew: Crew): Promise<void> {
  await documents(crew)
  await jobs(crew)
  await keys(crew)
}

async function documents(crew: Crew): Promise<void> {
  const put = { calendars: { dates: ['2099-12-25'] }, templates: { schedules: [{ every: '1d' }] } }
  for (const [kind, body] of Object.entries(put)) {
    for (const name of ['used', 'unused', 'third']) await crew.ask(`PUT /v1/${kind}/default/${name}`, body)
    await crew.ask(`GET /v1/${kind}/default/used`)
    await crew.ask(`GET /v1/${kind}`)
    await crew.ask(`DELETE /v1/${kind}/default/unused`)
  }
  for (const name of ['acme', 'other', 'third'])
    await crew.ask(`PUT /v1/namespaces/${name}`, { limits: { jobs: 50, triggersPerMinute: 60 } })
  await crew.ask('GET /v1/namespaces/acme')
  await crew.ask('GET /v1/namespaces')
  await crew.ask('DELETE /v1/namespaces/other')
}

async function jobs(crew: Crew): Promise<void> {
  await crew.save('toured', 'echo', { template: 'default/used', calendars: ['default/used'], payload: LARGE })
  await crew.save('toured', 'echo', { calendars: ['default/used'], payload: { ...LARGE, more: 1 } })
  await crew.ask('PATCH /v1/jobs/default/toured', { priority: 1 })
  await crew.ask('POST /v1/jobs/default/toured/stop', { reason: 'tour' })
  await crew.ask('POST /v1/jobs/default/toured/start', {})
  await crew.ask('POST /v1/jobs/default/toured/reschedule', { at: null })
  await crew.ask('GET /v1/jobs/default/toured')
  await crew.ask('GET /v1/jobs/default/toured/versions')
  await crew.ask('GET /v1/jobs/default/toured/versions?version=1')
  await crew.ask('GET /v1/jobs/default/toured/preview')
  await crew.ask('GET /v1/jobs?sort=lastFailure')
  // One-time jobs lie elsewhere until they become others. Each act comes three times, because of each kind one answer is lost.
  for (const name of ['once-1', 'once-2', 'once-3']) {
    await crew.save(name, 'echo', ONCE)
    await crew.save(name, 'echo', { ...ONCE, payload: { n: 1 } })
    await crew.save(name, 'echo', { payload: { n: 1 } })
    await crew.ask(`DELETE /v1/jobs/default/${name}`)
  }
  await crew.save('ends', 'echo', { schedules: [{ at: crew.at(3600) }], deleteAfter: '1d' })
  const batch = {
    items: [{ put: { name: 'batched', namespace: 'acme', ...ONCE, target: { type: 'handler', handler: 'echo' } } }],
  }
  await crew.ask('POST /v1/jobs/batch', batch)
  await crew.ask('PUT /v1/calendars/default/used', { dates: ['2099-12-26'] })
}

async function keys(crew: Crew): Promise<void> {
  const headers = (name: string) => ({ headers: { 'idempotency-key': name } })
  const body = { name: 'tour', role: 'viewer', namespaces: ['acme'] }
  const made = []
  for (const name of ['first', 'second', 'third'])
    made.push((await crew.ask('POST /v1/keys', body, headers(name))).json)
  await crew.ask('POST /v1/keys', body, headers('first'))
  await crew.ask('POST /v1/jobs/default/absent/stop', {}, { ...headers('refused'), status: 404 })
  await crew.ask('GET /v1/keys')
  await crew.ask(`GET /v1/keys/${made[0].id}`)
  for (const { id } of made) await crew.ask(`POST /v1/keys/${id}/rotate`, { overlap: '1d' })
  for (const { id } of made) await crew.ask(`DELETE /v1/keys/${id}`)
  await crew.ask('GET /v1/audit')
  await crew.ask('GET /v1/me')
}

/** What can only be asked when runs are there. */
export async function tourOfRuns(crew: Crew): Promise<void> {
  const headers = { headers: { 'idempotency-key': 'trigger' } }
  await crew.save('by-hand', 'hold', { payload: { ms: 4000 }, timeout: 120 })
  const { json: first } = await crew.ask('POST /v1/jobs/default/by-hand/trigger', {}, headers)
  await crew.ask('POST /v1/jobs/default/by-hand/trigger', {}, headers)
  for (let n = 0; n < 3; n++) {
    const id = await crew.trigger('by-hand')
    await crew.ask(`POST /v1/runs/${id}/cancel`, {})
    await crew.ask(`POST /v1/runs/${id}/retry`, {})
    await crew.ask(`GET /v1/runs?root=${id}`)
  }
  await crew.ask(`GET /v1/runs/${first.id}`)
  const { json: waiting } = await crew.ask('GET /v1/runs?status=WAITING,RUNNING&trigger=SCHEDULE')
  for (const { id } of waiting.items.slice(0, 4)) await crew.ask(`POST /v1/runs/${id}/cancel`, {})
  await crew.ask('GET /v1/jobs/default/careless-fast/runs')
  for (const query of ['', '?status=FAILED', '?status=QUEUED,WAITING,RUNNING', '?status=MISSED', '?limit=3'])
    await crew.ask(`GET /v1/runs${query}`)
  await crew.ask('GET /v1/jobs?sort=lastFailure')
}

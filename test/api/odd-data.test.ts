// Features used together, with data as strangers have it.

import { expect, test } from 'vitest'
import { type OpenedApi, openApi } from '../support/api/open-api.ts'
import { pass } from '../support/api/pass.ts'

const ECHO = { type: 'handler', handler: 'echo' }
const EVERY = { schedules: [{ every: 30 }], target: ECHO }

const TEXTS = {
  emoji: '👩‍👩‍👧‍👦 🎉 🇧🇪',
  chinese: '每日报告：销售额（元）',
  arabic: 'تقرير يومي',
  override: 'safe\u202Eexe.txt',
  combining: 'e\u0301 vs \u00e9',
  script: '<script>alert(1)</script>',
  formula: '=HYPERLINK("http://x")',
  quotes: `"'\`\\ {{secret.x}} \${x}`,
  blanks: ' \u00a0\u2003 ',
}

test('text of every script comes back as it was sent, in definitions, versions, runs, stops, the audit and the list', async () => {
  const { ask } = await openApi()
  const body = { ...EVERY, description: TEXTS.chinese, tags: { ...TEXTS, formula: 'a=b', script: 'x' }, payload: TEXTS }
  expect((await ask('PUT', '/v1/jobs/default/odd', { body })).status).toBe(201)
  const read = (await ask('GET', '/v1/jobs/default/odd')).json
  expect(read).toMatchObject({ description: body.description, tags: body.tags, payload: TEXTS })
  expect((await ask('PUT', '/v1/jobs/default/odd', { body: read })).json.version).toBe(1)

  const payload = { ...TEXTS, [TEXTS.emoji]: [TEXTS.arabic, null, { '': '\u0000' }] }
  const run = (await ask('POST', '/v1/jobs/default/odd/trigger', { body: { payload } })).json
  expect((await ask('GET', `/v1/runs/${run.id}`)).json.payload).toEqual(payload)

  for (const reason of Object.values(TEXTS)) {
    const stopped = await ask('POST', '/v1/jobs/default/odd/stop', {
      body: { reason },
      headers: { 'tickring-actor': 'anna' },
    })
    expect(stopped.json.stopped).toMatchObject({ reason, by: { onBehalfOf: 'anna' } })
  }
  const { json: audit } = await ask('GET', '/v1/audit?action=job.stop&by=anna')
  const reasons = audit.items.map(({ reason }: { reason: string }) => reason)
  expect(new Set(reasons)).toEqual(new Set(Object.values(TEXTS)))

  const { json: version } = await ask('GET', '/v1/jobs/default/odd/versions?version=1')
  expect(version.items[0].definition).toMatchObject({ description: TEXTS.chinese, payload: TEXTS })
})

test('jobs are found by parts of names and descriptions, and by tags, of any script', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/default/odd', {
    body: { ...EVERY, description: `Ärger mit ${TEXTS.chinese} 🎉`, tags: { team: '销售:华东', 'x.y': '' } },
  })
  await ask('PUT', '/v1/jobs/default/plain', { body: EVERY })
  const found = async (query: string) => (await ask('GET', `/v1/jobs?${query}`)).json.total
  expect(await found(`q=${encodeURIComponent('报告')}`)).toBe(1)
  expect(await found(`q=${encodeURIComponent('🎉')}`)).toBe(1)
  expect(await found(`q=${encodeURIComponent('ärger')}`)).toBe(1)
  expect(await found(`q=${encodeURIComponent('.*')}`)).toBe(0)
  expect(await found(`q=${encodeURIComponent('%')}`)).toBe(0)
  expect(await found(`tag=${encodeURIComponent('team:销售:华东')}`)).toBe(1)
  expect(await found('tag=team')).toBe(1)
  expect(await found('tag=x.y:')).toBe(1)
  expect(await found('tag=constructor')).toBe(0)
  expect(await found('tag=__proto__')).toBe(0)
  const { json } = await ask('GET', '/v1/jobs?facets=tag')
  expect(json.facets.tag).toEqual({ team: { '销售:华东': 1 }, 'x.y': { '': 1 } })
})

test('a job that never failed is in no list of failures, however far back it looks', async () => {
  const { ask } = await openApi()
  await ask('PUT', '/v1/jobs/default/fine', { body: EVERY })
  for (const since of ['1h', '1970-01-01T00:00:00Z', '999999999d']) {
    expect((await ask('GET', `/v1/jobs?failedSince=${since}`)).json.total, since).toBe(0)
  }
})

test('words that every object knows are names, tags and values as any other', async () => {
  const { ask } = await openApi()
  const values = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
  for (const [n, team] of values.entries()) {
    const body = { ...EVERY, tags: { team, constructor: 'x' } }
    expect((await ask('PUT', `/v1/jobs/constructor/job-${n}`, { body })).status).toBe(201)
  }
  const { json } = await ask('GET', '/v1/jobs?facets=namespace,tag&limit=1')
  expect(json.facets.namespace).toEqual({ constructor: 5 })
  expect(Object.entries(json.facets.tag.team).sort()).toEqual(values.map((value) => [value, 1]).sort())
  expect((await ask('GET', '/v1/jobs?tag=team:__proto__')).json.total).toBe(1)
  expect((await ask('GET', '/v1/jobs?tag=tostring')).json.total).toBe(0)
  expect((await ask('GET', '/v1/namespaces/constructor')).json.jobs).toBe(5)
})

test('on whose behalf is a name in visible ASCII or it is refused, and nothing is done', async () => {
  const { ask } = await openApi()
  const headers = { 'tickring-actor': '安娜' }
  expect((await ask('PUT', '/v1/jobs/default/odd', { body: EVERY, headers })).status).toBe(400)
  expect((await ask('GET', '/v1/jobs/default/odd')).status).toBe(404)
})

async function allPages(
  { ask }: OpenedApi,
  query: string,
): Promise<{ names: string[]; items: Record<string, never>[] }> {
  const items: Record<string, never>[] = []
  let cursor: string | null = null
  do {
    const path: string = `/v1/jobs?${query}${cursor === null ? '' : `&cursor=${cursor}`}`
    const { json, status } = await ask('GET', path)
    expect(status).toBe(200)
    expect(json.total).toBe(1000)
    items.push(...json.items)
    cursor = json.next
  } while (cursor !== null)
  return { names: items.map(({ name }) => name), items }
}

test('a thousand jobs by batch stand in every sort of the list once, none missing, in order, page by page', async () => {
  const opened = await openApi()
  const names = Array.from({ length: 1000 }, (_, n) => `job-${String(n).padStart(4, '0')}`)
  const put = (name: string, n: number) => ({
    put: {
      name,
      description: n % 2 === 0 ? '报告' : '',
      // Many share their next instant, some have none: pages must not lose those that are alike.
      schedules: n % 10 === 0 ? [] : n % 3 === 0 ? [{ at: '2027-06-01T00:00:00Z' }] : [{ every: 3600 }],
    },
  })
  for (const half of [0, 500]) {
    const items = names.slice(half, half + 500).map((name, n) => put(name, half + n))
    const { json } = await opened.ask('POST', '/v1/jobs/batch', { body: { defaults: { target: ECHO }, items } })
    expect(json.counts).toMatchObject({ CREATED: 500, FAILED: 0 })
    await pass(opened, 5)
  }
  for (const sort of ['name', 'updated', 'next', 'lastFailure']) {
    for (const direction of ['', '-']) {
      for (const limit of [7, 100]) {
        const { names: listed, items } = await allPages(opened, `sort=${direction}${sort}&limit=${limit}`)
        expect(listed.toSorted(), `sort=${direction}${sort}`).toEqual(names)
        const keys = items.map((item) =>
          sort === 'name' ? item.name : sort === 'updated' ? item.updatedAt : item.next[0],
        )
        if (sort === 'lastFailure') continue
        const known = keys.filter((key) => key !== undefined)
        const sorted = known.toSorted()
        expect(known).toEqual(direction === '' ? sorted : sorted.toReversed())
        // Those without come last, whichever way.
        expect(keys.slice(known.length).every((key) => key === undefined)).toBe(true)
      }
    }
  }
})

test('a job that is put and one that is deleted while the pages are read move no other from its page', async () => {
  const opened = await openApi()
  for (let n = 0; n < 30; n++)
    await opened.ask('PUT', `/v1/jobs/default/job-${String(n).padStart(2, '0')}`, { body: EVERY })
  const first = (await opened.ask('GET', '/v1/jobs?limit=10')).json
  await opened.ask('DELETE', '/v1/jobs/default/job-05')
  await opened.ask('DELETE', '/v1/jobs/default/job-09')
  await opened.ask('PUT', '/v1/jobs/default/job-00a', { body: EVERY })
  const second = (await opened.ask('GET', `/v1/jobs?limit=10&cursor=${first.next}`)).json
  expect(second.items.map(({ name }: { name: string }) => name)).toEqual(
    Array.from({ length: 10 }, (_, n) => `job-${n + 10}`),
  )
})

test('a payload of 64 kB is saved, read, triggered, told by its version alone, and sent back as it is', async () => {
  const { ask } = await openApi()
  const payload = { text: '报'.repeat(Math.floor((64 * 1024 - 17) / 3)), n: 1 }
  const body = { ...EVERY, payload }
  const bytes = Buffer.byteLength(JSON.stringify(payload))
  expect([bytes > 64 * 1024 - 3, bytes <= 64 * 1024]).toEqual([true, true])
  expect((await ask('PUT', '/v1/jobs/default/big', { body })).status).toBe(201)
  const read = await ask('GET', '/v1/jobs/default/big')
  expect(read.json.payload).toEqual(payload)
  expect((await ask('PUT', '/v1/jobs/default/big', { body: read.json })).json.version).toBe(1)
  expect((await ask('PATCH', '/v1/jobs/default/big', { body: { priority: 1 } })).json).toMatchObject({
    version: 2,
    payload,
  })
  expect((await ask('POST', '/v1/jobs/default/big/stop')).json.payload).toEqual(payload)
  expect((await ask('POST', '/v1/jobs/default/big/start')).json.payload).toEqual(payload)

  const run = (await ask('POST', '/v1/jobs/default/big/trigger')).json
  expect((await ask('GET', `/v1/runs/${run.id}`)).json.payload).toEqual(payload)

  const { json: list } = await ask('GET', '/v1/jobs/default/big/versions')
  expect(list.items).toHaveLength(4)
  for (const { definition } of list.items) expect(definition).not.toHaveProperty('payload')
  for (const version of [1, 2, 3, 4]) {
    const { json } = await ask('GET', `/v1/jobs/default/big/versions?version=${version}`)
    expect(json.items[0].definition.payload).toEqual(payload)
  }
  expect((await ask('PATCH', '/v1/jobs/default/big', { body: { payload: null } })).json.payload).toEqual({})
  const { json: before } = await ask('GET', '/v1/jobs/default/big/versions?version=4')
  expect(before.items[0].definition.payload).toEqual(payload)
})

test('a job that is deleted and put again goes on counting its versions, and its old runs and versions stay readable', async () => {
  const opened = await openApi()
  const { ask } = opened
  await ask('PUT', '/v1/jobs/default/phoenix', { body: { ...EVERY, description: 'first life' } })
  const run = (await ask('POST', '/v1/jobs/default/phoenix/trigger')).json
  await pass(opened, 10)
  expect((await ask('DELETE', '/v1/jobs/default/phoenix')).status).toBe(204)
  expect((await ask('GET', '/v1/jobs/default/phoenix')).status).toBe(404)
  expect((await ask('GET', '/v1/jobs')).json.total).toBe(0)
  expect((await ask('GET', `/v1/runs/${run.id}`)).json).toMatchObject({ id: run.id, job: { version: 1 } })
  expect((await ask('GET', '/v1/jobs/default/phoenix/runs')).json.items).toHaveLength(1)
  await pass(opened, 10)

  const again = await ask('PUT', '/v1/jobs/default/phoenix', {
    body: { ...EVERY, description: 'second life' },
    headers: { 'if-none-match': '*' },
  })
  expect(again.status).toBe(201)
  expect(again.json).toMatchObject({ version: 3, description: 'second life', stopped: null })
  expect(again.json.createdAt > run.queuedAt).toBe(true)
  const { json: versions } = await ask('GET', '/v1/jobs/default/phoenix/versions')
  expect(versions.items.map(({ version, status }: { version: number; status: string }) => [version, status])).toEqual([
    [3, 'RUNNING'],
    [2, 'DELETED'],
    [1, 'RUNNING'],
  ])
  expect((await ask('GET', `/v1/runs/${run.id}`)).status).toBe(200)
  expect((await ask('GET', '/v1/jobs')).json.total).toBe(1)
})

test('a calendar that is edited gives the jobs that use it new fires, and cannot be deleted under them', async () => {
  const opened = await openApi()
  const { ask } = opened
  await ask('PUT', '/v1/calendars/shared/holidays', { body: { description: '假日 🎉', dates: [] } })
  const daily = { schedules: [{ cron: '0 12 * * *' }], target: ECHO, calendars: ['shared/holidays'] }
  for (const name of ['a', 'b']) await ask('PUT', `/v1/jobs/default/${name}`, { body: daily })
  await ask('POST', '/v1/jobs/default/b/stop', { body: { reason: 'rest' } })
  await pass(opened, 10)
  const dates = ['2027-02-10/2027-02-12', '02-14']
  const { json } = await ask('PUT', '/v1/calendars/shared/holidays', { body: { dates } })
  expect(json).toMatchObject({ version: 2, usedBy: 2, applied: true })
  await pass(opened, 10)
  const read = (await ask('GET', '/v1/jobs/default/a')).json
  expect(read).toMatchObject({
    version: 2,
    next: ['2027-02-13T12:00:00Z', '2027-02-15T12:00:00Z', '2027-02-16T12:00:00Z'],
  })
  // A stop stays a stop, with its own words.
  const stopped = (await ask('GET', '/v1/jobs/default/b')).json
  expect(stopped).toMatchObject({ version: 3, status: 'STOPPED', stopped: { reason: 'rest' }, next: [] })
  expect((await ask('DELETE', '/v1/calendars/shared/holidays')).status).toBe(409)
  // The same dates again change no job.
  expect((await ask('PUT', '/v1/calendars/shared/holidays', { body: { dates } })).json.version).toBe(2)
  expect((await ask('GET', '/v1/jobs/default/a')).json.version).toBe(2)
})

test('a template that is edited reaches a job when the job is saved again, and cannot be deleted under it', async () => {
  const opened = await openApi()
  const { ask } = opened
  await ask('PUT', '/v1/templates/default/often', { body: { schedules: [{ every: 60 }] } })
  const body = { template: 'default/often', target: ECHO }
  await ask('PUT', '/v1/jobs/default/a', { body })
  await pass(opened, 10)
  await ask('PUT', '/v1/templates/default/often', { body: { schedules: [{ every: 3600 }] } })
  const before = (await ask('GET', '/v1/jobs/default/a')).json
  expect(before).toMatchObject({ version: 1, explain: ['every minute'], schedules: [] })
  // Acts leave the times as they were taken over.
  await ask('POST', '/v1/jobs/default/a/stop')
  await pass(opened, 10)
  await ask('POST', '/v1/jobs/default/a/start')
  await pass(opened, 10)
  expect((await ask('GET', '/v1/jobs/default/a')).json.explain).toEqual(['every minute'])
  const saved = (await ask('PUT', '/v1/jobs/default/a', { body })).json
  expect(saved).toMatchObject({ version: 4, explain: ['every hour'] })
  expect((await ask('DELETE', '/v1/templates/default/often')).status).toBe(409)
  await pass(opened, 10)
  await ask('PATCH', '/v1/jobs/default/a', { body: { template: null } })
  expect((await ask('DELETE', '/v1/templates/default/often')).status).toBe(204)
})

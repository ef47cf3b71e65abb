// Random calls against a few jobs, held against a model: what each answers, and what can be read afterwards.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type OpenedApi, openApi } from '../support/api/open-api.ts'
import { pass } from '../support/api/pass.ts'
import { type Body, type Condition, JobModel, type Schedule } from './job-model.ts'

/** Times are told as seconds from now, so that they mean something wherever in a story a call stands. */
type Call =
  | { readonly act: 'put' | 'again'; readonly body: Body; readonly condition: Condition }
  | { readonly act: 'patch'; readonly patch: Partial<Body>; readonly nulls: boolean; readonly condition: Condition }
  | { readonly act: 'delete'; readonly condition: Condition }
  | { readonly act: 'stop'; readonly until: number | null }
  | { readonly act: 'reschedule'; readonly at: number | null }
  | { readonly act: 'start' | 'trigger' }

const ats = [-3600, -30, 5, 40, 7200].map((at) => ({ at }))
const schedule = fc.constantFrom<Schedule[]>({ every: 30 }, { every: 3600 }, null, ...ats)
const status = fc.constantFrom<Body['status']>(undefined, undefined, 'RUNNING', 'STOPPED')
const body = fc.record({ schedule, priority: fc.constantFrom(0, 0, 5), status })
const condition = fc.constantFrom<Condition>('none', 'none', 'none', 'current', 'stale', 'any', 'absent')
const call = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constantFrom('put' as const, 'again' as const), body, condition }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('patch' as const),
      patch: fc.record({ schedule, priority: fc.constantFrom(0, 5), status }, { requiredKeys: [] }),
      nulls: fc.boolean(),
      condition,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delete' as const), condition }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('stop' as const),
      until: fc.constantFrom(null, -5, 0, 1, 3, 15, 100, 5000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constant('reschedule' as const), at: fc.constantFrom(null, -5, 3, 35, 60, 4000) }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('start' as const, 'trigger' as const) }) },
)
const step = fc.record({ name: fc.constantFrom('a', 'b'), call, seconds: fc.constantFrom(10, 10, 10, 70, 4000) })

const text = (second: number) => `${new Date(second * 1000).toISOString().slice(0, 19)}Z`
const schedulesOf = (of: Schedule) =>
  of === null ? [] : 'every' in of ? [{ every: of.every, anchor: '1970-01-01T00:00:00Z' }] : [{ at: text(of.at) }]
const fieldsOf = ({ schedule: of, ...rest }: Partial<Body>) => ({
  ...(of === undefined ? {} : { schedules: schedulesOf(of) }),
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
})
const target = { type: 'handler', handler: 'echo' }

function headersOf(model: JobModel, of: Condition): Record<string, string> {
  const version = model.isThere ? model.version : 1
  const headers = {
    none: {},
    current: { 'if-match': `"${version}"` },
    stale: { 'if-match': `"${version + 1}"` },
    any: { 'if-match': '*' },
    absent: { 'if-none-match': '*' },
  }
  return headers[of]
}

/** Makes a call, and returns the status that the model expects beside the one that came. */
async function made({ ask }: OpenedApi, name: string, model: JobModel, asked: Call, now: number) {
  const path = `/v1/jobs/default/${name}`
  const absolute = (of: Schedule) => (of !== null && 'at' in of ? { at: now + of.at } : of)
  switch (asked.act) {
    case 'put':
    case 'again': {
      // The same definition again, as a client does that did not hear the answer.
      const isAgain = asked.act === 'again' && model.isThere
      const sent = isAgain
        ? { schedule: model.schedule, priority: model.priority }
        : { ...asked.body, schedule: absolute(asked.body.schedule) }
      const headers = headersOf(model, asked.condition)
      const expected = model.refusal(asked.condition) ?? model.put(sent, now)
      const { status: got } = await ask('PUT', path, { body: { ...fieldsOf(sent), target }, headers })
      return { expected, got }
    }
    case 'patch': {
      const { priority, schedule: of, status: wanted } = asked.patch
      const sent: Partial<Body> = {
        ...(of === undefined ? {} : { schedule: absolute(of) }),
        ...(priority === undefined ? {} : { priority }),
        ...(wanted === undefined ? {} : { status: wanted }),
      }
      const headers = headersOf(model, asked.condition)
      const patch = { ...fieldsOf(sent), ...(asked.nulls ? { priority: null, description: null } : {}) }
      const whole = {
        schedule: model.schedule,
        priority: model.priority,
        ...sent,
        ...(asked.nulls ? { priority: 0 } : {}),
      }
      const refused = model.refusal(asked.condition) ?? (model.isThere ? null : 404)
      const expected = refused ?? model.put(whole, now)
      return { expected, got: (await ask('PATCH', path, { body: patch, headers })).status }
    }
    case 'delete': {
      const headers = headersOf(model, asked.condition)
      const expected = model.refusal(asked.condition) ?? (model.isThere ? model.delete() : 404)
      return { expected, got: (await ask('DELETE', path, { headers })).status }
    }
    case 'stop': {
      const until = asked.until === null ? null : now + asked.until
      const expected = until !== null && until <= now ? 422 : model.isThere ? model.stop(until, now) : 404
      const sent = { reason: 'why', until: until === null ? null : text(until) }
      return { expected, got: (await ask('POST', `${path}/stop`, { body: sent })).status }
    }
    case 'reschedule': {
      const at = asked.at === null ? null : now + asked.at
      const expected = model.isThere ? model.reschedule(at, now) : 404
      const sent = { at: at === null ? null : text(at) }
      return { expected, got: (await ask('POST', `${path}/reschedule`, { body: sent })).status }
    }
    case 'start': {
      const expected = model.isThere ? model.start(now) : 404
      return { expected, got: (await ask('POST', `${path}/start`)).status }
    }
    case 'trigger':
      return { expected: model.isThere ? 202 : 404, got: (await ask('POST', `${path}/trigger`)).status }
  }
}

async function looksAsItShould({ ask }: OpenedApi, name: string, model: JobModel, now: number): Promise<void> {
  const { status: got, json, headers } = await ask('GET', `/v1/jobs/default/${name}`)
  expect(got).toBe(model.isThere ? 200 : 404)
  if (!model.isThere) return
  const stop = model.stopAt(now)
  expect({
    version: json.version,
    etag: headers.etag,
    status: json.status,
    code: json.stopped?.code ?? null,
    until: json.stopped?.until ?? null,
    schedules: json.schedules,
    priority: json.priority,
    next: json.next,
  }).toEqual({
    version: model.version,
    etag: `"${model.version}"`,
    status: stop === null ? 'RUNNING' : 'STOPPED',
    code: stop?.code ?? null,
    until: stop === null || stop.until === Number.POSITIVE_INFINITY ? null : text(stop.until),
    schedules: schedulesOf(model.schedule),
    priority: model.priority,
    next: model.next(now).map(text),
  })
}

test('whatever is called in whatever order, a job answers and reads as the model says', {
  timeout: 120_000,
}, async () => {
  const story = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
    const opened = await openApi()
    const models = { a: new JobModel(), b: new JobModel() }
    for (const [place, { name, call: asked, seconds }] of steps.entries()) {
      const model = models[name as 'a' | 'b']
      const { expected, got } = await made(opened, name, model, asked, Math.floor(opened.nowMs() / 1000))
      expect(got, `step ${place}, ${asked.act}`).toBe(expected)
      await pass(opened, seconds)
      for (const each of ['a', 'b'] as const) {
        await looksAsItShould(opened, each, models[each], Math.floor(opened.nowMs() / 1000))
      }
    }
    const { json } = await opened.ask('GET', '/v1/jobs')
    expect(json.total).toBe(Object.values(models).filter(({ isThere }) => isThere).length)
  })
  // A failure prints its seed and the shortest story that shows it.
  await fc.assert(story, { numRuns: Number(process.env.STORIES ?? 60) })
})

// Jobs with fields of a wrong type, out of range, too long, or that contradict each other.

import { beforeAll, describe, expect, test } from 'vitest'
import { openForRefusals } from '../support/api/refusal.ts'

let api: Awaited<ReturnType<typeof openForRefusals>>
beforeAll(async () => {
  api = await openForRefusals()
})

const JOB = '/v1/jobs/default/new'
const WHOLE = { schedules: [{ every: 30 }], target: { type: 'handler', handler: 'echo' } }
const INVALID = { status: 422, code: 'invalid' }

type Case = readonly [why: string, fields: Readonly<Record<string, unknown>>, ...paths: readonly string[]]

function refusedEach(cases: readonly Case[]) {
  test.each(cases.map(([why, fields, ...paths]) => ({ why, fields, paths })))('$why', async ({ fields, paths }) => {
    const faults = paths.map((path) => `body ${path}`)
    await api.refused('PUT', JOB, { body: { ...WHOLE, ...fields } }, { ...INVALID, faults })
  })
}

const many = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a job is refused with a field of another type', () => {
  refusedEach([
    ['target is null', { target: null }, '/target'],
    ['target is text', { target: 'echo' }, '/target'],
    ['target is a list', { target: [] }, '/target'],
    ['target has no type', { target: {} }, '/target/type'],
    ['target of an unknown type', { target: { type: 'script', code: '1' } }, '/target/type'],
    ['target of a type that objects have', { target: { type: 'constructor' } }, '/target/type'],
    ['handler is missing', { target: { type: 'handler' } }, '/target/handler'],
    ['handler is a way out of a folder', { target: { type: 'handler', handler: '../x' } }, '/target/handler'],
    ['handler is a number', { target: { type: 'handler', handler: 5 } }, '/target/handler'],
    ['schedules is null', { schedules: null }, '/schedules'],
    ['schedules is an object', { schedules: { every: 30 } }, '/schedules'],
    ['description is null', { description: null }, '/description'],
    ['description is a number', { description: 5 }, '/description'],
    ['tags is a list', { tags: [] }, '/tags'],
    ['a tag is a number', { tags: { team: 5 } }, '/tags/team'],
    ['a tag is null', { tags: { team: null } }, '/tags/team'],
    ['priority is text', { priority: '5' }, '/priority'],
    ['skipIfSuccessful is text', { skipIfSuccessful: 'true' }, '/skipIfSuccessful'],
    ['dst is text', { dst: 'shift' }, '/dst'],
    ['history is null', { history: null }, '/history'],
    ['calendars is text', { calendars: 'shared/x' }, '/calendars'],
    ['then is an object', { then: { on: 'success', job: 'default/x' } }, '/then'],
    ['retry is a number', { retry: 3 }, '/retry'],
    [
      'all faults at once, each at its place',
      { priority: '5', description: 1, tags: { a: 1, b: ',' }, retry: { attempts: -1 }, nonsense: 1 },
      '/description',
      '/tags/a',
      '/tags/b',
      '/retry/attempts',
      '/priority',
      '/nonsense',
    ],
    [
      'a schedule that makes no sense beside a field of another type',
      { priority: '5', schedules: [{ every: 30 }, { cron: '60 * * * * *' }] },
      '/priority',
      '/schedules/1/cron',
    ],
  ])

  test('a body without anything is told of target and of schedules', async () => {
    const faults = ['body /target', 'body /schedules']
    await api.refused('PUT', JOB, { body: {} }, { ...INVALID, faults })
  })

  test('of thousands of faults a hundred are told, and how many there are', async () => {
    const tags = Object.fromEntries(many(5000).map((n) => [`T${n}`, 'a,b']))
    const { json } = await api.refused('PUT', JOB, { body: { ...WHOLE, tags } }, INVALID)
    expect(json.errors).toHaveLength(100)
    expect(json.detail).toMatch(/^\d{4,5} faults; nothing was changed$/)
  })

  test('schedules must be said, if only to be none', async () => {
    await api.refused('PUT', JOB, { body: { target: WHOLE.target } }, { ...INVALID, faults: ['body /schedules'] })
  })
})

describe('a job is refused with a field that there is not, or that is not for writing', () => {
  refusedEach([
    ['an unknown field', { colour: 'red' }, '/colour'],
    ['a field in another case', { Priority: 1 }, '/Priority'],
    ['an unknown field inside', { retry: { attempts: 1, times: 2 } }, '/retry/times'],
    ['another namespace than the path says', { namespace: 'billing' }, '/namespace'],
    ['another name than the path says', { name: 'other' }, '/name'],
    ['a name that is a number', { name: 5 }, '/name'],
    ['a name that is null', { name: null }, '/name'],
  ])

  test.each([
    ['id'],
    ['version'],
    ['activeFrom'],
    ['createdAt'],
    ['updatedAt'],
    ['managedBy'],
    ['effective'],
    ['explain'],
    ['stopped'],
    ['next'],
    ['last'],
    ['moved'],
    ['warnings'],
    ['namespace'],
    ['name'],
  ])('%s is read-only in a patch', async (field) => {
    const asked = { body: { [field]: null } }
    await api.refused('PATCH', '/v1/jobs/default/there', asked, { ...INVALID, faults: [`body /${field}`] })
  })

  test('a patch with null for a field that there is not is refused as any unknown field', async () => {
    const asked = { body: { priority: 5, colour: null } }
    await api.refused('PATCH', '/v1/jobs/default/there', asked, { ...INVALID, faults: ['body /colour'] })
  })

  test('a patch with null for the target is refused: it has no default', async () => {
    const asked = { body: { target: null } }
    await api.refused('PATCH', '/v1/jobs/default/there', asked, { ...INVALID, faults: ['body /target'] })
  })
})

describe('a job is refused with text that is too long or of other characters', () => {
  refusedEach([
    ['a description of 1,001 characters', { description: 'x'.repeat(1001) }, '/description'],
    ['a description of 100 kB', { description: 'x'.repeat(100_000) }, '/description'],
    ['51 tags', { tags: Object.fromEntries(many(51).map((n) => [`t${n}`, ''])) }, '/tags'],
    ['a tag with a comma', { tags: { team: 'a,b' } }, '/tags/team'],
    ['a tag with a line break', { tags: { team: 'a\nb' } }, '/tags/team'],
    ['a tag with NUL', { tags: { team: '\u0000' } }, '/tags/team'],
    ['a tag of 101 characters', { tags: { team: 'x'.repeat(101) } }, '/tags/team'],
    ['a tag named in capitals', { tags: { Team: 'x' } }, '/tags/Team'],
    ['a tag named with a slash and a tilde', { tags: { 'a/b~c': 'x' } }, '/tags/a~1b~0c'],
    ['a tag without a name', { tags: { '': 'x' } }, '/tags/'],
    ['a tag named in Chinese', { tags: { 团队: 'x' } }, '/tags/团队'],
    ['a tag name of 127 characters', { tags: { ['x'.repeat(127)]: 'x' } }, `/tags/${'x'.repeat(127)}`],
    ['a template without a namespace', { template: 'hourly' }, '/template'],
    ['a template that is not there', { template: 'default/none' }, '/template'],
    ['a template of another namespace', { template: 'billing/there' }, '/template'],
    ['a template that objects have', { template: 'shared/constructor' }, '/template'],
    ['a calendar that is not there', { calendars: ['default/there', 'default/none'] }, '/calendars/1'],
    ['21 calendars', { calendars: many(21).map((n) => `default/c${n}`) }, '/calendars'],
    ['a job of another namespace that follows', { then: [{ on: 'success', job: 'billing/x' }] }, '/then/0/job'],
    ['a job that follows itself', { then: [{ on: 'success', job: 'default/new' }] }, '/then/0/job'],
    ['a job that waits for itself', { after: [{ job: 'default/new', within: 60 }] }, '/after/0/job'],
    ['an unknown end to follow', { then: [{ on: 'SUCCESS', job: 'default/x' }] }, '/then/0/on'],
    ['21 followers', { then: many(21).map((n) => ({ on: 'success', job: `default/j${n}` })) }, '/then'],
    ['after without within', { after: [{ job: 'default/x' }] }, '/after/0/within'],
    ['a status in lower case', { status: 'stopped' }, '/status'],
    ['an unknown status', { status: 'DELETED' }, '/status'],
    ['a payload of 400 kB', { payload: 'x'.repeat(70_000) }, '/payload'],
  ])

  test.each([
    ['capitals', 'New'],
    ['a hidden space', 'a\u200Bb'],
    ['an RTL override', 'a\u202Eb'],
    ['Chinese', '报告'],
    ['an emoji', '🎉'],
    ['a combining accent', 'e\u0301'],
    ['a fullwidth letter', 'ａ'],
    ['a leading hyphen', '-a'],
    ['a leading dot', '.a'],
    ['a formula', '=1+1'],
    ['an at sign', '@a'],
    ['a script', '<script>'],
    ['the separator of keys', 'a#b'],
    ['a blank', ' '],
    ['127 characters', 'a'.repeat(127)],
    ['NUL', 'a\u0000'],
  ])('a name with %s is 400, and the message shows no hidden character', async (_, name) => {
    const expected = { status: 400, code: 'bad-request', faults: ['path /name'] }
    const { text } = await api.refused('PUT', `/v1/jobs/default/${name}`, { body: WHOLE }, expected)
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })

  test.each([['constructor'], ['tostring'], ['hasownproperty'], ['a'.repeat(126)], ['0'], ['x.y_z-1']])(
    'a name such as %s is as good as any',
    async (name) => {
      const { ask } = await openForRefusals()
      expect((await ask('PUT', `/v1/jobs/default/${name}`, { body: WHOLE })).status).toBe(201)
      expect((await ask('GET', `/v1/jobs/default/${name}`)).json.name).toBe(name)
      expect((await ask('GET', `/v1/jobs?job=default/${name}`)).json.total).toBe(1)
    },
  )
})

describe('a job is refused with a policy that there is not or that is out of range', () => {
  refusedEach([
    ['an unknown strategy', { block: { strategy: 'QUEUE' } }, '/block/strategy'],
    ['a strategy in lower case', { block: { strategy: 'serial' } }, '/block/strategy'],
    ['a strategy that objects have', { block: { strategy: 'toString' } }, '/block/strategy'],
    ['CONCURRENT without max', { block: { strategy: 'CONCURRENT' } }, '/block/max'],
    ['CONCURRENT of 0', { block: { strategy: 'CONCURRENT', max: 0 } }, '/block/max'],
    ['CONCURRENT of 1001', { block: { strategy: 'CONCURRENT', max: 1001 } }, '/block/max'],
    ['CONCURRENT of 1.5', { block: { strategy: 'CONCURRENT', max: 1.5 } }, '/block/max'],
    ['SERIAL with max', { block: { strategy: 'SERIAL', max: 2 } }, '/block/max'],
    ['an unknown misfire policy', { misfire: { policy: 'IGNORE' } }, '/misfire/policy'],
    ['misfire in lower case', { misfire: { policy: 'do_nothing' } }, '/misfire/policy'],
    ['CATCH_UP without window', { misfire: { policy: 'CATCH_UP' } }, '/misfire/window'],
    ['CATCH_UP of a billion seconds', { misfire: { policy: 'CATCH_UP', window: 1e9 } }, '/misfire/window'],
    ['CATCH_UP of 0 runs', { misfire: { policy: 'CATCH_UP', window: 60, max: 0 } }, '/misfire/max'],
    ['CATCH_UP of 1001 runs', { misfire: { policy: 'CATCH_UP', window: 60, max: 1001 } }, '/misfire/max'],
    ['CATCH_UP beside maxLateness', { misfire: { policy: 'CATCH_UP', window: 60 }, maxLateness: 60 }, '/maxLateness'],
    ['-1 retries', { retry: { attempts: -1 } }, '/retry/attempts'],
    ['1.5 retries', { retry: { attempts: 1.5 } }, '/retry/attempts'],
    ['a billion retries', { retry: { attempts: 1e9 } }, '/retry/attempts'],
    ['a retry delay of 0', { retry: { delay: 0 } }, '/retry/delay'],
    ['a negative retry delay', { retry: { delay: -5 } }, '/retry/delay'],
    ['a retry delay in milliseconds', { retry: { delay: '500ms' } }, '/retry/delay'],
    ['a delay above maxDelay', { retry: { delay: 60, maxDelay: 30 } }, '/retry/maxDelay'],
    ['a timeout of 0', { timeout: 0 }, '/timeout'],
    ['a negative timeout', { timeout: -1 }, '/timeout'],
    ['half a second', { timeout: 0.5 }, '/timeout'],
    ['more than an executor lives', { timeout: 841 }, '/timeout'],
    ['more than a day', { timeout: 86_401 }, '/timeout'],
    ['a timeout as a number in text', { timeout: '60' }, '/timeout'],
    ['a timeout of 999999999d', { timeout: '999999999d' }, '/timeout'],
    ['a timeout in fullwidth digits', { timeout: '６０s' }, '/timeout'],
    ['a timeout of true', { timeout: true }, '/timeout'],
    ['maxLateness of 0', { maxLateness: 0 }, '/maxLateness'],
    ['priority of 101', { priority: 101 }, '/priority'],
    ['priority of -101', { priority: -101 }, '/priority'],
    ['maxRuns of 0', { maxRuns: 0 }, '/maxRuns'],
    ['maxRuns of 10,001', { maxRuns: 10_001 }, '/maxRuns'],
    ['a spread of more than a day', { spread: 86_401 }, '/spread'],
    ['a negative spread', { spread: -1 }, '/spread'],
    ['deleteAfter of less than an hour', { deleteAfter: 3599 }, '/deleteAfter'],
    ['deleteAfter without schedules', { schedules: [], deleteAfter: '1d' }, '/deleteAfter'],
    ['dst of an unknown kind', { dst: { gap: 'jump' } }, '/dst/gap'],
    ['stopAfterFailures of 0', { stopAfterFailures: 0 }, '/stopAfterFailures'],
    ['notify of what has not ended', { notify: ['RUNNING'] }, '/notify/0'],
    ['a heartbeat of 9 s', { heartbeat: 9 }, '/heartbeat'],
    ['history for so many days', { history: { keepDays: 5 } }, '/history/keepDays'],
  ])
})

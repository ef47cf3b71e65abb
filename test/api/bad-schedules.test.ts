// Schedules that make no sense, times that are none, and dialects of cron that others speak.

import { beforeAll, describe, expect, test } from 'vitest'
import { timed } from '../support/api/blocking.ts'
import { ask } from '../support/api/open-api.ts'
import { openForRefusals } from '../support/api/refusal.ts'

let api: Awaited<ReturnType<typeof openForRefusals>>
beforeAll(async () => {
  api = await openForRefusals()
})

const JOB = '/v1/jobs/default/new'
const target = { type: 'handler', handler: 'echo' }
const INVALID = { status: 422, code: 'invalid' }

const BAD_CRONS = [
  '',
  ' ',
  '*',
  '* * * *',
  '* * * * * * * *',
  '60 * * * * *',
  '* 60 * * * *',
  '60 * * * *',
  '* * 24 * * *',
  '0 0 0 32 * *',
  '0 0 0 0 * *',
  '0 0 0 * 13 *',
  '0 0 * * 8',
  '0 0 30 2 *',
  '0 0 0 30 2 *',
  '0 0 31 4 *',
  '0 0 31 2,4,6,9,11 *',
  '*/0 * * * *',
  '*/-1 * * * *',
  '*/99999999 * * * *',
  '*/1.5 * * * *',
  '1-100 * * * *',
  '-1 * * * *',
  '1- * * * *',
  '-5-1 * * * *',
  '0 0 W * *',
  '0 0 32W * *',
  '0 0 L-40 * *',
  '0 0 * * 1#6',
  '0 0 * * 1#0',
  '0 0 * * FOO',
  '0 0 * JAN- *',
  '0 0 * FOO *',
  ', * * * *',
  '1,,2 * * * *',
  '1, * * * *',
  '? ? * * *',
  '+5 * * * *',
  '0x10 * * * *',
  '1e1 * * * *',
  '５ * * * *',
  '٥ * * * *',
  '*\u200B * * * *',
  '* * * * *; rm -rf /',
  '$(date) * * * *',
  '@reboot',
  '@every 0s',
  '@every 5m',
  '@never',
  '@DAILYX',
  'every 5 minutes',
  'rate(5 minutes)',
  'rate(0 minutes)',
  'rate(-1 minutes)',
  'rate(0.5 minutes)',
  'rate(1000000000 years)',
  'at(2027-01-01T00:00:00)',
  'cron(0 10 * * ? *)',
  'cron(0 10 * * ? 1970)',
  '0 0 12 ? * MON 2027',
  '0 0 12 * * ? 99999',
  '0 0 12 * * ? 1970',
  'H(0-70) * * * *',
  '* * * * * UTC',
  'TZ=UTC * * * * *',
  `${Array.from({ length: 10_000 }, (_, n) => n % 60).join()} * * * *`,
  `${'1'.repeat(100_000)} * * * *`,
  '*'.repeat(100_000),
  `*${' '.repeat(100_000)}* * * *`,
  ','.repeat(100_000),
  '\u0000 * * * *',
]

describe('a cron expression that makes no sense is 422 at its place', () => {
  test.each(BAD_CRONS.map((cron) => ({ cron, shown: JSON.stringify(cron).slice(0, 40) })))(
    '$shown',
    async ({ cron }) => {
      const faults = ['body /schedules/0/cron']
      const body = { schedules: [{ cron }], target }
      await api.refused('PUT', JOB, { body }, { ...INVALID, faults })
      await api.refused('POST', '/v1/preview', { body: { schedules: [{ cron }] } }, { ...INVALID, faults })
    },
  )

  test('a day that no month has is said to never fire', async () => {
    const body = { schedules: [{ cron: '0 0 30 2 *' }], target }
    const { json } = await api.refused('PUT', JOB, { body }, INVALID)
    expect(json.errors[0]).toMatchObject({ code: 'cron.never-fires', message: expect.stringContaining('never fires') })
  })

  test.each([
    ['cron(0 10 * * ? *)', '0 10 * * *'],
    ['cron(15 12 ? * 2-6 *)', '15 12 * * 1-5'],
    ['rate(5 minutes)', '300'],
    ['0 0 12 ? * 2-6 *', '0 0 12 * * 1-5'],
  ])('the message about %s has it converted: %s', async (cron, converted) => {
    const { json } = await api.refused('PUT', JOB, { body: { schedules: [{ cron }], target } }, INVALID)
    expect(json.errors[0].message).toContain(converted)
  })
})

describe('an expression that looks odd and means something is taken', () => {
  test.each([
    ['0 0 29 2 *'],
    ['55-5 * * * *'],
    ['0 22-2 * * *'],
    ['0\t0\t*\t*\t*'],
    ['  0 0 * * *  '],
    ['0 0 * * mon-FRI'],
    ['0 0 L * *'],
    ['0 0 LW * ?'],
    ['0 0 15W * *'],
    ['0 0 * * 5L'],
    ['0 0 * * 1#5'],
    ['0 0 * * 7'],
    ['1,1,1 * * * *'],
    ['H H * * *'],
    ['@midnight'],
    ['@hourly'],
  ])('%j', async (cron) => {
    const { json, status } = await api.ask('POST', '/v1/preview', { body: { schedules: [{ cron }], count: 2 } })
    expect(status, JSON.stringify(json)).toBe(200)
    expect(json.items).toHaveLength(2)
  })
})

describe('a schedule of another shape is 422', () => {
  const cases: [string, unknown, ...string[]][] = [
    ['nothing', {}, '/schedules/0'],
    ['null', null, '/schedules/0'],
    ['text', '* * * * *', '/schedules/0'],
    ['a list', [], '/schedules/0'],
    ['cron and every', { cron: '* * * * *', every: 5 }, '/schedules/0'],
    ['every and at', { every: 5, at: '2030-01-01T00:00:00Z' }, '/schedules/0'],
    ['an unknown field', { every: 5, colour: 'red' }, '/schedules/0/colour'],
    ['an unknown kind', { every: 5, kind: 'begin' }, '/schedules/0/kind'],
    ['cron as a number', { cron: 5 }, '/schedules/0/cron'],
    ['cron as null', { cron: null }, '/schedules/0/cron'],
    ['every 0', { every: 0 }, '/schedules/0/every'],
    ['every -1', { every: -1 }, '/schedules/0/every'],
    ['every half second', { every: 0.5 }, '/schedules/0/every'],
    ['every 1e300', { every: 1e300 }, '/schedules/0/every'],
    ['every more than ten years', { every: 315_576_001 }, '/schedules/0/every'],
    ['every 5 milliseconds', { every: '5ms' }, '/schedules/0/every'],
    ['every in two units', { every: '1h30m' }, '/schedules/0/every'],
    ['every as null', { every: null }, '/schedules/0/every'],
  ]
  test.each(cases)('%s', async (_, schedule, ...paths) => {
    const faults = paths.map((path) => `body ${path}`)
    await api.refused('PUT', JOB, { body: { schedules: [schedule], target } }, { ...INVALID, faults })
    await api.refused('PUT', '/v1/templates/default/new', { body: { schedules: [schedule] } }, { ...INVALID, faults })
  })

  test('21 schedules are too many', async () => {
    const schedules = Array.from({ length: 21 }, (_, n) => ({ every: n + 1 }))
    await api.refused('PUT', JOB, { body: { schedules, target } }, { ...INVALID, faults: ['body /schedules'] })
  })

  test('every schedule that makes no sense is told, not the first alone', async () => {
    const schedules = [{ cron: 'x' }, { every: 5 }, { every: 5, zone: 'Mars/Olympus' }, { cron: '* * * *' }]
    const faults = ['body /schedules/0/cron', 'body /schedules/2/zone', 'body /schedules/3/cron']
    await api.refused('PUT', JOB, { body: { schedules, target } }, { ...INVALID, faults })
  })
})

describe('a zone that is none is 422', () => {
  test.each([
    [''],
    ['Mars/Olympus'],
    ['Etc/GMT+25'],
    ['+99:00'],
    ['+01:00'],
    ['europe/brussels'],
    ['EUROPE/BRUSSELS'],
    ['Europe/Brussels '],
    ['Europe//Brussels'],
    ['../../etc/passwd'],
    ['BST'],
    ['__proto__'],
    ['constructor'],
    ['Ｅurope/Brussels'],
    ['x'.repeat(10_000)],
  ])('%j', async (zone) => {
    const faults = ['body /schedules/0/zone']
    for (const schedule of [
      { cron: '0 9 * * *', zone },
      { every: 5, zone },
    ]) {
      await api.refused('PUT', JOB, { body: { schedules: [schedule], target } }, { ...INVALID, faults })
    }
  })
})

const BAD_TIMES = [
  '',
  'now',
  'tomorrow',
  '2027-02-11',
  '2027-02-11T10:00:00',
  '2027-02-11 10:00:00Z',
  '2027-02-11T10:00:00.5Z',
  '2027-02-11T10:00:00+99:00',
  '2027-02-11T10:00:00 Europe/Brussels',
  '2027-02-11T10:00:00[Europe/Brussels]',
  '2027-02-30T10:00:00Z',
  '2027-02-29T10:00:00Z',
  '2027-13-01T10:00:00Z',
  '2027-02-11T24:00:00Z',
  '2027-02-11T10:60:00Z',
  '2027-02-11T10:00:60Z',
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '10000-01-01T00:00:00Z',
  '275760-09-13T00:00:00Z',
  '1802254322',
  '1802254322000',
  '２０２７-02-11T10:00:00Z',
  '2027-02-11T10:00:00z',
  'x'.repeat(100_000),
]

describe('a time that is none is 422 wherever a time stands in a body', () => {
  test.each(BAD_TIMES.map((time) => ({ time, shown: JSON.stringify(time).slice(0, 40) })))(
    '$shown',
    async ({ time }) => {
      const of = (body: object, path: string) =>
        [{ schedules: [{ every: 5 }], target, ...body }, `body ${path}`] as const
      for (const [body, fault] of [
        of({ startAt: time }, '/startAt'),
        of({ endAt: time }, '/endAt'),
        of({ schedules: [{ at: time }] }, '/schedules/0/at'),
        of({ schedules: [{ every: 5, anchor: time }] }, '/schedules/0/anchor'),
      ]) {
        await api.refused('PUT', JOB, { body }, { ...INVALID, faults: [fault] })
      }
      const there = '/v1/jobs/default/there'
      await api.refused('POST', `${there}/stop`, { body: { until: time } }, { ...INVALID, faults: ['body /until'] })
      await api.refused('POST', `${there}/reschedule`, { body: { at: time } }, { ...INVALID, faults: ['body /at'] })
      await api.refused(
        'POST',
        `${there}/trigger`,
        { body: { instant: time } },
        { ...INVALID, faults: ['body /instant'] },
      )
    },
  )

  test.each([[1_802_254_322], [1_802_254_322_000], [true], [{}], [[]]])(
    '%j in the place of a time',
    async (startAt) => {
      const body = { schedules: [{ every: 5 }], target, startAt }
      await api.refused('PUT', JOB, { body }, { ...INVALID, faults: ['body /startAt'] })
    },
  )
})

describe('what is asked of far years does not block the others', () => {
  const zones = Intl.supportedValuesOf('timeZone').filter((_, index) => index % 20 === 3)
  const leapDays = zones.slice(0, 20).map((zone) => ({ cron: '0 0 29 2 *', zone }))
  const cases: [string, object][] = [
    ['100 leap days of 20 zones', { schedules: leapDays, count: 100 }],
    ['10,000 runs of leap days', { schedules: [{ cron: '0 0 29 2 *', zone: 'America/Sao_Paulo' }], maxRuns: 10_000 }],
    ['the year 9000', { schedules: leapDays, from: '9000-01-01T00:00:00Z' }],
  ]
  test.each(cases)('%s', async (_, body) => {
    const { api: door, admin } = await openForRefusals()
    const loop = timed(door)
    const { status, text } = await ask(loop.api, admin, 'POST', '/v1/preview', { body })
    expect(status, text).toBe(200)
    expect(loop.blockedMs()).toBeLessThan(50)
  })
})

describe('times that are times and leave nothing to run are 422', () => {
  const cases: [string, object, string][] = [
    ['a single time long past', { schedules: [{ at: '2020-01-01T00:00:00Z' }] }, '/schedules/0/at'],
    ['the end before the start', { startAt: '2028-01-01T00:00:00Z', endAt: '2027-06-01T00:00:00Z' }, '/endAt'],
    ['an end that is past', { endAt: '2026-01-01T00:00:00Z' }, '/schedules'],
    [
      'a start after the last fire',
      { schedules: [{ cron: '0 0 * * *' }], startAt: '9999-12-31T23:59:59Z' },
      '/schedules',
    ],
    [
      'a time in a gap of the clock that is skipped',
      {
        schedules: [{ cron: '30 2 28 3 *', zone: 'Europe/Brussels' }],
        dst: { gap: 'skip' },
        startAt: '2027-03-01T00:00:00Z',
        endAt: '2027-04-01T00:00:00Z',
      },
      '/schedules',
    ],
  ]
  test.each(cases)('%s', async (_, fields, path) => {
    const body = { schedules: [{ every: 3600 }], target, ...fields }
    await api.refused('PUT', JOB, { body }, { ...INVALID, faults: [`body ${path}`] })
  })
})

import { expect, test } from 'vitest'
import { NO_SETTINGS } from '../../shared/core/access/namespace.ts'
import type { Calendar } from '../../shared/core/schedule/calendar.ts'
import type { DocumentWrite } from '../../shared/ports.ts'
import { inEachBackend } from '../support/backends/backends.ts'
import { auditOf } from '../support/put-document.ts'

const AT_MS = 1_790_000_000_000
const DAY = Math.floor(AT_MS / 86_400_000)
const holidays: Calendar = { description: 'Days off', dates: ['2030-12-25'] }

let writes = 0

/** A write of the calendar default/holidays. */
function writeOf(value: Calendar | null, expectedVersion: number, name = 'holidays'): DocumentWrite<Calendar> {
  writes += 1
  const audit = { ...auditOf(`default/${name}`, AT_MS + expectedVersion), id: `a${writes}` }
  return { namespace: 'default', name, value, expectedVersion, audit }
}

inEachBackend('a calendar', (make) => {
  test('is put, changed under its version, and listed', async () => {
    const { calendars, templates } = await make()
    expect(await calendars.read('default', 'holidays')).toBeNull()
    expect(await calendars.write(writeOf(holidays, 0))).toBe(true)
    expect(await calendars.write(writeOf(holidays, 0))).toBe(false)
    const none = { ...holidays, dates: [] }
    expect(await calendars.write(writeOf(none, 1))).toBe(true)
    expect(await calendars.write(writeOf(holidays, 1))).toBe(false)
    expect(await calendars.read('default', 'holidays')).toEqual({ value: none, version: 2, updatedAtMs: AT_MS + 1 })
    expect(await calendars.list('default')).toEqual([
      { name: 'holidays', value: none, version: 2, updatedAtMs: AT_MS + 1 },
    ])
    expect(await calendars.list('other')).toEqual([])
    expect(await templates.read('default', 'holidays')).toBeNull()
  })

  test('that is deleted is in no list, and its version numbers go on', async () => {
    const { calendars } = await make()
    await calendars.write(writeOf(holidays, 0))
    await calendars.write(writeOf(holidays, 0, 'other'))
    expect(await calendars.write(writeOf(null, 1))).toBe(true)
    expect(await calendars.read('default', 'holidays')).toMatchObject({ value: null, version: 2 })
    expect((await calendars.list('default')).map(({ name }) => name)).toEqual(['other'])
    expect(await calendars.write(writeOf(holidays, 0))).toBe(false)
    expect(await calendars.write(writeOf(holidays, 1))).toBe(false)
    expect(await calendars.write(writeOf(holidays, 2))).toBe(true)
    expect(await calendars.read('default', 'holidays')).toMatchObject({ value: holidays, version: 3 })
  })

  test('that many put at once is put by one of them, and has one line in the audit', async () => {
    const world = await make()
    const results = await Promise.all(
      Array.from({ length: 5 }, () => world.again().calendars.write(writeOf(holidays, 0))),
    )
    expect(results.filter((isDone) => isDone)).toHaveLength(1)
    expect(await world.audit.ofDay('default', DAY, AT_MS - 10, AT_MS + 10)).toHaveLength(1)
  })

  test('that was not put has no line in the audit', async () => {
    const world = await make()
    await world.calendars.write(writeOf(holidays, 3))
    expect(await world.audit.ofDay('default', DAY, AT_MS - 10, AT_MS + 10)).toEqual([])
  })
})

inEachBackend('templates and namespaces', (make) => {
  test('are read as they were put', async () => {
    const { templates, namespaces } = await make()
    const nightly = { description: '', schedules: [{ cron: '0 2 * * *', zone: 'Europe/Paris' }] }
    const write = { namespace: 'default', expectedVersion: 0, audit: auditOf('default/nightly', AT_MS) }
    await templates.write({ ...write, name: 'nightly', value: nightly })
    expect(await templates.read('default', 'nightly')).toEqual({ value: nightly, version: 1, updatedAtMs: AT_MS })
    const settings = { ...NO_SETTINGS, limits: { jobs: 5, triggersPerMinute: null } }
    const audit = { ...auditOf('billing', AT_MS), namespace: 'billing', id: 'other' }
    await namespaces.write({ ...write, namespace: '*', name: 'billing', value: settings, audit })
    expect(await namespaces.list('*')).toEqual([{ name: 'billing', value: settings, version: 1, updatedAtMs: AT_MS }])
  })
})

inEachBackend('edits of calendars that are under way', (make) => {
  test('are listed with how far they came, until they are done', async () => {
    const { pendingEdits } = await make()
    expect(await pendingEdits.list()).toEqual([])
    await pendingEdits.put({ namespace: 'default', name: 'holidays', afterJob: null })
    await pendingEdits.put({ namespace: 'shared', name: 'holidays', afterJob: null })
    await pendingEdits.put({ namespace: 'default', name: 'holidays', afterJob: 'AAAAAAAAAAA' })
    expect(await pendingEdits.list()).toEqual([
      { namespace: 'default', name: 'holidays', afterJob: 'AAAAAAAAAAA' },
      { namespace: 'shared', name: 'holidays', afterJob: null },
    ])
    await pendingEdits.remove({ namespace: 'default', name: 'holidays' })
    expect(await pendingEdits.list()).toEqual([{ namespace: 'shared', name: 'holidays', afterJob: null }])
  })
})

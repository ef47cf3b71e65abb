import { describe, expect, test } from 'vitest'
import { defineHandlers, type HandlerSet } from '../../shared/core/handlers.ts'

describe('handlers', () => {
  const run = () => 7

  test('are found by their names, and only by those', () => {
    const handlers = defineHandlers({ 'send-report': run, cleanup: { schedule: '0 3 * * *', run } })
    expect(handlers.find('send-report')).toBe(run)
    expect(handlers.find('cleanup')).toBe(run)
    expect(handlers.names).toEqual(['send-report', 'cleanup'])
    for (const name of ['constructor', '__proto__', 'toString', '../x', '']) expect(handlers.find(name)).toBeNull()
  })

  test('may bring a schedule and everything else that a job says', () => {
    const { jobs } = defineHandlers({
      plain: run,
      cleanup: { schedule: '0 3 * * *', run },
      report: { schedule: '@daily', zone: 'Europe/Brussels', timeout: 30, block: { strategy: 'DISCARD' }, run },
    })
    expect(jobs).toEqual([
      { name: 'cleanup', schedules: [{ cron: '0 3 * * *' }], target: { type: 'handler', handler: 'cleanup' } },
      {
        name: 'report',
        timeout: 30,
        block: { strategy: 'DISCARD' },
        schedules: [{ cron: '@daily', zone: 'Europe/Brussels' }],
        target: { type: 'handler', handler: 'report' },
      },
    ])
  })

  test.each([
    [{ 'Send Report': run }, 'handler "Send Report": is no name'],
    [{ report: 5 }, 'handler "report": has nothing to run'],
    [{ report: null }, 'handler "report": has nothing to run'],
    [{ report: { schedule: '@daily' } }, 'handler "report": has nothing to run'],
  ])('that make no sense are refused when they are defined: %j', (set, problem) => {
    expect(() => defineHandlers(set as unknown as HandlerSet)).toThrow(problem)
  })
})

test('a schedule beside the code may be an interval, with or without a zone', () => {
  const run = () => {}
  const { jobs } = defineHandlers({
    hourly: { schedule: 'every 1h', run },
    daily: { schedule: '0 3 * * *', zone: 'Asia/Tokyo', run },
    local: { schedule: 'every 90s', zone: 'Asia/Tokyo', run },
  })
  expect(jobs).toMatchObject([
    { name: 'hourly', schedules: [{ every: '1h' }] },
    { name: 'daily', schedules: [{ cron: '0 3 * * *', zone: 'Asia/Tokyo' }] },
    { name: 'local', schedules: [{ every: '90s', zone: 'Asia/Tokyo' }] },
  ])
})

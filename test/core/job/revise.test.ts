import { expect, test } from 'vitest'
import { jobSchema } from '../../../shared/core/job/job.ts'
import { revise } from '../../../shared/core/job/revise.ts'

test('a job that no item of the store could hold is refused', () => {
  const headers = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`X-Header-${n}`, 'x'.repeat(1000)]))
  const target = { type: 'http', url: 'https://example.org', headers }
  const definition = jobSchema.parse({ name: 'huge', schedules: [{ every: 60 }], target })
  const moment = { now: 1000, activeFrom: 1002, auditedThrough: 0 }
  const resolved = { template: null, calendars: [] }
  expect(() =>
    revise({ id: 'AAAAAAAAAAA', old: null, definition, resolved, status: 'RUNNING', stopped: null, ...moment }),
  ).toThrow('Use fewer schedules or headers')
})

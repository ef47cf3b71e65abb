// Puts calendars and templates that are not there yet, as a user of the default namespace would.

import { calendarBody } from '../../shared/core/schedule/calendar.ts'
import { templateBody } from '../../shared/core/schedule/template.ts'
import type { DocumentWrite, Stores } from '../../shared/ports.ts'
import { ANNA } from './job-body.ts'

type DocumentStores = Pick<Stores, 'calendars' | 'templates'>

/** What stands in the audit about it. */
export const auditOf = (target: string, atMs = 0): DocumentWrite<unknown>['audit'] => ({
  id: target,
  atMs,
  by: ANNA,
  action: 'calendar.put',
  namespace: 'default',
  target,
  reason: null,
  operation: null,
  versionBefore: null,
  versionAfter: null,
  changes: [],
  requestId: null,
})

export async function putDocument(
  { calendars, templates }: DocumentStores,
  kind: 'calendar' | 'template',
  name: string,
  body: object,
  { expectedVersion = 0, namespace = 'default' } = {},
): Promise<boolean> {
  const write = { namespace, name, expectedVersion, audit: auditOf(`${namespace}/${name}`) }
  return kind === 'calendar'
    ? calendars.write({ ...write, value: calendarBody.parse(body) })
    : templates.write({ ...write, value: templateBody.parse(body) })
}

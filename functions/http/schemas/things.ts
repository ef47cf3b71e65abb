// Calendars, templates, namespaces, keys, the audit, and what the API says of itself.

import * as z from 'zod'
import { keyBody as wantedKey } from '../../../shared/core/access/key.ts'
import { namespaceBody } from '../../../shared/core/access/namespace.ts'
import { ROLES } from '../../../shared/core/access/role.ts'
import { AUDIT_ACTIONS } from '../../../shared/core/audit-entry.ts'
import { duration, name, time as writtenTime } from '../../../shared/core/fields.ts'
import { calendarBody } from '../../../shared/core/schedule/calendar.ts'
import { templateBody } from '../../../shared/core/schedule/template.ts'
import { actor, cursor, fieldChange, instant, limit, listOf, moment, time } from './common.ts'

const identity = { namespace: z.string(), name: z.string() }
const READ_ONLY = { version: z.int(), updatedAt: moment.nullable(), usedBy: z.int() }

export const calendarAnswer = calendarBody.extend({ ...identity, ...READ_ONLY, applied: z.boolean() })
export const templateAnswer = templateBody.extend({ ...identity, ...READ_ONLY, builtIn: z.boolean() })
export const namespaceAnswer = namespaceBody.extend({
  name: z.string(),
  jobs: z.int(),
  version: z.int(),
  updatedAt: moment.nullable(),
})

/** What an answer adds, ignored in a PUT so that an answer can be sent back. */
export const READ_ONLY_OF_THINGS: readonly string[] = [
  'namespace',
  'name',
  'version',
  'updatedAt',
  'usedBy',
  'applied',
  'builtIn',
  'jobs',
]

export const thingQuery = z.strictObject({ namespace: name.optional(), limit: limit(), cursor })
export const pageQuery = z.strictObject({ limit: limit(), cursor })

export const calendarList = listOf(calendarAnswer)
export const templateList = listOf(templateAnswer)
export const namespaceList = listOf(namespaceAnswer)

export const keyBody = wantedKey.extend({ expiresAt: writtenTime('expiresAt').nullable().default(null) })

const DAY_SECONDS = 86_400
export const rotateBody = z.strictObject({ overlap: duration(0, 30 * DAY_SECONDS).default(DAY_SECONDS) })

export const keyAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  namespaces: z.array(z.string()),
  createdAt: moment,
  expiresAt: instant.nullable(),
  lastUsedAt: moment.nullable(),
  previousUntil: instant.nullable(),
})

export const keyWithSecret = keyAnswer.extend({
  secret: z.string().optional().describe('Shown once, when the key is made or rotated'),
})

export const keyList = listOf(keyAnswer)

export const auditQuery = z.strictObject({
  namespace: z.string().max(126).optional(),
  by: z.string().max(200).optional().describe('The id or name of a key, code, system, or a name behind Tickring-Actor'),
  action: z.enum(AUDIT_ACTIONS).optional(),
  target: z.string().max(300).optional(),
  from: time.optional(),
  to: time.optional(),
  limit: limit(),
  cursor,
})

export const auditEntry = z.strictObject({
  id: z.string(),
  at: moment,
  by: actor,
  action: z.enum(AUDIT_ACTIONS),
  namespace: z.string(),
  target: z.string(),
  reason: z.string().nullable(),
  operation: z.string().nullable(),
  versionBefore: z.int().nullable(),
  versionAfter: z.int().nullable(),
  changes: z.array(fieldChange),
  requestId: z.string().nullable(),
})

export const auditList = listOf(auditEntry)

export const me = z.strictObject({
  key: z.strictObject({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    namespaces: z.array(z.string()),
    expiresAt: instant.nullable(),
  }),
  time: moment,
  version: z.string(),
  limits: z.strictObject({
    bodyBytes: z.int(),
    batchItems: z.int(),
    requestsPerMinute: z.int(),
    ledgerDays: z.int(),
  }),
})

export const health = z.strictObject({ status: z.literal('ok'), time: moment })

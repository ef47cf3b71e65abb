// One line of the audit trail: who changed what, when, and how it differs now.

import type { Actor } from './actor.ts'
import type { FieldChange } from './changes.ts'

export const AUDIT_ACTIONS = [
  'job.create',
  'job.update',
  'job.delete',
  'job.start',
  'job.stop',
  'job.reschedule',
  'job.trigger',
  'run.cancel',
  'run.retry',
  'calendar.put',
  'calendar.delete',
  'template.put',
  'template.delete',
  'namespace.put',
  'namespace.delete',
  'key.create',
  'key.rotate',
  'key.delete',
] as const

export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The namespace of what belongs to none. */
export const NO_NAMESPACE = '*'

export interface AuditEntry {
  readonly id: string
  readonly atMs: number
  readonly by: Actor
  readonly action: AuditAction
  readonly namespace: string
  /** As in "billing/nightly-invoices", the id of a run, or that of a key. */
  readonly target: string
  readonly reason: string | null
  readonly operation: string | null
  readonly versionBefore: number | null
  readonly versionAfter: number | null
  readonly changes: readonly FieldChange[]
  readonly requestId: string | null
}

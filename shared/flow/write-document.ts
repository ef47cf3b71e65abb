// Puts and deletes versioned documents: calendars, templates, settings of namespaces. An equal value makes no version.

import type { Actor } from '../core/actor.ts'
import type { AuditAction } from '../core/audit-entry.ts'
import { changesBetween, type FieldChange } from '../core/changes.ts'
import { isSameJson } from '../core/json-equal.ts'
import type { Clock, Versioned, VersionedDocuments } from '../ports.ts'
import { type ExpectedVersion, notFound, refuseOtherVersion, tooBusy } from './refusals.ts'

export interface DocumentWorld {
  readonly clock: Clock
  newId(): string
}

export interface DocumentAsking {
  readonly by: Actor
  readonly ifVersion?: ExpectedVersion
  readonly requestId: string | null
  readonly isDryRun?: boolean
}

export interface DocumentName {
  /** As in "calendar". */
  readonly kind: 'calendar' | 'template' | 'namespace'
  readonly namespace: string
  readonly name: string
}

export interface DocumentMutation<Value> {
  readonly result: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'DELETED'
  readonly before: Value | null
  readonly after: Versioned<Value>
  readonly changes: readonly FieldChange[]
}

const MOST_TRIES = 8

/** `value` null deletes it; `check` may refuse what else stands in the way. */
export async function writeDocument<Value>(
  world: DocumentWorld,
  store: VersionedDocuments<Value>,
  { kind, namespace, name }: DocumentName,
  value: Value | null,
  asking: DocumentAsking,
  check: () => Promise<void> = async () => {},
): Promise<DocumentMutation<Value>> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const found = await store.read(namespace, name)
    const before = found?.value ?? null
    refuseOtherVersion(`the ${kind}`, asking.ifVersion, before === null ? 0 : (found?.version ?? 0))
    await check()
    if (value === null && before === null) throw notFound(kind, kind === 'namespace' ? name : `${namespace}/${name}`)
    const changes = before === null || value === null ? [] : changesBetween(before, value)
    if (found !== null && before !== null && value !== null && isSameJson(before, value)) {
      return { result: 'UNCHANGED', before, after: found, changes }
    }
    const nowMs = world.clock.nowMs()
    const expectedVersion = found?.version ?? 0
    const after = { value, version: expectedVersion + 1, updatedAtMs: nowMs }
    const result = value === null ? 'DELETED' : before === null ? 'CREATED' : 'UPDATED'
    if (asking.isDryRun === true) return { result, before, after, changes }
    const audit = {
      id: world.newId(),
      atMs: nowMs,
      by: asking.by,
      action: `${kind}.${value === null ? 'delete' : 'put'}` as AuditAction,
      namespace: kind === 'namespace' ? name : namespace,
      target: kind === 'namespace' ? name : `${namespace}/${name}`,
      reason: null,
      operation: null,
      versionBefore: before === null ? null : expectedVersion,
      versionAfter: expectedVersion + 1,
      changes,
      requestId: asking.requestId,
    }
    if (await store.write({ namespace, name, value, expectedVersion, audit })) return { result, before, after, changes }
  }
  throw tooBusy(`the ${kind}`)
}

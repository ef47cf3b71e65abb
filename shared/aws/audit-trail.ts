// The audit trail: by namespace and day, so that no partition is written by all tenants, with the namespaces of each day named.

import * as z from 'zod'
import { actorSchema } from '../core/actor.ts'
import { AUDIT_ACTIONS, type AuditEntry } from '../core/audit-entry.ts'
import type { AuditTrail } from '../ports.ts'
import { checked, type Fields, readFields, writeFields } from './codec.ts'
import { type Attributes, number } from './expression.ts'
import type { KeptUntil } from './kept-until.ts'
import { itemOf, keyOf, keyOfItem, partitionOfType, sortPart } from './keys.ts'
import type { Table, TransactionPart } from './table.ts'

type Kept = Omit<AuditEntry, 'id' | 'atMs' | 'namespace'>

const AUDIT: Fields<Kept> = {
  by: 'json',
  action: 'text',
  target: 'text',
  reason: 'text',
  operation: 'text',
  versionBefore: 'number',
  versionAfter: 'number',
  changes: 'json',
  requestId: 'text',
}

const auditSchema: z.ZodType<Kept> = z.object({
  by: actorSchema,
  action: z.enum(AUDIT_ACTIONS),
  target: z.string(),
  reason: z.string().nullable().default(null),
  operation: z.string().nullable().default(null),
  versionBefore: z.int().nullable().default(null),
  versionAfter: z.int().nullable().default(null),
  changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })),
  requestId: z.string().nullable().default(null),
})

const dayOf = (ms: number): number => Math.floor(ms / 86_400_000)

const partsOf = (entry: AuditEntry, kept: KeptUntil) => ({
  key: keyOf({ type: 'audit', namespace: entry.namespace, day: dayOf(entry.atMs), ms: entry.atMs, id: entry.id }),
  item: { ...writeFields(AUDIT, entry), ttl: number(kept.audit(entry.atMs)) },
})

/** An entry as part of the transaction that makes the change it tells of. */
export const auditPart = (entry: AuditEntry, kept: KeptUntil): TransactionPart => ({
  do: 'put',
  ...partsOf(entry, kept),
})

/**
 * Notes which namespaces have entries of a day, before the entry itself, so that a client that lists all of them finds it. Each process notes
 * a namespace once a day; in the transactions themselves the one note would be fought for by all writers of a namespace.
 */
export class AuditedNamespaces {
  readonly #table: Table
  readonly #kept: KeptUntil
  readonly #noted = new Set<string>()

  constructor(table: Table, kept: KeptUntil) {
    this.#table = table
    this.#kept = kept
  }

  async note({ namespace, atMs }: AuditEntry): Promise<void> {
    const name = `${dayOf(atMs)} ${namespace}`
    if (this.#noted.has(name)) return
    const key = keyOf({ type: 'audited', day: dayOf(atMs), namespace })
    await this.#table.put(key, { ttl: number(this.#kept.audit(atMs)) })
    this.#noted.add(name)
  }
}

export class DynamoAuditTrail implements AuditTrail {
  readonly #table: Table
  readonly #kept: KeptUntil
  readonly #audited: AuditedNamespaces

  constructor(table: Table, kept: KeptUntil, audited: AuditedNamespaces) {
    this.#table = table
    this.#kept = kept
    this.#audited = audited
  }

  async put(entry: AuditEntry): Promise<void> {
    await this.#audited.note(entry)
    const { key, item } = partsOf(entry, this.#kept)
    await this.#table.put(key, item)
  }

  async namespacesOf(day: number): Promise<string[]> {
    const items = await this.#table.query({ pk: partitionOfType('audited', { day }) })
    return items.map((item) => keyOfItem(item).sk)
  }

  async ofDay(namespace: string, day: number, fromMs: number, toMs: number): Promise<AuditEntry[]> {
    const pk = partitionOfType('audit', { namespace, day })
    const range = { from: sortPart('ms', fromMs), to: `${sortPart('ms', toMs)}~` }
    return (await this.#table.query({ pk, ...range, newestFirst: true })).map(readEntry)
  }
}

function readEntry(item: Attributes): AuditEntry {
  const key = itemOf(keyOfItem(item))
  if (key.type !== 'audit') throw new Error(`the item ${item.pk?.S} is no entry of the audit`)
  const { namespace, ms, id } = key
  return { id, atMs: ms, namespace, ...checked(auditSchema, readFields(AUDIT, item), item) }
}

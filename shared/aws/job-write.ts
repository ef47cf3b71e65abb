// One mutation of a job as the parts of a transaction: the job field by field, its version, its change entry, its
// pointers, and what it leaves behind.

import { isDeleted, type JobWrite, type SavedDefinition } from '../core/job/stored.ts'
import { isSameJson } from '../core/json-equal.ts'
import { minuteOf } from '../core/time/units.ts'
import { auditPart } from './audit-trail.ts'
import { type Attributes, type Condition, equals, isAbsent, number } from './expression.ts'
import { type KeptJob, writeChange, writeJob, writeSaved, writeValue, writeVersion } from './items.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf, type TableKey } from './keys.ts'
import type { TransactionPart } from './table.ts'

/** A payload above this is stored apart, so that tickers need not hold it. */
const INLINE_PAYLOAD_BYTES = 1024

export const isLarge = (payload: unknown): boolean => Buffer.byteLength(JSON.stringify(payload)) > INLINE_PAYLOAD_BYTES

export const jobKeyOf = (job: { id: string; isOnce: boolean }, shard: number): TableKey =>
  keyOf({ type: job.isOnce ? 'once' : 'job', shard, jobId: job.id })

export interface KeptWrite extends Omit<JobWrite, 'before' | 'after'> {
  readonly before: KeptJob | null
  readonly after: KeptJob
  /** Tells this write from any other. */
  readonly writer: string
}

export function jobParts(write: KeptWrite, kept: KeptUntil): TransactionPart[] {
  const { before, after, change, pointers, shard } = write
  // What is said of a job that is gone goes with its ledger.
  const ttl = isDeleted(after) ? { ttl: number(kept.ledger(after.updatedAtMs / 1000)) } : {}
  return [
    ...itemParts(write, ttl),
    {
      do: 'put',
      key: versionKey(after.id, after.version),
      item: { ...writeVersion(after.versions[after.versions.length - 1]), ...ttl },
    },
    { do: 'put', key: definitionKey(after.id, after.version), item: { ...writeSaved(savedOf(write)), ...ttl } },
    auditPart(write.audit, kept),
    ...(before === null ? [] : leftBehind(before, after, kept)),
    ...bodyParts(before, after),
    { do: 'put', key: changeKey(change), item: { ...writeChange(change), ttl: number(kept.change(change.ms)) } },
    ...pointers.map(
      ({ second, jobId }): TransactionPart => ({
        do: 'put',
        key: keyOf({ type: 'pointer', shard, minute: minuteOf(second), second, jobId }),
        item: { ttl: number(kept.ledger(second)) },
      }),
    ),
  ]
}

export const versionKey = (jobId: string, version: number): TableKey => keyOf({ type: 'version', jobId, version })

export const definitionKey = (jobId: string, version: number): TableKey => keyOf({ type: 'definition', jobId, version })

function savedOf({ after, audit }: KeptWrite): Omit<SavedDefinition, 'version'> {
  const { activeFrom, status } = after.versions[after.versions.length - 1]
  const { updatedAtMs: atMs, definition, bodyVersion } = after
  return { activeFrom, atMs, by: audit.by, status, changes: audit.changes, definition, bodyVersion }
}

export const changeKey = ({ shard, ms, jobId, version }: KeptWrite['change']): TableKey =>
  keyOf({ type: 'change', shard, ms, jobId, version })

function itemParts({ before, after, shard, writer }: KeptWrite, ttl: Attributes): TransactionPart[] {
  const attributes = {
    ...writeJob(after),
    writer: { S: writer },
    ...ttl,
  }
  const key = jobKeyOf(after, shard)
  if (before === null) return [{ do: 'put', key, item: attributes, onlyIf: isAbsent('pk') }]
  const isUnchanged: Condition = equals('version', number(before.version))
  if (before.isOnce !== after.isOnce) {
    return [
      { do: 'remove', key: jobKeyOf(before, shard), onlyIf: isUnchanged },
      { do: 'put', key, item: attributes, onlyIf: isAbsent('pk') },
    ]
  }
  const old = writeJob(before)
  const set = Object.fromEntries(Object.entries(attributes).filter(([name, value]) => !isSameJson(old[name], value)))
  const remove = [...Object.keys(old), 'ttl'].filter((name) => !(name in attributes))
  return [{ do: 'update', key, update: { set, remove, onlyIf: isUnchanged } }]
}

/** The version that has ended is kept as long as the ledger that was made by it. */
function leftBehind(before: KeptJob, after: KeptJob, kept: KeptUntil): TransactionPart[] {
  const ttl = { ttl: number(kept.ledger(after.updatedAtMs / 1000)) }
  const isBodyLeft = before.bodyVersion !== null && (before.bodyVersion !== after.bodyVersion || isDeleted(after))
  return [
    { do: 'update', key: versionKey(before.id, before.version), update: { set: ttl } },
    { do: 'update', key: definitionKey(before.id, before.version), update: { set: ttl } },
    ...(isBodyLeft
      ? [{ do: 'update' as const, key: bodyKey(before.id, before.bodyVersion ?? 0), update: { set: ttl } }]
      : []),
  ]
}

export const bodyKey = (jobId: string, version: number): TableKey => keyOf({ type: 'body', jobId, version })

function bodyParts(before: KeptJob | null, after: KeptJob): TransactionPart[] {
  if (after.bodyVersion === null || after.bodyVersion === (before?.bodyVersion ?? null)) return []
  return [{ do: 'put', key: bodyKey(after.id, after.bodyVersion), item: writeValue(after.definition.payload) }]
}

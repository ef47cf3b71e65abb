// Keys of the API. All changes of keys go past one item that counts them, so that two at once cannot take the last admin away.

import { randomUUID } from 'node:crypto'
import { type StoredKey, storedKeySchema } from '../core/access/key.ts'
import type { AuditEntry } from '../core/audit-entry.ts'
import type { ApiKeys, KeyRing } from '../ports.ts'
import { auditPart } from './audit-trail.ts'
import { checked, type Fields, readFields, writeFields } from './codec.ts'
import { type Attributes, equals, isAbsent, isThere, number, text } from './expression.ts'
import { keyOf, keyOfItem, partitionOfType } from './keys.ts'
import type { TransactionPart } from './table.ts'
import type { DocumentParts } from './versioned-documents.ts'

const FIELDS: Fields<Omit<StoredKey, 'id'>> = {
  name: 'text',
  role: 'text',
  namespaces: 'json',
  digest: 'text',
  previous: 'json',
  createdAtMs: 'number',
  expiresAt: 'number',
  lastUsedAtMs: 'number',
}

const RING = keyOf({ type: 'keys' })

function readKey(item: Attributes): StoredKey {
  const fields = { previous: null, expiresAt: null, lastUsedAtMs: null, ...readFields(FIELDS, item) }
  return checked(storedKeySchema, { id: keyOfItem(item).sk, ...fields }, item)
}

export class DynamoApiKeys implements ApiKeys {
  readonly #parts: DocumentParts

  constructor(parts: DocumentParts) {
    this.#parts = parts
  }

  async read(id: string): Promise<StoredKey | null> {
    const item = await this.#parts.table.get(keyOf({ type: 'key', id }))
    return item === null ? null : readKey(item)
  }

  async all(): Promise<KeyRing> {
    const { table } = this.#parts
    // The count is read first: what changes after that makes a write that rests on it fail.
    const ring = await table.get(RING)
    const items = await table.query({ pk: partitionOfType('key', {}) })
    return { keys: items.map(readKey), revision: Number(ring?.revision?.N ?? 0) }
  }

  async write(change: Parameters<ApiKeys['write']>[0], revision: number, audit: AuditEntry): Promise<boolean> {
    const { table, kept, audited } = this.#parts
    await audited.note(audit)
    const writer = randomUUID()
    const id = 'put' in change ? change.put.id : change.remove
    const key = keyOf({ type: 'key', id })
    const part: TransactionPart =
      'put' in change
        ? { do: 'put', key, item: writeFields(FIELDS, change.put) }
        : { do: 'remove', key, onlyIf: isThere('pk') }
    const onlyIf = revision === 0 ? isAbsent('revision') : equals('revision', number(revision))
    const ring = { set: { revision: number(revision + 1), writer: text(writer) }, onlyIf }
    return table.transact(
      [{ do: 'update', key: RING, update: ring }, part, auditPart(audit, kept)],
      async () => (await table.get(RING))?.writer?.S === writer,
    )
  }

  async touch(id: string, atMs: number): Promise<void> {
    // A key that was deleted meanwhile must not come back as a use of it.
    await this.#parts.table.update(keyOf({ type: 'key', id }), {
      set: { lastUsedAtMs: number(atMs) },
      onlyIf: isThere('pk'),
    })
  }
}

// Versioned documents of a namespace: a change names the version that it replaces. A deleted document leaves its number behind, so
// that a condition of long ago never fits what was put later under the same name.

import { randomUUID } from 'node:crypto'
import type * as z from 'zod'
import type { DocumentWrite, Versioned, VersionedDocuments } from '../ports.ts'
import { type AuditedNamespaces, auditPart } from './audit-trail.ts'
import { checked } from './codec.ts'
import { type Attributes, equals, isAbsent, number, text } from './expression.ts'
import { readValue, writeValue } from './items.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf, keyOfItem, partitionOfType } from './keys.ts'
import type { Table } from './table.ts'

export interface DocumentParts {
  readonly table: Table
  readonly kept: KeptUntil
  readonly audited: AuditedNamespaces
}

export class DynamoVersionedDocuments<Value> implements VersionedDocuments<Value> {
  readonly #parts: DocumentParts
  readonly #type: 'calendar' | 'template' | 'namespace'
  readonly #schema: z.ZodType<Value>

  constructor(parts: DocumentParts, type: 'calendar' | 'template' | 'namespace', schema: z.ZodType<Value>) {
    this.#parts = parts
    this.#type = type
    this.#schema = schema
  }

  #read(item: Attributes): Versioned<Value> {
    return {
      value: item.value === undefined ? null : checked(this.#schema, readValue(item), item),
      version: Number(item.version?.N),
      updatedAtMs: Number(item.updatedAtMs?.N),
    }
  }

  async read(namespace: string, name: string): Promise<Versioned<Value> | null> {
    const item = await this.#parts.table.get(keyOf({ type: this.#type, namespace, name }))
    return item === null ? null : this.#read(item)
  }

  async list(namespace: string): ReturnType<VersionedDocuments<Value>['list']> {
    const items = await this.#parts.table.query({ pk: partitionOfType(this.#type, { namespace }) })
    return items.flatMap((item) => {
      const { value, ...rest } = this.#read(item)
      return value === null ? [] : [{ ...rest, value, name: keyOfItem(item).sk }]
    })
  }

  async write({ namespace, name, value, expectedVersion, audit }: DocumentWrite<Value>): Promise<boolean> {
    const { table, kept, audited } = this.#parts
    await audited.note(audit)
    const writer = randomUUID()
    const key = keyOf({ type: this.#type, namespace, name })
    const item = {
      ...(value === null ? {} : writeValue(value)),
      version: number(expectedVersion + 1),
      updatedAtMs: number(audit.atMs),
      writer: text(writer),
    }
    const onlyIf = expectedVersion === 0 ? isAbsent('pk') : equals('version', number(expectedVersion))
    return table.transact(
      [{ do: 'put', key, item, onlyIf }, auditPart(audit, kept)],
      async () => (await table.get(key))?.writer?.S === writer,
    )
  }
}

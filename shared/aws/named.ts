// Calendars and templates: named values of a namespace, each with a version that a change must name.

import { randomUUID } from 'node:crypto'
import type { Named, Versioned } from '../ports.ts'
import { type Attributes, equals, isAbsent, number, text } from './expression.ts'
import { writeValue } from './items.ts'
import { keyOf, partitionOfType } from './keys.ts'
import type { Table } from './table.ts'

export class DynamoNamed<Value> implements Named<Value> {
  readonly #table: Table
  readonly #type: 'calendar' | 'template'
  readonly #readValue: (item: Attributes) => Value

  constructor(table: Table, type: 'calendar' | 'template', readValue: (item: Attributes) => Value) {
    this.#table = table
    this.#type = type
    this.#readValue = readValue
  }

  #read(item: Attributes): Versioned<Value> {
    return { value: this.#readValue(item), version: Number(item.version?.N) }
  }

  async read(namespace: string, name: string): Promise<Versioned<Value> | null> {
    const item = await this.#table.get(keyOf({ type: this.#type, namespace, name }))
    return item === null ? null : this.#read(item)
  }

  async list(namespace: string): Promise<Versioned<Value>[]> {
    const items = await this.#table.query({ pk: partitionOfType(this.#type, { namespace }) })
    return items.map((item) => this.#read(item))
  }

  async put(namespace: string, name: string, value: Value, expectedVersion: number | null): Promise<boolean> {
    const writer = randomUUID()
    const set = { ...writeValue(value), version: number((expectedVersion ?? 0) + 1), writer: text(writer) }
    const onlyIf = expectedVersion === null ? isAbsent('pk') : equals('version', number(expectedVersion))
    const key = keyOf({ type: this.#type, namespace, name })
    return (await this.#table.update(key, { set, onlyIf }, (found) => found.writer?.S === writer)).done
  }

  async remove(namespace: string, name: string, expectedVersion: number): Promise<boolean> {
    const key = keyOf({ type: this.#type, namespace, name })
    const removed = await this.#table.remove(key, equals('version', number(expectedVersion)))
    // Where nothing is left it is gone, whoever removed it.
    return removed.done || removed.found === null
  }
}

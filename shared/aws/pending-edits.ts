// Edits of calendars that are still being carried to the jobs that use them, all in one small partition.

import type { PendingEdit, PendingEdits } from '../ports.ts'
import { text } from './expression.ts'
import { itemOf, keyOf, keyOfItem, partitionOfType } from './keys.ts'
import type { Table } from './table.ts'

export class DynamoPendingEdits implements PendingEdits {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async list(): Promise<PendingEdit[]> {
    const items = await this.#table.query({ pk: partitionOfType('pending', {}) })
    return items.flatMap((item) => {
      const key = itemOf(keyOfItem(item))
      if (key.type !== 'pending') return []
      return [{ namespace: key.namespace, name: key.name, afterJob: item.afterJob?.S ?? null }]
    })
  }

  async put({ namespace, name, afterJob }: PendingEdit): Promise<void> {
    const item = afterJob === null ? {} : { afterJob: text(afterJob) }
    await this.#table.put(keyOf({ type: 'pending', namespace, name }), item)
  }

  async remove({ namespace, name }: Pick<PendingEdit, 'namespace' | 'name'>): Promise<void> {
    await this.#table.remove(keyOf({ type: 'pending', namespace, name }))
  }
}

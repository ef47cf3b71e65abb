// Runs that somebody must come back to, in order of when. The time is part of the key; to move a run on is to take it out
// and put it in again as one transaction, so that it is never absent and never there twice.

import { randomUUID } from 'node:crypto'
import type { OpenRun } from '../core/run/record.ts'
import type { OpenRuns } from '../ports.ts'
import { isThere, text } from './expression.ts'
import { readOpen, writeOpen } from './items.ts'
import { keyOf, partitionOfType, sortPart, type TableKey } from './keys.ts'
import type { Table, TransactionPart } from './table.ts'

type OpenKey = Parameters<OpenRuns['remove']>[0]

const keyOfOpen = ({ shard, dueMs, runId, attempt }: OpenKey): TableKey =>
  keyOf({ type: 'open', shard, ms: dueMs, runId, attempt })

/** Puts an open item together with others. */
export const openPart = (run: OpenRun): TransactionPart => ({ do: 'put', key: keyOfOpen(run), item: writeOpen(run) })

export class DynamoOpenRuns implements OpenRuns {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async put(run: OpenRun): Promise<void> {
    await this.#table.put(keyOfOpen(run), writeOpen(run))
  }

  async due(shard: number, untilMs: number, limit: number): Promise<OpenRun[]> {
    // Of two with the same time the runs' ids decide, and those come before ~.
    const to = `${sortPart('ms', untilMs)}~`
    return (await this.#table.query({ pk: partitionOfType('open', { shard }), to, limit })).map(readOpen)
  }

  async move(run: OpenRun, to: Pick<OpenRun, 'dueMs' | 'times'>): Promise<OpenRun | null> {
    const moved: OpenRun = { ...run, ...to }
    const mover = randomUUID()
    const isMoved = await this.#table.transact(
      [
        { do: 'remove', key: keyOfOpen(run), onlyIf: isThere('pk') },
        { do: 'put', key: keyOfOpen(moved), item: { ...writeOpen(moved), mover: text(mover) } },
      ],
      async () => (await this.#table.get(keyOfOpen(moved)))?.mover?.S === mover,
    )
    return isMoved ? moved : null
  }

  async remove(run: OpenKey): Promise<void> {
    await this.#table.remove(keyOfOpen(run))
  }
}

// The list of runs that the audit comes back to, in order of when. It is spread over a few partitions, because its keys grow with
// time and one partition takes a thousand writes a second; messages are stored apart, so that the list can be read without them.
// The time is part of the key; to move a run on is to take it out and put it in again as one transaction, so that it is never
// absent and never there twice.

import { randomUUID } from 'node:crypto'
import { hashText } from '../core/hash.ts'
import type { ListedRun, OpenRun } from '../core/run/record.ts'
import { parseRunId } from '../core/run/run.ts'
import type { OpenRuns } from '../ports.ts'
import { type Attributes, isThere, number, text } from './expression.ts'
import { readOpen, writeOpen } from './items.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf, keyOfItem, partitionOfType, sortPart, type TableKey } from './keys.ts'
import type { Table, TransactionPart } from './table.ts'

type OpenKey = Parameters<OpenRuns['remove']>[0]

/** Each costs a read unit every ten seconds, which is what an audit of an empty list costs. */
const PARTS = 4

const partOf = (runId: string): number => Number(hashText(runId) % BigInt(PARTS))

const keyOfOpen = ({ shard, dueMs, runId, attempt }: OpenKey): TableKey =>
  keyOf({ type: 'open', shard, part: partOf(runId), ms: dueMs, runId, attempt })

const keyOfMessage = ({ runId, attempt, listedMs }: Pick<ListedRun, 'runId' | 'attempt' | 'listedMs'>): TableKey =>
  keyOf({ type: 'openMessage', runId, attempt, ms: listedMs })

const nameOf = (key: TableKey): string => JSON.stringify(key)

/** What is put of an open run: its message, and its place in the list. A run that is put in one transaction has both in it. */
export function openParts({ message, ...run }: Omit<OpenRun, 'listedMs'>, kept: KeptUntil) {
  const listed = { ...run, listedMs: run.dueMs }
  const ttl = number(kept.ledger(parseRunId(run.runId).second))
  return [
    { do: 'put', key: keyOfMessage(listed), item: { message: text(message), ttl } },
    { do: 'put', key: keyOfOpen(run), item: writeOpen(listed) },
  ] as const satisfies TransactionPart[]
}

export class DynamoOpenRuns implements OpenRuns {
  readonly #table: Table
  readonly #kept: KeptUntil

  constructor(table: Table, kept: KeptUntil) {
    this.#table = table
    this.#kept = kept
  }

  /** The message first: an audit that finds the run in the list finds what to send. */
  async put(run: Omit<OpenRun, 'listedMs'>): Promise<void> {
    for (const { key, item } of openParts(run, this.#kept)) await this.#table.put(key, item)
  }

  async list(shard: number, limit: number): Promise<ListedRun[]> {
    return (await this.#read(shard, limit, {})).slice(0, limit)
  }

  async due(shard: number, untilMs: number, limit: number): Promise<OpenRun[]> {
    // Of two with the same time the runs' ids decide, and those come before ~.
    const found = await this.#read(shard, limit, { to: `${sortPart('ms', untilMs)}~` })
    const due = found.sort((a, b) => (keyOfOpen(a).sk < keyOfOpen(b).sk ? -1 : 1)).slice(0, limit)
    const items = await this.#table.getMany(due.map(keyOfMessage))
    const messages = new Map(items.map((item) => [nameOf(keyOfItem(item)), item.message?.S]))
    return due.map((run) => ({ ...run, message: messages.get(nameOf(keyOfMessage(run))) ?? '' }))
  }

  async #read(shard: number, limit: number, range: { readonly to?: string }): Promise<ListedRun[]> {
    const parts = await Promise.all(
      Array.from({ length: PARTS }, (_, part) =>
        this.#table.query({ pk: partitionOfType('open', { shard, part }), ...range, limit }),
      ),
    )
    return parts.flat().map(readOpen)
  }

  async move<Run extends ListedRun>(run: Run, to: Pick<ListedRun, 'dueMs' | 'times'>): Promise<Run | null> {
    const moved: Run = { ...run, ...to }
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
    const removed: Attributes | null = await this.#table.take(keyOfOpen(run))
    if (removed !== null) await this.#table.remove(keyOfMessage(readOpen(removed)))
  }
}

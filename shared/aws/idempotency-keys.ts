// Requests with an Idempotency-Key, kept for a day. What is past its day counts as gone, whether or not the table has removed it.

import { randomUUID } from 'node:crypto'
import type { IdempotencyKeys, Reservation } from '../ports.ts'
import { type Attributes, equals, isAbsent, number, text } from './expression.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf, type TableKey } from './keys.ts'
import type { Table } from './table.ts'

const keyOfHash = (hash: string): TableKey => keyOf({ type: 'idempotency', hash })

const readReservation = (item: Attributes): Reservation => ({
  bodyHash: item.bodyHash?.S ?? '',
  plan: item.plan?.S ?? '',
  answer: item.answer?.S ?? null,
  pendingUntilMs: Number(item.pendingUntilMs?.N),
})

export class DynamoIdempotencyKeys implements IdempotencyKeys {
  readonly #table: Table
  readonly #kept: KeptUntil

  constructor(table: Table, kept: KeptUntil) {
    this.#table = table
    this.#kept = kept
  }

  async reserve(hash: string, wanted: Omit<Reservation, 'answer'>, nowMs: number): Promise<Reservation | null> {
    const key = keyOfHash(hash)
    const writer = randomUUID()
    const item = {
      bodyHash: text(wanted.bodyHash),
      plan: text(wanted.plan),
      pendingUntilMs: number(wanted.pendingUntilMs),
      writer: text(writer),
      ttl: number(this.#kept.answer(nowMs)),
    }
    const isMine = (found: Attributes) => found.writer?.S === writer
    const first = await this.#table.put(key, item, isAbsent('pk'), isMine)
    if (first.done) return null
    const found = first.found ?? (await this.#table.get(key)) ?? {}
    const isOver = Number(found.ttl?.N ?? 0) * 1000 <= nowMs
    const there = readReservation(found)
    const isDead = there.answer === null && nowMs >= there.pendingUntilMs
    // Another body is another request, which makes nothing of the plan of this one.
    if (!isOver && (!isDead || there.bodyHash !== wanted.bodyHash)) return there
    // The request that made it is gone: this one goes on with its plan, so that nothing is made twice.
    const isUntouched = found.writer === undefined ? isAbsent('writer') : equals('writer', found.writer)
    const plan = isOver ? item.plan : text(there.plan)
    const taken = await this.#table.put(key, { ...item, plan }, isUntouched, isMine)
    if (!taken.done) return taken.found === null ? there : readReservation(taken.found)
    return isOver ? null : { ...there, answer: null }
  }

  async answer(hash: string, answer: string): Promise<void> {
    await this.#table.update(keyOfHash(hash), { set: { answer: text(answer) } })
  }

  async release(hash: string): Promise<void> {
    await this.#table.remove(keyOfHash(hash))
  }
}

// What was answered to a request, by the hash of its key. The first answer stays.

import type { Answers, Clock } from '../ports.ts'
import { isAbsent, number, text } from './expression.ts'
import type { KeptUntil } from './kept-until.ts'
import { keyOf } from './keys.ts'
import type { Table } from './table.ts'

export class DynamoAnswers implements Answers {
  readonly #table: Table
  readonly #kept: KeptUntil
  readonly #clock: Clock

  constructor(table: Table, kept: KeptUntil, clock: Clock) {
    this.#table = table
    this.#kept = kept
    this.#clock = clock
  }

  async keep(requestHash: string, answer: string): Promise<string> {
    const item = { answer: text(answer), ttl: number(this.#kept.answer(this.#clock.nowMs())) }
    const written = await this.#table.put(keyOf({ type: 'idempotency', hash: requestHash }), item, isAbsent('pk'))
    return written.done ? answer : (written.found?.answer?.S ?? answer)
  }
}

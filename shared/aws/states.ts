// The state of a job: its last success, its catch-up, its lane. It is read, decided on, and written only if no other write came in between.

import { randomUUID } from 'node:crypto'
import { type JobState, NEW_STATE } from '../core/gate/state.ts'
import type { States } from '../ports.ts'
import { writeFields } from './codec.ts'
import { type Attributes, equals, isAbsent, text } from './expression.ts'
import { readState, STATE } from './items.ts'
import { keyOf } from './keys.ts'
import type { Table } from './table.ts'

/** So many others in a row came first: something is badly wrong. */
const MOST_TRIES = 50
const WAIT_MS = 10

export class DynamoStates implements States {
  readonly #table: Table

  constructor(table: Table) {
    this.#table = table
  }

  async read(jobId: string): Promise<JobState> {
    const item = await this.#table.get(keyOf({ type: 'state', jobId }))
    return item === null ? NEW_STATE : readState(item)
  }

  async change<Result>(
    jobId: string,
    decide: (state: JobState) => { readonly state: JobState | null; readonly result: Result },
  ): Promise<Result> {
    const key = keyOf({ type: 'state', jobId })
    let seen = await this.#table.get(key)
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const before = seen === null ? NEW_STATE : readState(seen)
      const { state, result } = decide(before)
      if (state === null) return result
      const writer = randomUUID()
      const written = await this.#table.update(
        key,
        {
          ...fieldsThatChanged(before, state, writer),
          onlyIf: seen === null ? isAbsent('writer') : equals('writer', seen.writer),
        },
        (found) => found.writer?.S === writer,
      )
      if (written.done) return result
      seen = written.found
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS * Math.random() * tries))
    }
    throw new Error(`the state of job ${jobId} was changed by others ${MOST_TRIES} times in a row`)
  }
}

function fieldsThatChanged(before: JobState, after: JobState, writer: string): { set: Attributes; remove: string[] } {
  const [from, to] = [writeFields(STATE, before), writeFields(STATE, after)]
  const changed = Object.entries(to).filter(([name, value]) => value.S !== from[name]?.S || value.N !== from[name]?.N)
  return {
    set: { ...Object.fromEntries(changed), writer: text(writer) },
    remove: Object.keys(from).filter((name) => !(name in to)),
  }
}

// Stands in for executors: takes messages from the queues, claims what they carry, and says at once that it went well.

import { messageSchema } from '../../shared/core/run/message.ts'
import { parseRunId } from '../../shared/core/run/run.ts'
import type { Stack } from './stack.ts'

export interface Taken {
  readonly atMs: number
  readonly name: string
  readonly second: number
  readonly trigger: string
}

const MOST_KEPT = 100_000

export class Taker {
  readonly taken: Taken[] = []
  #isOpen = true
  readonly #stack: Stack
  readonly #onTaken: (run: Taken) => void
  readonly #running: Promise<void>[]

  constructor(stack: Stack, onTaken: (run: Taken) => void = () => {}) {
    this.#stack = stack
    this.#onTaken = onTaken
    this.#running = [this.#consume('fast'), this.#consume('slow')]
  }

  async #consume(lane: 'fast' | 'slow'): Promise<void> {
    const queue = this.#stack.queues[lane]
    while (this.#isOpen) {
      const messages = await queue.receive(10, 1).catch(() => [])
      await Promise.all(messages.map(({ body }) => this.#take(body)))
      if (messages.length > 0) await queue.remove(messages.map(({ receipt }) => receipt)).catch(() => {})
    }
  }

  async #take(body: string): Promise<void> {
    const atMs = Date.now()
    const message = messageSchema.parse(JSON.parse(body))
    const { ledger } = this.#stack.world
    const ended = { status: 'SUCCEEDED', attempt: 1, startOffsetMs: 0, durationMs: 0 } as const
    if (message.type === 'run') {
      const id = parseRunId(message.runId)
      const { done } = await ledger.swapRun(id, { status: 'QUEUED', attempt: 1 }, ended, {})
      if (done) this.#keep({ atMs, name: message.job.name, second: id.second, trigger: message.trigger })
      return
    }
    const { shard, second, depth, page, runs } = message
    const key = { shard, second, depth, page }
    const token = crypto.randomUUID().slice(0, 8)
    const claim = { status: 'RUNNING', attempt: 1, token, deadlineSecond: second + 75 } as const
    const claims = await ledger.swap(
      key,
      runs.map(({ id }) => ({ id, expect: null, next: claim })),
    )
    const mine = runs.filter(({ id }) => claims.get(id)?.done === true)
    const next = { ...ended, startOffsetMs: Math.max(0, atMs - second * 1000) }
    await ledger.swap(
      key,
      mine.map(({ id }) => ({ id, expect: claim, next })),
    )
    for (const { job, kind } of mine) this.#keep({ atMs, name: job.name, second, trigger: kind })
  }

  #keep(run: Taken): void {
    this.taken.push(run)
    if (this.taken.length > MOST_KEPT) this.taken.shift()
    this.#onTaken(run)
  }

  /** The seconds in which a job was taken, in order. */
  seconds(name: string): number[] {
    return this.taken
      .filter((each) => each.name === name)
      .map(({ second }) => second)
      .sort((a, b) => a - b)
  }

  async stop(): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#running)
  }
}

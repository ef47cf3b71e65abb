// Takes messages from a queue and hands them to a function, as Lambda's pollers do: so many of them a call, so many calls at
// once, and what the function does not name as failed is removed.

import type { BatchResult, QueueDelivery } from '../../functions/queue-delivery.ts'
import type { Queue, Received } from '../../shared/ports.ts'
import type { PoolTime } from './pool.ts'

export interface PollerOptions {
  readonly queue: Queue
  readonly time: PoolTime
  /** Messages a call. */
  readonly batch: number
  /** Calls at once. */
  readonly most: number
  /** Polls at once. */
  readonly receivers: number
  readonly pollSeconds: number
  /** Between two looks at a queue that had nothing. */
  readonly restMs: number
  /** From taking messages to calling the function. */
  readonly delayMs?: () => number
  invoke(event: QueueDelivery): Promise<BatchResult>
  onError(error: unknown): void
  /** Told of each call when it begins: of which messages, and when they were received. */
  onCall?(messages: readonly Received[], receivedMs: number): void
}

const MOST_RECEIVED = 10

export class Poller {
  readonly #options: PollerOptions
  /** Calls that run, or for which room is kept. */
  #underWay = 0
  readonly #waiting: (() => void)[] = []
  #isStopped = false
  /** Nothing is taken while this is true. */
  isPaused = false

  constructor(options: PollerOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.receivers }, () => this.#receive()))
  }

  async #receive(): Promise<void> {
    const { queue, time, batch, pollSeconds, restMs } = this.#options
    while (!this.#isStopped) {
      const calls = await this.#reserve()
      const most = Math.min(MOST_RECEIVED, calls * batch)
      const received = this.isPaused ? [] : await queue.receive(most, pollSeconds).catch(() => [])
      this.#underWay -= calls
      // What comes when it was told to stop stays in the queue, or is lost with it: the audit sends it again.
      if (this.#isStopped) return
      for (let first = 0; first < received.length; first += batch)
        void this.#handle(received.slice(first, first + batch))
      if (received.length === 0) {
        this.#freed()
        await time.until(time.nowMs() + restMs)
      }
    }
  }

  /** Room for the calls that one receive may lead to, kept from others until it is known how many they are. */
  async #reserve(): Promise<number> {
    const { batch, most } = this.#options
    while (this.#underWay >= most) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const calls = Math.min(Math.ceil(MOST_RECEIVED / batch), most - this.#underWay)
    this.#underWay += calls
    return calls
  }

  #freed(): void {
    for (const go of this.#waiting.splice(0)) go()
  }

  async #handle(messages: readonly Received[]): Promise<void> {
    this.#underWay += 1
    const receivedMs = this.#options.time.nowMs()
    try {
      const Records = messages.map(({ id, body, receiveCount }) => ({
        messageId: id,
        body,
        attributes: { ApproximateReceiveCount: String(receiveCount) },
      }))
      const delayMs = this.#options.delayMs?.() ?? 0
      if (delayMs > 0) await this.#options.time.until(this.#options.time.nowMs() + delayMs)
      this.#options.onCall?.(messages, receivedMs)
      const { batchItemFailures } = await this.#options.invoke({ Records })
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      const done = messages.filter(({ id }) => !failed.has(id)).map(({ receipt }) => receipt)
      if (done.length > 0) await this.#options.queue.remove(done)
    } catch (error) {
      if (!this.#isStopped) this.#options.onError(error)
    } finally {
      this.#underWay -= 1
      this.#freed()
    }
  }

  stop(): void {
    this.#isStopped = true
  }
}

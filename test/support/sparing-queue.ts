// A queue on a real engine in driven time, which is asked only while something may be in it: most polls of an idle queue would
// take a request each and bring nothing.

import type { Message, Queue, Received, SendResult } from '../../shared/ports.ts'
import type { DrivenTime } from './driven-time.ts'

export interface Purgeable extends Queue {
  purge(): Promise<void>
}

export class SparingQueue implements Purgeable {
  readonly #queue: Purgeable
  readonly #time: DrivenTime
  /** Messages that were sent and are not yet removed. */
  #left = 0
  /** The messages that are left and were received, by receipt. */
  readonly #received = new Map<string, string>()
  readonly #polls = new Set<AbortController>()

  constructor(queue: Purgeable, time: DrivenTime) {
    this.#queue = queue
    this.#time = time
  }

  async send(messages: readonly Message[]): Promise<SendResult> {
    // Counted first, so that nothing is overlooked that is already there when the answer comes.
    this.#left += messages.length
    this.giveUpPolls()
    const result = await this.#queue.send(messages)
    this.#left -= result.unsent.length + result.refused.length
    return result
  }

  counts(): ReturnType<Queue['counts']> {
    return this.#queue.counts()
  }

  /** Waits in driven time where nothing can be there; a wait of the engine's own would be one in real time. */
  async receive(most: number, waitSeconds: number): Promise<Received[]> {
    if (this.#left === 0) return this.#wait(waitSeconds)
    const received = await this.#queue.receive(most, 0)
    for (const { receipt, id } of received) this.#received.set(receipt, id)
    return received
  }

  async #wait(seconds: number): Promise<[]> {
    const sinceMs = this.#time.nowMs()
    const poll = new AbortController()
    this.#polls.add(poll)
    await this.#time.turn(sinceMs + seconds * 1000, poll.signal)
    this.#polls.delete(poll)
    return []
  }

  giveUpPolls(): void {
    for (const poll of this.#polls) poll.abort('given up')
  }

  async remove(receipts: readonly string[]): Promise<void> {
    await this.#queue.remove(receipts)
    // A message that came twice has two receipts, and is removed once.
    const ids = new Set(receipts.flatMap((receipt) => this.#received.get(receipt) ?? []))
    this.#left -= ids.size
    for (const [receipt, id] of this.#received) if (ids.has(id)) this.#received.delete(receipt)
  }

  hide(receipt: string, seconds: number): Promise<void> {
    return this.#queue.hide(receipt, seconds)
  }

  async purge(): Promise<void> {
    await this.#queue.purge()
    this.#left = 0
    this.#received.clear()
  }
}

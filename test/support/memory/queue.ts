// A queue in memory, with delays, visibility and dead letters, by a clock that a test may drive.

import type { Message, Queue, Received } from '../../../shared/ports.ts'

interface Held {
  readonly id: string
  readonly body: string
  visibleAtMs: number
  receiveCount: number
}

export interface MemoryQueueOptions {
  readonly visibilityMs?: number
  /** Where messages go that were received this often. */
  readonly deadLetters?: { readonly queue: MemoryQueue; readonly after: number }
}

export class MemoryQueue implements Queue {
  readonly #messages = new Map<string, Held>()
  readonly #nowMs: () => number
  readonly #options: MemoryQueueOptions
  #sent = 0

  constructor(nowMs: () => number, options: MemoryQueueOptions = {}) {
    this.#nowMs = nowMs
    this.#options = options
  }

  async send(messages: readonly Message[]): Promise<Message[]> {
    for (const { body, delaySeconds = 0 } of messages) {
      this.#sent += 1
      const id = String(this.#sent)
      this.#messages.set(id, { id, body, visibleAtMs: this.#nowMs() + delaySeconds * 1000, receiveCount: 0 })
    }
    return []
  }

  async counts(): Promise<{ visible: number; inFlight: number; delayed: number }> {
    const all = [...this.#messages.values()]
    const hidden = all.filter(({ visibleAtMs }) => visibleAtMs > this.#nowMs())
    const inFlight = hidden.filter(({ receiveCount }) => receiveCount > 0).length
    return { visible: all.length - hidden.length, inFlight, delayed: hidden.length - inFlight }
  }

  async receive(most: number): Promise<Received[]> {
    const { visibilityMs = 30_000, deadLetters } = this.#options
    const received: Received[] = []
    for (const held of this.#messages.values()) {
      if (received.length === most) break
      if (held.visibleAtMs > this.#nowMs()) continue
      if (deadLetters !== undefined && held.receiveCount >= deadLetters.after) {
        this.#messages.delete(held.id)
        await deadLetters.queue.send([{ body: held.body }])
        continue
      }
      held.visibleAtMs = this.#nowMs() + visibilityMs
      held.receiveCount += 1
      received.push({ id: held.id, body: held.body, receipt: held.id, receiveCount: held.receiveCount })
    }
    return received
  }

  async remove(receipts: readonly string[]): Promise<void> {
    for (const receipt of receipts) this.#messages.delete(receipt)
  }

  async hide(receipt: string, seconds: number): Promise<void> {
    const held = this.#messages.get(receipt)
    if (held !== undefined) held.visibleAtMs = this.#nowMs() + seconds * 1000
  }

  /** Loses everything, as a queue does that is wiped. */
  purge(): void {
    this.#messages.clear()
  }
}

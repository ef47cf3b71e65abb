// A queue in memory, with delays, visibility, dead letters and polls that wait, by a clock that a test may drive.

import type { Message, Queue, Received, SendResult } from '../../../shared/ports.ts'

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
  /** Why it will never take a message, beside what SQS refuses; null where it does. */
  readonly refuses?: ((body: string) => string | null) | undefined
  /** How a poll that found nothing waits in driven time; without it a poll answers at once. */
  readonly turn?: (ms: number, signal?: AbortSignal) => Promise<void>
}

const MOST_BYTES = 1024 * 1024
/** What SQS says it takes. */
const ALLOWED = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]+$/u

function whyRefused({ body, delaySeconds = 0 }: Message): string | null {
  if (!ALLOWED.test(body)) return 'InvalidMessageContents'
  const isDelayed = Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= 900
  return isDelayed && Buffer.byteLength(body) <= MOST_BYTES ? null : 'InvalidParameterValue'
}

/** The answer of a queue that takes everything. */
export const ALL_TAKEN: SendResult = { unsent: [], refused: [] }

/** A poll that waits sees what comes as one would that looks every ten milliseconds, and costs nothing meanwhile. */
const LOOK_MS = 10
const CHANGED = 'changed'
const GIVEN_UP = 'given up'

export class MemoryQueue implements Queue {
  readonly #messages = new Map<string, Held>()
  readonly #nowMs: () => number
  readonly #options: MemoryQueueOptions
  #sent = 0
  readonly #polls = new Set<AbortController>()

  constructor(nowMs: () => number, options: MemoryQueueOptions = {}) {
    this.#nowMs = nowMs
    this.#options = options
  }

  async send(messages: readonly Message[]): Promise<SendResult> {
    const refused = messages.flatMap((message) => {
      const reason = whyRefused(message) ?? this.#options.refuses?.(message.body) ?? null
      return reason === null ? [] : [{ message, reason }]
    })
    for (const message of messages) {
      if (refused.some((each) => each.message === message)) continue
      const { body, delaySeconds = 0 } = message
      this.#sent += 1
      const id = String(this.#sent)
      this.#messages.set(id, { id, body, visibleAtMs: this.#nowMs() + delaySeconds * 1000, receiveCount: 0 })
    }
    this.#changed()
    return { unsent: [], refused }
  }

  async counts(): Promise<{ visible: number; inFlight: number; delayed: number }> {
    const all = [...this.#messages.values()]
    const hidden = all.filter(({ visibleAtMs }) => visibleAtMs > this.#nowMs())
    const inFlight = hidden.filter(({ receiveCount }) => receiveCount > 0).length
    return { visible: all.length - hidden.length, inFlight, delayed: hidden.length - inFlight }
  }

  async receive(most: number, waitSeconds = 0): Promise<Received[]> {
    const { turn } = this.#options
    const sinceMs = this.#nowMs()
    const untilMs = sinceMs + waitSeconds * 1000
    for (;;) {
      const received = await this.#take(most)
      if (turn === undefined || received.length > 0 || this.#nowMs() >= untilMs) return received
      const poll = new AbortController()
      this.#polls.add(poll)
      await turn(Math.min(untilMs, this.#nextVisibleMs()), poll.signal)
      this.#polls.delete(poll)
      if (poll.signal.reason === GIVEN_UP) return []
      const looks = Math.ceil((this.#nowMs() - sinceMs) / LOOK_MS)
      await turn(sinceMs + looks * LOOK_MS)
    }
  }

  #nextVisibleMs(): number {
    return [...this.#messages.values()].reduce((least, { visibleAtMs }) => Math.min(least, visibleAtMs), Infinity)
  }

  /** Polls that wait end with nothing, as they must before nothing more is to be taken. */
  giveUpPolls(): void {
    this.#changed(GIVEN_UP)
  }

  #changed(why = CHANGED): void {
    for (const poll of this.#polls) poll.abort(why)
  }

  async #take(most: number): Promise<Received[]> {
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
    if (held === undefined) return
    held.visibleAtMs = this.#nowMs() + seconds * 1000
    this.#changed()
  }

  /** Loses everything, as a queue does that is wiped. */
  purge(): void {
    this.#messages.clear()
  }
}

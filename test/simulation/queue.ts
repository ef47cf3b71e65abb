// A queue that delivers by itself, as SQS does to a function: at least once, in no order, late, again after a time where
// no consumer said that it was done, and to the dead letters when that was so too often. Every message is accounted for.

import type { BatchResult, QueueDelivery } from '../../functions/queue-delivery.ts'
import type { Message, Queue, Received, Refused, SendResult } from '../../shared/ports.ts'
import type { QueueName } from './history.ts'
import type { Recorder } from './recorder.ts'
import { runsIn, runsOrNone } from './runs-in.ts'
import type { SimTime } from './time.ts'

interface Held {
  readonly id: number
  readonly body: string
  visibleAtMs: number
  receiveCount: number
}

/** What may happen to messages on their way. */
export interface QueueWeather {
  /** Time until a message that was sent is seen, where it was to be held back for so long. */
  delayMs(queue: QueueName, heldBackMs: number): number
  /** After how long a message that is being worked on is delivered again; null where it is not. */
  againAfterMs(queue: QueueName): number | null
  /** Whether what was done cannot be deleted. */
  failsToDelete(queue: QueueName): boolean
  /** Which of so many that could be delivered comes next. */
  pick(of: number): number
  /** Whether a message with these runs will never be taken, because of one of them. */
  refuses(runs: readonly string[]): boolean
  /** Whatever a message becomes on its way. */
  change(body: string): string
}

export interface SimQueueOptions {
  readonly name: QueueName
  readonly time: SimTime
  readonly recorder: Recorder
  readonly weather: QueueWeather
  readonly visibilityMs: number
  readonly deadLetters?: { readonly queue: SimQueue; readonly after: number }
  /** Messages a call, and calls at once. */
  readonly batch: number
  readonly most: number
  invoke(event: QueueDelivery): Promise<BatchResult>
}

/** What no message may hold. */
const REFUSED_PAYLOAD = '"acts":"refused"'

/** What a poll of Lambda takes. */
const POLL_MS = 5

export class SimQueue implements Queue {
  readonly #options: SimQueueOptions
  readonly #messages = new Map<number, Held>()
  /** Those that can be delivered now. */
  #visible: Held[] = []
  #sent = 0
  #underWay = 0
  #isPumping = false
  isPaused = false

  constructor(options: SimQueueOptions) {
    this.#options = options
  }

  #note(what: 'sent' | 'deleted' | 'failed', message: number): void {
    const { recorder, name } = this.#options
    recorder.add({ op: 'queue', queue: name, what, message }, 'queue')
  }

  async send(messages: readonly Message[]): Promise<SendResult> {
    const { weather, name } = this.#options
    const refused: Refused[] = []
    for (const message of messages) {
      const { body, delaySeconds = 0 } = message
      if (this.#refuses(body)) refused.push({ message, reason: 'it holds what this queue does not take' })
      else this.#put(weather.change(body), weather.delayMs(name, delaySeconds * 1000))
    }
    return { unsent: [], refused }
  }

  #refuses(body: string): boolean {
    const { weather, name, recorder } = this.#options
    if (name !== 'fast' && name !== 'slow') return false
    const runs = runsIn(body)
    const isRefused = weather.refuses(runs) || body.includes(REFUSED_PAYLOAD)
    if (isRefused) recorder.add({ op: 'refused', queue: name, runs }, 'queue')
    return isRefused
  }

  #put(body: string, inMs: number): void {
    this.#sent += 1
    const held = { id: this.#sent, body, visibleAtMs: this.#options.time.nowMs() + inMs, receiveCount: 0 }
    this.#messages.set(held.id, held)
    this.#note('sent', held.id)
    this.#showLater(held)
  }

  #showLater(held: Held): void {
    const { visibleAtMs } = held
    this.#options.time.at(visibleAtMs + POLL_MS, () => {
      if (!this.#messages.has(held.id) || held.visibleAtMs !== visibleAtMs) return
      this.#visible.push(held)
      this.pump()
    })
  }

  get size(): number {
    return this.#messages.size
  }

  async counts(): Promise<{ visible: number; inFlight: number; delayed: number }> {
    const all = [...this.#messages.values()]
    const hidden = all.filter(({ visibleAtMs }) => visibleAtMs > this.#options.time.nowMs())
    const inFlight = hidden.filter(({ receiveCount }) => receiveCount > 0).length
    return { visible: all.length - hidden.length, inFlight, delayed: hidden.length - inFlight }
  }

  /** Delivers what can be seen, as long as there is a consumer to take it. */
  pump(): void {
    if (this.#isPumping || this.isPaused) return
    this.#isPumping = true
    const { batch, most } = this.#options
    while (this.#underWay < most) {
      const taken = this.#take(batch)
      if (taken.length === 0) break
      void this.#deliver(taken)
    }
    this.#isPumping = false
  }

  #take(most: number): Held[] {
    const { time, weather, visibilityMs, deadLetters, name } = this.#options
    const taken: Held[] = []
    while (taken.length < most && this.#visible.length > 0) {
      const [held] = this.#visible.splice(weather.pick(this.#visible.length), 1)
      if (deadLetters !== undefined && held.receiveCount >= deadLetters.after) {
        this.#messages.delete(held.id)
        this.#note('failed', held.id)
        deadLetters.queue.#put(held.body, 0)
        continue
      }
      const againMs = weather.againAfterMs(name)
      held.visibleAtMs = time.nowMs() + (againMs ?? visibilityMs)
      held.receiveCount += 1
      this.#showLater(held)
      taken.push(held)
    }
    return taken
  }

  async #deliver(taken: readonly Held[]): Promise<void> {
    const { invoke, weather, name } = this.#options
    this.#underWay += 1
    try {
      const Records = taken.map(({ id, body }) => ({ messageId: String(id), body }))
      const { batchItemFailures } = await invoke({ Records })
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier))
      for (const { id } of taken) {
        const isDone = !failed.has(String(id)) && !weather.failsToDelete(name)
        if (isDone) this.#delete(id)
      }
    } catch {
      // The function died or took too long: its messages come again.
    } finally {
      this.#underWay -= 1
      this.pump()
    }
  }

  #delete(id: number): void {
    const held = this.#messages.get(id)
    if (held === undefined) return
    this.#messages.delete(id)
    this.#visible = this.#visible.filter((each) => each !== held)
    this.#note('deleted', id)
  }

  /** Loses everything. */
  purge(): void {
    const { recorder, name } = this.#options
    for (const { id, body } of this.#messages.values())
      recorder.add({ op: 'queue', queue: name, what: 'purged', message: id, runs: runsOrNone(body) }, 'queue')
    this.#messages.clear()
    this.#visible = []
  }

  receive(): Promise<Received[]> {
    return Promise.reject(new Error('this queue delivers by itself'))
  }

  remove(): Promise<void> {
    return Promise.reject(new Error('this queue deletes by itself'))
  }

  hide(): Promise<void> {
    return Promise.reject(new Error('this queue hides by itself'))
  }
}

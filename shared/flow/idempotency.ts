// Requests with an Idempotency-Key: the same request again has the same effect and the same answer, for a day.

import type { AuditTrail, Clock, IdempotencyKeys, Reservation } from '../ports.ts'
import { Refusal } from './refusals.ts'

export interface Request {
  /** Of the API key, the path and the Idempotency-Key. */
  readonly hash: string
  /** Of the body. */
  readonly bodyHash: string
}

export interface IdempotencyWorld {
  readonly idempotency: IdempotencyKeys
  readonly clock: Clock
}

/** A request takes no longer than this; one that was not answered by then has died. */
const PENDING_MS = 35_000

async function reserve(world: IdempotencyWorld, request: Request, plan: string): Promise<Reservation | null> {
  const nowMs = world.clock.nowMs()
  const { hash, bodyHash } = request
  const there = await world.idempotency.reserve(hash, { bodyHash, plan, pendingUntilMs: nowMs + PENDING_MS }, nowMs)
  if (there === null || there.bodyHash === bodyHash) return there
  throw new Refusal('key-reused', 'this Idempotency-Key came with another body before. Use a new key for a new request')
}

export interface Planned {
  /** What the request is to make: as it is planned now, or as it was planned before. */
  readonly plan: string
  readonly isReplay: boolean
  /** What was answered before, where that is known. */
  readonly answer: string | null
}

/** For requests whose effect can be repeated once it is known what it is. */
export async function planned(world: IdempotencyWorld, request: Request | null, plan: string): Promise<Planned> {
  const first = { plan, isReplay: false, answer: null }
  if (request === null) return first
  const there = await reserve(world, request, plan)
  return there === null ? first : { plan: there.plan, isReplay: true, answer: there.answer }
}

/** An act after `planned` that is refused leaves nothing behind: the same key may come with a better request. */
export async function unlessRefused<Result>(
  world: IdempotencyWorld,
  request: Request | null,
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (request !== null && error instanceof Refusal) await world.idempotency.release(request.hash)
    throw error
  }
}

export interface Answered {
  readonly answer: string
  readonly isReplay: boolean
}

/** An act and the name of its line in the audit. */
export interface Act {
  readonly id: string
  /** Where the same request was begun before and its answer is not known: from when on it may have been done. */
  readonly sinceMs: number | null
}

/**
 * For requests whose answer is kept. `act` gives it, or null where it is not to be kept. One that is refused leaves nothing behind; of one
 * that broke off it is not known how far it came, so the same request again is told.
 */
export async function answeredOnce(
  world: IdempotencyWorld,
  request: Request,
  plan: string,
  act: (act: Act) => Promise<{ readonly answer: string; readonly kept: string | null }>,
  isRefusal: (error: unknown) => boolean,
): Promise<Answered> {
  const there = await reserve(world, request, plan)
  if (there !== null && there.answer !== null) return { answer: there.answer, isReplay: true }
  if (there !== null && world.clock.nowMs() < there.pendingUntilMs) {
    throw new Refusal('in-progress', 'the same request is under way. Send it again in a moment', {
      retryAfterSeconds: 1,
    })
  }
  let done: Awaited<ReturnType<typeof act>>
  try {
    const sinceMs = there === null ? null : there.pendingUntilMs - PENDING_MS
    done = await act({ id: there?.plan ?? plan, sinceMs })
  } catch (error) {
    if (isRefusal(error)) await world.idempotency.release(request.hash)
    throw error
  }
  if (done.kept === null) await world.idempotency.release(request.hash)
  else await world.idempotency.answer(request.hash, done.kept)
  return { answer: done.answer, isReplay: false }
}

const DAY_MS = 86_400_000
/** Clocks of two environments differ by less. */
const MARGIN_MS = 60_000

/** Whether an act was done before: its line in the audit was written with it. */
export async function wasDone(
  { audit, clock }: { readonly audit: AuditTrail; readonly clock: Clock },
  namespace: string,
  { id, sinceMs }: Act,
): Promise<boolean> {
  if (sinceMs === null) return false
  const [fromMs, toMs] = [sinceMs - MARGIN_MS, clock.nowMs() + MARGIN_MS]
  for (let day = Math.floor(fromMs / DAY_MS); day * DAY_MS <= toMs; day++) {
    if ((await audit.ofDay(namespace, day, fromMs, toMs)).some((entry) => entry.id === id)) return true
  }
  return false
}

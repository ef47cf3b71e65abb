// Everything that is refused, in one shape: application/problem+json with a code, and all faults at once.

import { KEYS_IN_TEXT } from '../../shared/core/access/key.ts'
import { InputError } from '../../shared/core/errors.ts'
import { TooManyEdits } from '../../shared/core/job/edit.ts'
import { type Fault, faultOfError, InvalidInput } from '../../shared/core/job/invalid.ts'
import { Refusal } from '../../shared/flow/refusals.ts'

/** The closed list of codes, each with its status and title. */
export const PROBLEMS = {
  'bad-json': [400, 'The body is not JSON'],
  'bad-request': [400, 'The request cannot be read'],
  'bad-cursor': [400, 'The cursor does not belong to this query'],
  'not-kept': [400, 'So far back nothing is kept'],
  unauthorized: [401, 'A key is needed'],
  forbidden: [403, 'The key may not do this'],
  'bad-origin': [403, 'The host or origin is not served here'],
  'not-found': [404, 'There is no such thing'],
  'method-not-allowed': [405, 'The method is not allowed here'],
  conflict: [409, 'It stands in the way of something else'],
  managed: [409, 'Another manager looks after it'],
  'in-progress': [409, 'The same request is under way'],
  'run-ended': [409, 'The run has ended'],
  'run-open': [409, 'The run has not ended'],
  'stale-attempt': [409, 'The attempt is over'],
  'stale-version': [412, 'It was changed since it was read'],
  exists: [412, 'It is there already'],
  'too-large': [413, 'The body is too large'],
  'unsupported-media-type': [415, 'The body is not application/json'],
  invalid: [422, 'The request was read and is not accepted'],
  'key-reused': [422, 'The Idempotency-Key was used for another request'],
  'rate-limited': [429, 'Too many requests'],
  quota: [429, 'A limit of the namespace is reached'],
  internal: [500, 'Something went wrong here'],
  unavailable: [503, 'The store cannot be reached'],
} as const satisfies Record<string, readonly [number, string]>

export type ProblemCode = keyof typeof PROBLEMS

export interface RequestFault extends Fault {
  readonly in: 'body' | 'query' | 'path' | 'header'
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly faults: readonly RequestFault[]
  readonly currentVersion: number | null
  readonly headers: Readonly<Record<string, string>>

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly faults?: readonly RequestFault[]
      readonly currentVersion?: number | null
      readonly headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.faults = more.faults ?? []
    this.currentVersion = more.currentVersion ?? null
    this.headers = more.headers ?? {}
  }

  get status(): number {
    return PROBLEMS[this.code][0]
  }
}

const counted = (faults: number): string => `${faults} ${faults === 1 ? 'fault' : 'faults'}; nothing was changed`

/** A small body can have thousands of faults; who has mended so many asks again. */
const MOST_TOLD = 100

export const invalidBody = (faults: readonly Fault[]): Problem =>
  new Problem('invalid', counted(faults.length), {
    faults: faults.slice(0, MOST_TOLD).map((fault) => ({ in: 'body', ...fault })),
  })

export const badRequest = (faults: readonly RequestFault[]): Problem =>
  new Problem('bad-request', counted(faults.length), { faults })

const retryAfter = (seconds: number | null): Record<string, string> =>
  seconds === null ? {} : { 'retry-after': String(seconds) }

/** Errors of the store that come from the way to it, or from its load: the same request may work in a moment. */
function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isOfSdk = '$metadata' in error || '$fault' in error
  const code: unknown = Reflect.get(error, 'code')
  return isOfSdk || error.name === 'TimeoutError' || (typeof code === 'string' && /^E[A-Z]+$/.test(code))
}

/** What an error means to the caller. One that is not foreseen says nothing about itself: its text is for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof InvalidInput) return invalidBody(error.faults)
  if (error instanceof InputError) return invalidBody([faultOfError(error)])
  if (error instanceof TooManyEdits) {
    return new Problem('rate-limited', error.message, { headers: retryAfter(error.retryAfterSeconds) })
  }
  if (error instanceof Refusal) {
    const { code, message, currentVersion, retryAfterSeconds } = error
    return new Problem(code, message, { currentVersion, headers: retryAfter(retryAfterSeconds) })
  }
  if (isOutOfReach(error)) {
    return new Problem('unavailable', 'the store did not answer. Send the request again', { headers: retryAfter(1) })
  }
  return new Problem('internal', 'an unexpected error. Report it with the requestId')
}

/** The JSON of a problem; keys that a caller put in the wrong place are masked. */
export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  const [status, title] = PROBLEMS[problem.code]
  return {
    type: `urn:tickring:problem:${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: masked(problem.message),
    requestId,
    errors: problem.faults.map((fault) => ({
      in: fault.in,
      path: masked(fault.path),
      code: fault.code,
      message: masked(fault.message),
    })),
    ...(problem.currentVersion === null ? {} : { currentVersion: problem.currentVersion }),
  }
}

export const masked = (text: string): string => text.replace(KEYS_IN_TEXT, 'tkr_…')

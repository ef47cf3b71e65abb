// Requests that make sense and cannot be met: what is asked for is not there, is no longer what it was, or is too much.

export type RefusalCode =
  | 'not-found'
  | 'conflict'
  | 'managed'
  | 'in-progress'
  | 'run-ended'
  | 'run-open'
  | 'stale-version'
  | 'exists'
  | 'key-reused'
  | 'rate-limited'
  | 'quota'
  | 'forbidden'
  | 'not-kept'

export class Refusal extends Error {
  readonly code: RefusalCode
  /** Of what stands there, where the request named another version. */
  readonly currentVersion: number | null
  /** When it makes sense to ask again, where waiting cures it. */
  readonly retryAfterSeconds: number | null

  constructor(
    code: RefusalCode,
    message: string,
    more: { readonly currentVersion?: number; readonly retryAfterSeconds?: number } = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.currentVersion = more.currentVersion ?? null
    this.retryAfterSeconds = more.retryAfterSeconds ?? null
  }
}

export const notFound = (kind: string, name: string): Refusal =>
  new Refusal('not-found', `there is no ${kind} ${name}. Check its name and namespace`)

/** The version that a request believes to change: 0 where there must be nothing, any where there must be something. */
export type ExpectedVersion = number | 'any' | undefined

/** Throws where a request names another version than stands there; 0 stands for nothing. */
export function refuseOtherVersion(what: string, expected: ExpectedVersion, currentVersion: number): void {
  if (expected === undefined || expected === currentVersion) return
  if (expected === 'any' && currentVersion > 0) return
  if (expected === 0) {
    throw new Refusal(
      'exists',
      `${what} is there already, with version ${currentVersion}. Use another name, or change that version`,
      { currentVersion },
    )
  }
  const stands = currentVersion === 0 ? 'is not there' : `has version ${currentVersion}`
  const wanted = expected === 'any' ? '' : `, not ${expected}`
  throw new Refusal('stale-version', `${what} ${stands}${wanted}. Read it again and repeat the change`, {
    currentVersion,
  })
}

/** Too many at once changed the same thing. */
export const tooBusy = (what: string): Refusal =>
  new Refusal('rate-limited', `${what} is being changed by many requests at once. Send this one again`, {
    retryAfterSeconds: 1,
  })

// What handlers of routes ask of their call again and again.

import type * as z from 'zod'
import { faultsOf, InvalidInput } from '../../shared/core/job/invalid.ts'
import type { Asking } from '../../shared/flow/mutate-job.ts'
import { nowOf } from '../../shared/flow/tick-world.ts'
import type { DocumentAsking } from '../../shared/flow/write-document.ts'
import type { Call } from './route.ts'

export const secondNow = ({ world }: Call): number => nowOf(world)

/** Throws InvalidInput with all faults of a body. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(body)
  if (!success) throw new InvalidInput(faultsOf(error.issues, body))
  return data
}

export function objectBody(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  throw new InvalidInput([{ path: '', code: 'field.type', message: 'is not an object. Send a JSON object.' }])
}

export const without = (body: Readonly<Record<string, unknown>>, fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)))

export const askingOf = ({ caller, ifVersion, requestId, isDryRun, act }: Call): Asking & DocumentAsking => ({
  by: caller.actor,
  ifVersion,
  requestId,
  isDryRun,
  actId: act?.id,
})

export const REPLAYED = { 'idempotency-replayed': 'true' }

export const etag = (version: number): Record<string, string> => ({ etag: `"${version}"` })

export const DEFAULT_LIMIT = 50

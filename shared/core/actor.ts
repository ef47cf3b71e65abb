// Who did something: a key of the API, the code that a deployment brought, or Tickring itself.

import * as z from 'zod'

export const actorSchema = z.strictObject({
  type: z.enum(['key', 'code', 'system']),
  id: z.string().nullable(),
  name: z.string(),
  /** Whom the caller named in Tickring-Actor: a person behind a program. */
  onBehalfOf: z.string().nullable(),
})

export type Actor = Readonly<z.infer<typeof actorSchema>>

export const SYSTEM: Actor = { type: 'system', id: null, name: 'tickring', onBehalfOf: null }
export const CODE: Actor = { type: 'code', id: null, name: 'code', onBehalfOf: null }

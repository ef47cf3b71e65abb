// What a route is: its place, who may call it, what it takes and answers, and what it does. The router, the document and the tests of
// access all read the same table.

import type * as z from 'zod'
import type { StoredKey } from '../../shared/core/access/key.ts'
import type { Role } from '../../shared/core/access/role.ts'
import type { Actor } from '../../shared/core/actor.ts'
import type { Act, Request } from '../../shared/flow/idempotency.ts'
import type { ApiWorld } from './world.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** Open to all, to any key, or to keys of at least a role. */
export type Access = 'open' | 'any key' | Role

/** An answer before it is written: JSON, or text of another type. */
export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly text?: { readonly type: string; readonly content: string }
  readonly headers?: Readonly<Record<string, string>>
}

/** Who asks. */
export interface Caller {
  readonly key: StoredKey
  readonly actor: Actor
  /** Whether the key reaches a namespace. */
  sees(namespace: string): boolean
}

export interface Call<Query = Readonly<Record<string, unknown>>> {
  readonly world: ApiWorld
  readonly method: string
  /** The path as it was asked for. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  /** The JSON of the body; {} where there was none. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly caller: Caller
  readonly requestId: string
  /** Puts an error into the log that is not the answer to the whole request. */
  tell(error: unknown): void
  readonly isDryRun: boolean
  /** The version that the caller believes to change; 0 where there must be none, any where there must be one. */
  readonly ifVersion: number | 'any' | undefined
  /** Of the Idempotency-Key, where one was sent. */
  readonly request: Request | null
  /** What it does, where its answer is kept. */
  readonly act: Act | null
}

export interface AnswerSpec {
  readonly description: string
  /** Null where there is no body. */
  readonly schema: z.ZodType | null
  readonly contentType?: string
}

export interface RouteSpec {
  readonly operationId: string
  readonly method: Method
  readonly path: string
  readonly access: Access
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** The parameter of the path that is a namespace, where it is called otherwise. */
  readonly namespaceParam?: string
  /** Reads what every key may read in `shared`. */
  readonly isOfSharedToo?: boolean
  /** Bytes that its body may have. */
  readonly mostBytes?: number
  /** Takes If-Match and If-None-Match. */
  readonly isConditional?: boolean
  /** Takes an Idempotency-Key. */
  readonly isIdempotent?: boolean
  /** How a repeated request with an Idempotency-Key is answered: by the answer that was kept, or by its handler. */
  readonly replay?: 'kept' | 'own'
  /** Changes something, so it takes ?dryRun. */
  readonly isMutation?: boolean
  readonly answers: Readonly<Record<number, AnswerSpec>>
}

export interface Route extends RouteSpec {
  handle(call: Call): Promise<Answer>
}

/** A route whose handler knows the type of its query. */
export function route<Query extends z.ZodObject>(
  spec: Omit<RouteSpec, 'query'> & { readonly query: Query },
  handle: (call: Call<z.infer<Query>>) => Promise<Answer>,
): Route
export function route(spec: RouteSpec, handle: (call: Call) => Promise<Answer>): Route
export function route(spec: RouteSpec, handle: (call: never) => Promise<Answer>): Route {
  return { ...spec, handle: handle as (call: Call) => Promise<Answer> }
}

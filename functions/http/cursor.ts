// A place in a list as text: a position and a digest of what was asked. It is no right: the key is asked each time.

import { createHash } from 'node:crypto'
import { Problem } from './problem.ts'
import type { Call } from './route.ts'

type ListRequest = Pick<Call, 'path' | 'query'>

/** Path and filters; where the list is cut does not matter. */
function digestOf({ path, query }: ListRequest): string {
  const { cursor: _, limit: __, ...filters } = query as Record<string, unknown>
  const text = JSON.stringify([path, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))])
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

export const writeCursor = (asked: ListRequest, position: unknown): string =>
  Buffer.from(JSON.stringify([digestOf(asked), position])).toString('base64url')

/** Null where none was sent. */
export function readCursor<Position>(
  asked: ListRequest,
  isPosition: (value: unknown) => value is Position,
): Position | null {
  const text = (asked.query as { cursor?: string }).cursor
  if (text === undefined) return null
  try {
    const [digest, position]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (digest === digestOf(asked) && isPosition(position)) return position
  } catch {
    // Said below.
  }
  throw new Problem('bad-cursor', 'use the next of an answer to the very same query, or leave the cursor out')
}

export const isPair = (value: unknown): value is readonly [string | number | null, string] =>
  Array.isArray(value) &&
  value.length === 2 &&
  (typeof value[0] === 'string' || Number.isFinite(value[0]) || value[0] === null) &&
  typeof value[1] === 'string'

/** A page of a list that is at hand whole, in the order of a text. */
export function pageOf<Item>(
  asked: ListRequest,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  limit: number,
): { items: Item[]; next: string | null } {
  const after = readCursor(asked, (value): value is string => typeof value === 'string')
  const rest = items
    .filter((item) => after === null || keyOf(item) > after)
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const page = rest.slice(0, limit)
  return { items: page, next: rest.length > limit ? writeCursor(asked, keyOf(page[page.length - 1])) : null }
}

// What differs between two values, field by field, for the audit, the list of versions and dry runs.

import { pointer } from './job/invalid.ts'
import { isSameJson } from './json-equal.ts'

export interface FieldChange {
  /** A JSON Pointer. */
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

const MOST_CHANGES = 100
const MOST_CHARACTERS = 1000

/** Large values are named by their size: a record of a change is no copy of what changed. */
function shown(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  if (text.length > MOST_CHARACTERS) return `(${text.length} characters)`
  return value ?? null
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function changesBetween(from: unknown, to: unknown): FieldChange[] {
  const found: FieldChange[] = []
  compare([], from, to, found)
  return found.slice(0, MOST_CHANGES)
}

function compare(path: readonly PropertyKey[], from: unknown, to: unknown, found: FieldChange[]): void {
  if (isSameJson(from, to)) return
  const areLists = Array.isArray(from) && Array.isArray(to) && from.length === to.length
  if (areLists || (isPlain(from) && isPlain(to))) {
    const keys = areLists ? from.keys() : new Set([...Object.keys(from), ...Object.keys(to)])
    for (const key of keys) compare([...path, key], Reflect.get(from, key), Reflect.get(to, key), found)
    return
  }
  found.push({ path: pointer(path), from: shown(from), to: shown(to) })
}

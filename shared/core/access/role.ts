// What a key may do: roles that contain one another, and the namespaces that it reaches.

import { NO_NAMESPACE } from '../audit-entry.ts'

export const ROLES = ['viewer', 'operator', 'editor', 'admin', 'worker'] as const
export type Role = (typeof ROLES)[number]

/** Each contains those before it. A worker stands apart: it reaches executors and nothing else. */
const LADDER: readonly Role[] = ['viewer', 'operator', 'editor', 'admin']

export const mayActAs = (role: Role, least: Role): boolean =>
  role === least || (role !== 'worker' && least !== 'worker' && LADDER.indexOf(role) >= LADDER.indexOf(least))

/** Holds calendars and templates that every key may read, and no jobs. */
export const SHARED_NAMESPACE = 'shared'

/** `patterns` are exact names, `prefix-*` or `*`. */
export const coversNamespace = (patterns: readonly string[], namespace: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? namespace.startsWith(pattern.slice(0, -1)) : pattern === namespace,
  )

export const coversAll = (patterns: readonly string[]): boolean => patterns.includes(NO_NAMESPACE)

/** Whether every namespace that the others reach is reached by these. */
export const coversPatterns = (patterns: readonly string[], others: readonly string[]): boolean =>
  others.every((other) =>
    patterns.some((pattern) => (pattern.endsWith('*') ? other.startsWith(pattern.slice(0, -1)) : pattern === other)),
  )

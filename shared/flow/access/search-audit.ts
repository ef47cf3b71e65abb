// Who changed what: the audit trail of the namespaces that may be seen, newest first, day by day.

import type { AuditEntry } from '../../core/audit-entry.ts'
import type { AuditTrail } from '../../ports.ts'

export interface AuditQuery {
  readonly sees: (namespace: string) => boolean
  readonly namespace: string | undefined
  readonly isWanted: (entry: AuditEntry) => boolean
  /** [fromMs, toMs) */
  readonly fromMs: number
  readonly toMs: number
  readonly limit: number
  readonly after: AuditPosition | null
}

export type AuditPosition = readonly [atMs: number, id: string]

export interface AuditPage {
  readonly items: readonly AuditEntry[]
  readonly next: AuditPosition | null
}

const DAY_MS = 86_400_000
/** Days that one request looks at; the next one goes on. */
const MOST_DAYS = 62

const isAfter = ({ atMs, id }: AuditEntry, position: AuditPosition | null): boolean =>
  position === null || atMs < position[0] || (atMs === position[0] && id < position[1])

export async function searchAudit(audit: AuditTrail, query: AuditQuery): Promise<AuditPage> {
  const { fromMs, limit, after } = query
  const toMs = Math.min(query.toMs, after === null ? Number.POSITIVE_INFINITY : after[0] + 1)
  const found: AuditEntry[] = []
  const firstDay = Math.floor(fromMs / DAY_MS)
  let day = Math.floor((toMs - 1) / DAY_MS)
  for (let days = 0; day >= firstDay && found.length <= limit && days < MOST_DAYS; days++, day--) {
    const named = query.namespace === undefined ? await audit.namespacesOf(day) : [query.namespace]
    const lists = await Promise.all(
      named.filter(query.sees).map((namespace) => audit.ofDay(namespace, day, fromMs, toMs - 1)),
    )
    const ofDay = lists.flat().filter((entry) => query.isWanted(entry) && isAfter(entry, after))
    found.push(...ofDay.sort((a, b) => b.atMs - a.atMs || (a.id < b.id ? 1 : -1)))
  }
  const items = found.slice(0, limit)
  const last = items[items.length - 1]
  if (found.length > limit) return { items, next: [last.atMs, last.id] }
  return { items, next: day >= firstDay ? [(day + 1) * DAY_MS, ''] : null }
}

// What is kept of a namespace beside its jobs: limits. It needs no making; one that was never put has none.

import * as z from 'zod'

const LIMIT = z.int().min(0).max(10_000_000).nullable()

export const namespaceBody = z.strictObject({
  limits: z
    .strictObject({ jobs: LIMIT.default(null), triggersPerMinute: LIMIT.default(null) })
    .default({ jobs: null, triggersPerMinute: null }),
  /** The receiver of its outcomes. Nothing sends them yet. */
  notify: z.null().default(null),
})

export type NamespaceSettings = Readonly<z.infer<typeof namespaceBody>>

export const NO_SETTINGS: NamespaceSettings = namespaceBody.parse({})

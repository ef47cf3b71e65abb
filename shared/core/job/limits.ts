// How large the parts of a job may be. Numbers only, so that messages, schemas and tests say the same.

export const LIMITS = {
  depth: 20,
  payloadBytes: 64 * 1024,
  descriptionCharacters: 1000,
  tags: 50,
  tagCharacters: 100,
  schedules: 20,
  calendars: 20,
  dependencies: 20,
  maxRuns: 10_000,
  spreadSeconds: 86_400,
  /** What a handler may take, because its executor lives no longer. */
  handlerTimeoutSeconds: 840,
  timeoutSeconds: 86_400,
  deleteAfterSeconds: { least: 3600, most: 400 * 86_400 },
  heartbeatSeconds: { least: 10, most: 3600 },
  failuresInARow: 1000,
  maxLatenessSeconds: 7 * 86_400,
  retryAttempts: 100,
  retryDelaySeconds: 7 * 86_400,
  catchUpWindowSeconds: 30 * 86_400,
  catchUpRuns: 1000,
  concurrent: 1000,
  priority: 100,
  reasonCharacters: 1000,
} as const

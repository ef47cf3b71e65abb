// What functions and queues are allowed, the same on AWS and on a laptop. How these bear on one another is checked in infra/relations.ts.

export type FunctionName = 'tick' | 'switch' | 'minute' | 'fast' | 'slow' | 'dead' | 'api' | 'deploy'

export const TIMEOUT_SECONDS: Readonly<Record<FunctionName, number>> = {
  // A cold start loads all jobs of a shard; a link that hangs is replaced when its lease is over, long before this.
  tick: 120,
  switch: 10,
  minute: 120,
  fast: 90,
  // Lambda's longest. A run may take 840 s, and what follows its end takes some seconds more.
  slow: 900,
  dead: 900,
  // The gateway waits no longer.
  api: 30,
  deploy: 600,
}

export type QueueName = 'fast' | 'slow' | 'dead' | 'watch'

/** How long a message that was taken is hidden from others. */
export const VISIBILITY_SECONDS: Readonly<Record<QueueName, number>> = {
  fast: 540,
  slow: 5400,
  // A dead letter stays for an operator to look at, and is tried twice a day.
  dead: 43_200,
  // A switch that a function could not handle comes again soon.
  watch: 15,
}

/** Messages a call. A message of the fast lane has up to 96 runs, and their handlers share one environment. */
export const MESSAGES_A_CALL: Readonly<Record<QueueName, number>> = { fast: 2, slow: 1, dead: 1, watch: 10 }

/** How often a message is delivered before it is a dead letter. */
export const MOST_RECEIVES = 5

/** Beyond that a ticker is killed while it loads them. */
export const MOST_JOBS_PER_SHARD = 25_000

/** The bus gives an event up after this; a switch has long started another chain then. */
export const TICK_EVENT_AGE_SECONDS = 60

// What happened, in the order in which it happened: every write that a store took, every start and end of a handler, every
// message, every fault. Checkers read nothing else, so a history can also be written by hand.

import type { Lock } from '../../shared/core/gate/state.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import type { ShardItem } from '../../shared/core/shard.ts'
import type { OracleVersion } from '../support/oracle/job.ts'

export type QueueName = 'fast' | 'slow' | 'dead' | 'watch'

export type Happening =
  /** Faults begin with the storm, end with the calm; in the drain no job is due any more. */
  | { readonly op: 'phase'; readonly phase: 'storm' | 'calm' | 'drain' | 'end' }
  /** What a client asked for, and what it was told. `info`: it was told nothing, so it may have happened or not. */
  | {
      readonly op: 'ask'
      readonly kind: 'invoke' | 'ok' | 'fail' | 'info'
      readonly ask: number
      readonly what: 'save' | 'stop' | 'start' | 'reschedule' | 'delete' | 'trigger'
      readonly jobId: string
      readonly version?: number
      readonly runId?: string
      /** Of a run by hand: the same key is the same run. */
      readonly key?: string
    }
  /** A version that was committed, with where the shard's fence stood then. */
  | {
      readonly op: 'version'
      readonly jobId: string
      readonly name?: string
      readonly shard: number
      readonly fence: number
      readonly is: OracleVersion
      readonly policy: Policy
    }
  | { readonly op: 'sure'; readonly jobId: string; readonly version: number; readonly sureFrom: number }
  /** The entry of a run changed. The place is its page or an item of its own; a stop's id ends with ~. */
  | {
      readonly op: 'entry'
      readonly runId: string
      readonly place: 'page' | 'item'
      /** The page as text, so that a run in two pages is seen. */
      readonly key: string
      readonly from: PageEntry | null
      readonly to: PageEntry
      readonly reason?: string
    }
  | {
      readonly op: 'missed'
      readonly jobId: string
      readonly of: 'starts' | 'stops and restarts'
      readonly from: number
      readonly to: number
      readonly count: number
      readonly reason: string
    }
  | { readonly op: 'start'; readonly runId: string; readonly attempt: number; readonly trigger: string }
  /** The handler ended, was told to stop, or died with its process. */
  | {
      readonly op: 'end'
      readonly runId: string
      readonly attempt: number
      readonly how: 'returned' | 'threw' | 'told' | 'died'
    }
  | {
      readonly op: 'shard'
      readonly shard: number
      readonly what: 'make' | 'takeOver' | 'fence' | 'sleep' | 'audited'
      readonly from: ShardItem | null
      readonly to: ShardItem
    }
  | {
      readonly op: 'open'
      readonly what: 'put' | 'remove'
      readonly runId: string
      readonly dueMs: number
      readonly attempt: number
    }
  /** What a job still has to catch up: seconds from and to. */
  | { readonly op: 'cursors'; readonly jobId: string; readonly left: readonly (readonly number[])[] }
  | { readonly op: 'lock'; readonly jobId: string; readonly from: Lock; readonly to: Lock }
  | {
      readonly op: 'queue'
      readonly queue: QueueName
      readonly what: 'sent' | 'deleted' | 'purged' | 'failed'
      readonly message: number
      /** Those that a message would have brought once more, where it was purged. */
      readonly runs?: readonly string[]
    }
  /** A queue will never take a message with these runs. */
  | { readonly op: 'refused'; readonly queue: QueueName; readonly runs: readonly string[] }
  | { readonly op: 'fault'; readonly fault: FaultName; readonly where: string }

/** What a definition says about starting, beside its times. */
export interface Policy {
  readonly block:
    | { readonly strategy: 'SERIAL' | 'DISCARD' | 'COVER' }
    | { readonly strategy: 'CONCURRENT'; readonly max: number }
  readonly misfire:
    | { readonly policy: 'DO_NOTHING' | 'FIRE_ONCE_NOW' }
    | { readonly policy: 'CATCH_UP'; readonly window: number; readonly max: number; readonly overlap: string }
  readonly timeoutSeconds: number
  readonly retries: number
  /** What is queued and has not started is not to start any more. */
  readonly cancelsQueued: boolean
  /** Nothing but its own instant decides when it starts. */
  readonly isFree: boolean
}

export type FaultName =
  | 'crash'
  | 'pause'
  | 'standstill'
  | 'clock step'
  | 'throttle'
  | 'error before commit'
  | 'error after commit'
  | 'lost answer'
  | 'slow call'
  | 'partial send'
  | 'duplicate message'
  | 'delayed message'
  | 'early message'
  | 'wiped queue'
  | 'delete fails'
  | 'lost event'
  | 'duplicate event'
  | 'delayed event'
  | 'minute rule skipped'
  | 'poison'
  | 'refused run'
  | 'outage'
  | 'newer code'
  | 'no executors'
  | 'wrong deployment'

export type HistoryEvent = Happening & {
  readonly seq: number
  readonly ms: number
  /** The process that did it, or to which it happened. */
  readonly proc: string
}

export interface History {
  readonly shardCount: number
  readonly events: readonly HistoryEvent[]
}

export interface Violation {
  readonly invariant: string
  readonly what: string
  /** The run that it is about, for the story. */
  readonly runId?: string
}

// What the flows need from the world. Stores decide nothing: they read, and they write under the condition that they are
// told. Each is implemented on AWS in shared/aws and, as the readable reference, in memory for tests and simulation.

import type { JobState, Lock } from './core/gate/state.ts'
import type { Change, JobWrite, Pointer, StoredJob } from './core/job/stored.ts'
import type { JobVersion } from './core/job/version.ts'
import type { PageEntry } from './core/pages/entry.ts'
import type { BacklogEntry } from './core/planner/backlog.ts'
import type { Missed } from './core/planner/gap.ts'
import type { OpenRun, PageKey, RecentRun, RunDetail, RunRecord } from './core/run/record.ts'
import type { RunId } from './core/run/run.ts'
import type { CalendarSpec } from './core/schedule/calendar.ts'
import type { Template } from './core/schedule/schedule.ts'
import type { Meta, MinuteItem, ShardItem } from './core/shard.ts'

/** The store's time, never more than a second off. */
export interface Clock {
  nowMs(): number
}

export interface Jobs {
  /** Strongly consistent, with the payload, also where the job is deleted. */
  read(jobId: string): Promise<StoredJob | null>
  /** Strongly consistent. Those that are not there are left out; large payloads stay where they are. */
  readMany(jobIds: readonly string[]): Promise<StoredJob[]>
  /** The payloads of jobs that keep them apart, in the order asked. */
  bodies(wanted: readonly { readonly jobId: string; readonly version: number }[]): Promise<unknown[]>
  /** False where somebody else changed the job since it was read. */
  commit(write: JobWrite): Promise<boolean>
  /** Writes what became known of the newest version after its commit; it is no new version. */
  amend(job: StoredJob): Promise<void>
  /** Tells tickers again about a change whose first notice may have come too late to be read. */
  announce(change: Change): Promise<void>
  /** All jobs of a shard that are no one-time jobs, in no order, a bunch at a time. */
  load(shard: number): AsyncIterable<StoredJob[]>
  /** One-time jobs in order of id, after a given one. */
  listOnce(shard: number, afterJobId: string | null, limit: number): Promise<StoredJob[]>
  /** Strongly consistent, from a time on, in order of time. */
  changes(shard: number, fromMs: number): Promise<Change[]>
  /** What is due once in a minute. */
  pointers(shard: number, minute: number): Promise<Pointer[]>
  /** All versions of a job that the ledger still knows, the oldest first. */
  versions(jobId: string): Promise<JobVersion[]>
}

export interface FenceWrite {
  readonly epoch: number
  /** The fence must still stand here. */
  readonly previousFence: number
  readonly fence: number
  readonly link: string
  readonly leaseUntil: number
  readonly watermark: number
  readonly depths: ReadonlyMap<number, number>
  readonly backlog: readonly BacklogEntry[]
}

export interface Shards {
  meta(): Promise<Meta | null>
  /** Makes META and the shard items, once; whatever of it is there stays. */
  make(shardCount: number, second: number): Promise<void>
  read(shard: number): Promise<ShardItem | null>
  /** A new epoch, where nothing moved since the item was read. Null where it did. */
  takeOver(shard: number, seen: ShardItem, link: string, leaseUntil: number): Promise<ShardItem | null>
  /** The one write of a tick. Null where the chain is no longer ours. */
  fence(shard: number, write: FenceWrite): Promise<ShardItem | null>
  /** Ends the chain until a time, under the condition of a fence. */
  sleep(
    shard: number,
    write: Pick<FenceWrite, 'epoch' | 'previousFence' | 'link' | 'watermark'> & { readonly sleepUntil: number },
  ): Promise<ShardItem | null>
  /** False where somebody else moved it. */
  moveAudited(shard: number, from: number, to: number): Promise<boolean>
  /** The first to write a minute has all of it; later ones may have lost some and change nothing. */
  putMinute(minute: MinuteItem): Promise<void>
  /** The minutes of an hour that have left the shard item. */
  minutes(shard: number, hour: number): Promise<MinuteItem[]>
}

/** One entry of a page, changed only if it still is what was expected. */
export interface Swap {
  /** A job's id, or that with ~ for a stop. */
  readonly id: string
  readonly expect: PageEntry | null
  readonly next: PageEntry
}

/** What stands there instead, where the swap was not made. */
export type SwapResult = { readonly done: true } | { readonly done: false; readonly found: PageEntry | null }

export interface PageContent {
  readonly key: PageKey
  readonly entries: ReadonlyMap<string, PageEntry>
}

export interface MissedItem extends Missed {
  readonly jobId: string
}

export interface Ledger {
  /** Claims, settles, takes over, marks: each entry for itself, and as many as possible in one write. */
  swap(page: PageKey, swaps: readonly Swap[]): Promise<Map<string, SwapResult>>
  readPages(pages: readonly PageKey[]): Promise<PageContent[]>
  /** The pages of one minute, which are of the given depths; the newest second first. */
  pagesOfMinute(shard: number, minute: number, depths: ReadonlyMap<number, number>): Promise<PageContent[]>

  /** Puts a run item if there is none: true where it is ours, false where another was there first. */
  putRun(id: RunId, entry: PageEntry, detail: RunDetail, token: string): Promise<boolean>
  swapRun(id: RunId, expect: PageEntry, next: PageEntry, detail: RunDetail): Promise<SwapResult>
  /** Adds detail to the entry of a page. */
  putDetail(id: Omit<RunId, 'suffix'>, detail: RunDetail): Promise<void>
  readRun(id: RunId): Promise<RunRecord | null>
  /** Run items of a job in [from, to), newest first. */
  runsOf(jobId: string, from: number, to: number, limit: number): Promise<RunRecord[]>
  /** Says once what will never run. */
  putMissed(missed: MissedItem): Promise<void>
  missedOf(jobId: string, from: number, to: number): Promise<MissedItem[]>

  putRecent(run: RecentRun): Promise<void>
  /** Newest first, of one hour. */
  recent(shard: number, hour: number, kind: 'failed' | 'other'): Promise<RecentRun[]>
}

export interface OpenRuns {
  put(run: OpenRun): Promise<void>
  /** Those whose time has come, oldest first. */
  due(shard: number, untilMs: number, limit: number): Promise<OpenRun[]>
  /** Looks at it again later; false where it is gone or was moved already. */
  move(run: OpenRun, to: Pick<OpenRun, 'dueMs' | 'times'>): Promise<OpenRun | null>
  remove(run: Pick<OpenRun, 'shard' | 'dueMs' | 'runId' | 'attempt'>): Promise<void>
}

export interface States {
  read(jobId: string): Promise<JobState>
  /** Reads, decides and writes until nobody came in between. `decide` may be called more than once; null writes nothing. */
  change<Result>(
    jobId: string,
    decide: (state: JobState) => { readonly state: JobState | null; readonly result: Result },
  ): Promise<Result>
}

export interface LockChange<Result> {
  readonly jobId: string
  /** What the lock probably is: where that is right, nothing needs to be read. */
  readonly believed: Lock
  /** May be called more than once; null leaves the lock as it is, which is only believed of one that was read. */
  decide(lock: Lock): { readonly lock: Lock | null; readonly result: Result }
}

/** The locks of jobs. Those of a page lie together, so that one write changes many. */
export interface Locks {
  read(jobId: string): Promise<Lock>
  /** Decides about each and writes, until nobody came in between; the results are in the order of the changes. */
  change<Result>(changes: readonly LockChange<Result>[]): Promise<Result[]>
}

export interface Versioned<Value> {
  readonly value: Value
  readonly version: number
}

/** Calendars and templates. Jobs take over what they say when they are saved, so only the newest version is needed. */
export interface Named<Value> {
  read(namespace: string, name: string): Promise<Versioned<Value> | null>
  list(namespace: string): Promise<Versioned<Value>[]>
  /** False where the version in force is not the expected one; null expects none. */
  put(namespace: string, name: string, value: Value, expectedVersion: number | null): Promise<boolean>
  remove(namespace: string, name: string, expectedVersion: number): Promise<boolean>
}

/** Remembers for a day what was answered to a request, so that the same request again gets the same answer. */
export interface Answers {
  /** The answer that is kept: this one, or the one that was there. */
  keep(requestHash: string, answer: string): Promise<string>
}

export interface Message {
  readonly body: string
  readonly delaySeconds?: number
}

export interface Received {
  readonly id: string
  readonly body: string
  readonly receipt: string
  readonly receiveCount: number
}

export interface Queue {
  /** The messages that were not acknowledged after all tries; empty where all is well. */
  send(messages: readonly Message[]): Promise<Message[]>
  counts(): Promise<{ readonly visible: number; readonly inFlight: number; readonly delayed: number }>
  receive(most: number, waitSeconds: number): Promise<Received[]>
  remove(receipts: readonly string[]): Promise<void>
  /** Hides a received message for so long; 0 shows it at once. */
  hide(receipt: string, seconds: number): Promise<void>
}

export interface BusEvent {
  readonly type: string
  readonly detail: unknown
}

export interface Bus {
  /** Throws where any of them was not accepted. */
  put(events: readonly BusEvent[]): Promise<void>
}

export interface Stores {
  readonly jobs: Jobs
  readonly shards: Shards
  readonly ledger: Ledger
  readonly open: OpenRuns
  readonly states: States
  readonly locks: Locks
  readonly calendars: Named<CalendarSpec>
  readonly templates: Named<Template>
  readonly answers: Answers
}

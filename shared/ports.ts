// What the flows need from the world. Stores decide nothing: they read, and they write under the condition that they are
// told. Each is implemented on AWS in shared/aws and, as the readable reference, in memory for tests and simulation.

import type { StoredKey } from './core/access/key.ts'
import type { NamespaceSettings } from './core/access/namespace.ts'
import type { AuditEntry } from './core/audit-entry.ts'
import type { JobState, Lock } from './core/gate/state.ts'
import type { Change, JobWrite, Pointer, SavedDefinition, StoredJob } from './core/job/stored.ts'
import type { JobVersion } from './core/job/version.ts'
import type { PageEntry } from './core/pages/entry.ts'
import type { BacklogEntry } from './core/planner/backlog.ts'
import type { Missed } from './core/planner/gap.ts'
import type { ListedRun, OpenRun, PageKey, RecentRun, RunDetail, RunRecord } from './core/run/record.ts'
import type { RunId } from './core/run/run.ts'
import type { Calendar } from './core/schedule/calendar.ts'
import type { Template } from './core/schedule/template.ts'
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
  /** False where another write changed the job since it was read. */
  commit(write: JobWrite): Promise<boolean>
  /** Writes what became known of the newest version after its commit; it is no new version. */
  amend(job: StoredJob): Promise<void>
  /** Tells tickers again about a change whose first notice may have come too late to be read. */
  announce(change: Change): Promise<void>
  /** All jobs of a shard that are no one-time jobs, in no order, a bunch at a time. */
  load(shard: number): AsyncIterable<StoredJob[]>
  /** All one-time jobs of a shard, however far ahead, in no order, a bunch at a time. */
  loadOnce(shard: number): AsyncIterable<StoredJob[]>
  /** Strongly consistent, from a time on, in order of time. */
  changes(shard: number, fromMs: number): Promise<Change[]>
  /** Strongly consistent: how many of them are of [fromMs, toMs). */
  countChanges(shard: number, fromMs: number, toMs: number): Promise<number>
  /** What is due once in a minute. */
  pointers(shard: number, minute: number): Promise<Pointer[]>
  /** All versions of a job that the ledger still knows, the oldest first. */
  versions(jobId: string): Promise<JobVersion[]>
  /** Definitions as they were saved, the newest first, all below a version where one is given. */
  definitions(jobId: string, belowVersion: number | null, limit: number): Promise<SavedDefinition[]>
  definition(jobId: string, version: number): Promise<SavedDefinition | null>
}

export interface FenceWrite {
  readonly epoch: number
  /** The fence must still stand here. */
  readonly previousFence: number
  readonly fence: number
  readonly link: string
  readonly leaseUntil: number
  readonly sentThrough: number
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
    write: Pick<FenceWrite, 'epoch' | 'previousFence' | 'link' | 'sentThrough'> & { readonly sleepUntil: number },
  ): Promise<ShardItem | null>
  /** False where another audit moved it. */
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

export type InstantId = Omit<RunId, 'suffix'>

/** A run with an item of its own. */
export interface NewRun {
  readonly id: RunId
  readonly entry: PageEntry
  readonly detail: RunDetail
  /** Where a person or a program asked for it. */
  readonly audit?: AuditEntry
  /** Its item in the list of open runs, where it has not ended yet. */
  readonly open?: Omit<OpenRun, 'listedMs'>
}

export type FeedLine =
  | { readonly type: 'run'; readonly second: number; readonly runId: string }
  | { readonly type: 'missed'; readonly second: number; readonly missed: MissedItem }

export interface Ledger {
  /** Claims, settles, takes over, marks: each entry for itself, and as many as possible in one write. */
  swap(page: PageKey, swaps: readonly Swap[]): Promise<Map<string, SwapResult>>
  readPages(pages: readonly PageKey[]): Promise<PageContent[]>
  /** The pages of one minute, which are of the given depths; the newest second first. */
  pagesOfMinute(shard: number, minute: number, depths: ReadonlyMap<number, number>): Promise<PageContent[]>

  /**
   * Puts a run item if there is none, with its line in the feed, the audit and its open item, all of it or nothing: true where it is ours,
   * false where another was there first.
   */
  putRun(run: NewRun, token: string): Promise<boolean>
  swapRun(id: RunId, expect: PageEntry, next: PageEntry, detail: RunDetail): Promise<SwapResult>
  readRun(id: RunId): Promise<RunRecord | null>
  /** Those that are there, in no order. */
  readRuns(ids: readonly RunId[]): Promise<RunRecord[]>
  /** Run items of a job in [from, to), newest first. */
  runsOf(jobId: string, from: number, to: number, limit: number): Promise<RunRecord[]>
  /** Adds detail to the entry of a page. */
  putDetail(id: InstantId, detail: RunDetail): Promise<void>
  /** The details that there are, in the order asked; null where there is none. */
  readDetails(ids: readonly InstantId[]): Promise<(RunDetail | null)[]>
  /** Says once what will never run. */
  putMissed(missed: MissedItem): Promise<void>
  /** Records that touch [from, to), the oldest first. */
  missedOf(jobId: string, from: number, to: number): Promise<MissedItem[]>
  /** Runs with an item of their own and gaps, of one hour and before a second, newest first. */
  feed(shard: number, hour: number, before: number): Promise<FeedLine[]>
  /** The runs that follow from a first one, that one apart. */
  chainOf(root: string): Promise<string[]>

  putRecent(run: RecentRun): Promise<void>
  /** Newest first, of one hour. */
  recent(shard: number, hour: number, kind: 'failed' | 'other'): Promise<RecentRun[]>
}

export interface OpenRuns {
  put(run: Omit<OpenRun, 'listedMs'>): Promise<void>
  /** All that are in the list, in no order. */
  list(shard: number, limit: number): Promise<ListedRun[]>
  /** Those whose time has come, oldest first. */
  due(shard: number, untilMs: number, limit: number): Promise<OpenRun[]>
  /** Looks at it again later; null where it is gone or was moved already. */
  move<Run extends ListedRun>(run: Run, to: Pick<ListedRun, 'dueMs' | 'times'>): Promise<Run | null>
  remove(run: Pick<OpenRun, 'shard' | 'dueMs' | 'runId' | 'attempt'>): Promise<void>
}

export interface States {
  read(jobId: string): Promise<JobState>
  /** Reads, decides and writes, again where another write came in between. `decide` may be called more than once; null writes nothing. */
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

/** The locks of jobs. Those of a page are stored together, so that one write changes many. */
export interface Locks {
  read(jobId: string): Promise<Lock>
  /** Decides about each and writes, again where another write came in between; the results are in the order of the changes. */
  change<Result>(changes: readonly LockChange<Result>[]): Promise<Result[]>
}

export interface Versioned<Value> {
  /** Null where it was deleted: its version numbers go on. */
  readonly value: Value | null
  readonly version: number
  readonly updatedAtMs: number
}

export interface DocumentWrite<Value> {
  readonly namespace: string
  readonly name: string
  /** Null deletes it. */
  readonly value: Value | null
  /** The version that must still stand there; 0 where there must be none, not even a deleted one. */
  readonly expectedVersion: number
  readonly audit: AuditEntry
}

/** Calendars, templates and settings of a namespace, by name. Jobs take over what they say when they are saved, so only the newest version is needed. */
export interface VersionedDocuments<Value> {
  read(namespace: string, name: string): Promise<Versioned<Value> | null>
  /** By name; deleted ones are left out. */
  list(namespace: string): Promise<(Versioned<Value> & { readonly name: string; readonly value: Value })[]>
  /** False where another version stands there. */
  write(write: DocumentWrite<Value>): Promise<boolean>
}

/** Edits of calendars that have not reached all jobs yet. */
export interface PendingEdits {
  list(): Promise<PendingEdit[]>
  put(edit: PendingEdit): Promise<void>
  remove(edit: Pick<PendingEdit, 'namespace' | 'name'>): Promise<void>
}

export interface PendingEdit {
  readonly namespace: string
  readonly name: string
  /** Jobs up to this one, in order of id, have their new version. */
  readonly afterJob: string | null
}

/** What is remembered for a day of a request with an Idempotency-Key. */
export interface Reservation {
  /** Of the body: the same key with another body is a mistake. */
  readonly bodyHash: string
  /** What the request is going to make, decided before it is made: a client that repeats the request makes the same. */
  readonly plan: string
  /** What was answered, or null where it is under way. */
  readonly answer: string | null
  /** Until when it counts as under way. */
  readonly pendingUntilMs: number
}

export interface IdempotencyKeys {
  /** Null where it is ours now; otherwise what is there. One that is pending too long is taken over with its plan by the same body. */
  reserve(hash: string, wanted: Omit<Reservation, 'answer'>, nowMs: number): Promise<Reservation | null>
  answer(hash: string, answer: string): Promise<void>
  /** Forgets a request that was refused. */
  release(hash: string): Promise<void>
}

export interface KeyRing {
  readonly keys: readonly StoredKey[]
  /** Names this state of all keys together. */
  readonly revision: number
}

/** The keys of the API. Of their secrets only digests are kept. */
export interface ApiKeys {
  read(id: string): Promise<StoredKey | null>
  all(): Promise<KeyRing>
  /** False where any key was changed since that revision; `remove` takes the key away. */
  write(
    change: { readonly put: StoredKey } | { readonly remove: string },
    revision: number,
    audit: AuditEntry,
  ): Promise<boolean>
  /** Notes that a key was used. */
  touch(id: string, atMs: number): Promise<void>
}

export interface AuditTrail {
  put(entry: AuditEntry): Promise<void>
  /** The namespaces that have entries of a day. */
  namespacesOf(day: number): Promise<string[]>
  /** Entries of a namespace and day, from a time on and up to a time, newest first. */
  ofDay(namespace: string, day: number, fromMs: number, toMs: number): Promise<AuditEntry[]>
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
  /** When it was sent, where the queue tells. */
  readonly sentMs?: number
}

/** A message that the queue will never take, however often it is sent, and why. */
export interface Refused {
  readonly message: Message
  readonly reason: string
}

/** What was not taken of messages that were to be sent; both lists are empty where all is well. */
export interface SendResult {
  /** Not acknowledged after all tries. Each may have been taken all the same, and may be sent again. */
  readonly unsent: readonly Message[]
  readonly refused: readonly Refused[]
}

export interface Queue {
  /** Never throws, and what is refused keeps no other message from being sent. */
  send(messages: readonly Message[]): Promise<SendResult>
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
  readonly calendars: VersionedDocuments<Calendar>
  readonly templates: VersionedDocuments<Template>
  readonly namespaces: VersionedDocuments<NamespaceSettings>
  readonly pendingEdits: PendingEdits
  readonly idempotency: IdempotencyKeys
  readonly apiKeys: ApiKeys
  readonly audit: AuditTrail
}

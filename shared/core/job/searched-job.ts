// A job as search sees it. What it is found by stands in this one object and is worked out once a version, because a search asks
// it of every job there is.

import { nextDue, RUNS } from '../planner/due.ts'
import { explainSchedule } from '../schedule/explain.ts'
import { NEVER } from '../time/instants.ts'
import type { Job } from './job.ts'
import { fullNameOf, type StoredJob } from './stored.ts'
import type { VersionStatus } from './version.ts'

/** When jobs last failed. It changes with runs, so it is asked anew each time. */
interface Failures {
  lastOf(jobId: string): number | null
}

const NONE: readonly number[] = []
/** So many fires ahead are shown. */
const NEXT_SHOWN = 3

export class SearchedJob {
  readonly job: StoredJob
  readonly id: string
  readonly namespace: string
  readonly fullName: string
  readonly tags: Job['tags']
  readonly targetType: Job['target']['type']
  readonly managedBy: string | null
  readonly updatedAtMs: number
  readonly #status: VersionStatus
  /** From this second on a stop with an end is over. */
  readonly #runsAgainFrom: number
  readonly #failures: Failures
  /** Each of these is worked out when it is first asked for. */
  #text: string | null = null
  #tagLines: string | null = null
  #explanation: readonly string[] | null = null
  #next: number | null = null
  #nextRuns: readonly number[] = []

  constructor(job: StoredJob, failures: Failures) {
    const { definition } = job
    const { status, until } = job.versions[job.versions.length - 1]
    this.job = job
    this.id = job.id
    this.namespace = definition.namespace
    this.fullName = fullNameOf(job)
    this.tags = definition.tags
    this.targetType = definition.target.type
    this.managedBy = job.managedBy
    this.updatedAtMs = job.updatedAtMs
    this.#status = status
    this.#runsAgainFrom = status === 'STOPPED' && until !== undefined ? until : Number.POSITIVE_INFINITY
    this.#failures = failures
  }

  statusAt(second: number): VersionStatus {
    return second >= this.#runsAgainFrom ? 'RUNNING' : this.#status
  }

  /** Name and description in lower case. */
  get text(): string {
    this.#text ??= `${this.fullName}\n${this.job.definition.description}`.toLowerCase()
    return this.#text
  }

  /** Its tags as one text: jobs with the same tags have the same, and looking into a text is quicker than looking into an object. */
  get tagLines(): string {
    this.#tagLines ??= Object.entries(this.tags)
      .map(([key, value]) => tagLine(key, value))
      .join('')
    return this.#tagLines
  }

  hasTag(key: string, value: string | null): boolean {
    return Object.hasOwn(this.tags, key) && (value === null || this.tags[key] === value)
  }

  get isOneTime(): boolean {
    const { schedules, template } = this.job.definition
    return template === null && schedules.length > 0 && schedules.every((schedule) => 'at' in schedule)
  }

  get targetName(): string {
    return nameOfTarget(this.job.definition.target)
  }

  /** When it last failed in the days that are looked at, or null. */
  lastFailureMs(): number | null {
    return this.#failures.lastOf(this.id)
  }

  /** The next second from now on at which it starts, or NEVER. The schedule is asked again once that has passed. */
  next(now: number): number {
    const isPast = this.#next !== null && this.#next !== NEVER && this.#next <= now
    if (this.#next === null || isPast) this.#next = nextDue(this.job, now, RUNS)
    return this.#next
  }

  /** The next few of them; the same list as long as they are the same. */
  nextRuns(now: number): readonly number[] {
    const next = this.next(now)
    if (next === NEVER) return NONE
    if (this.#nextRuns[0] !== next) this.#nextRuns = nextRunsOf(this.job, now, next)
    return this.#nextRuns
  }

  /** Its schedules in plain English. */
  get explanation(): readonly string[] {
    this.#explanation ??= explanationOf(this.job)
    return this.#explanation
  }
}

/** A job that has a tag has this in its tagLines. One that has not may have it too, where a key that is asked for is no key. */
export const tagLine = (key: string, value: string | null): string =>
  value === null ? `\n${key}=` : `\n${key}=${value}\r`

/** By what a target is told from others of its type. */
function nameOfTarget(target: Job['target']): string {
  switch (target.type) {
    case 'handler':
      return target.handler
    case 'http':
      return target.url
    case 'lambda':
      return target.function
    case 'sqs':
      return target.queue
    case 'event':
      return target.bus
    case 'group':
      return target.group
  }
}

export function nextRunsOf(job: StoredJob, now: number, next = nextDue(job, now, RUNS)): number[] {
  const runs: number[] = []
  for (let t = next; t !== NEVER && runs.length < NEXT_SHOWN; t = nextDue(job, t, RUNS)) runs.push(t)
  return runs
}

export const explanationOf = ({ id, versions }: StoredJob): string[] =>
  versions[versions.length - 1].timing.schedules.map((schedule) => explainSchedule(schedule, id))

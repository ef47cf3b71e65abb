// Writes how runs ended: all of a message together where they end together, else soon after the first and then once a
// second. Each is written only while this executor's claim still stands.

import { recordSuccess } from '../../core/gate/release.ts'
import { neverStarted, type OutcomeEntry, type PageEntry } from '../../core/pages/entry.ts'
import type { AttemptLine, RunDetail } from '../../core/run/record.ts'
import { retryAfter, triggeredBy } from '../../core/run/settlement.ts'
import { isTerminal } from '../../core/run/status.ts'
import { mapLimited, mapWhere } from '../map-limited.ts'
import { nowOf } from '../tick-world.ts'
import type { Attempt } from './attempt.ts'
import { swapClaimed } from './claimed-entry.ts'
import type { Batch, End, Life } from './life.ts'
import { putOpen } from './open.ts'
import { type Ending, isRemembered, remember } from './remember.ts'
import type { ExecuteWorld } from './world.ts'

const AFTER_FIRST_MS = 250
const THEN_EVERY_MS = 1000
/** Where a store is away for longer than this, this executor gives up. The executor that takes a run over decides about it then. */
const MOST_TRIES = 10

export interface Settled {
  readonly life: Life & { readonly end: End }
  /** What stands in the ledger now. */
  readonly entry: PageEntry
  /** Seconds until the next attempt, or null where this was the last. */
  readonly retryInSeconds: number | null
}

export interface Settlement {
  readonly settled: readonly Settled[]
}

/** Throws, when all that could be settled is, where something could not. */
export async function* settle(
  world: ExecuteWorld,
  batch: Batch,
  attempts: readonly Attempt[],
): AsyncGenerator<Settlement> {
  let left = [...attempts]
  // Drawn once a run: one that is settled again, because an answer was lost, must not be tried sooner than was written down at first.
  const draws = new Map(attempts.map((attempt) => [attempt, world.random()]))
  const drawOf = (attempt: Attempt) => draws.get(attempt) ?? 0
  let waitMs = AFTER_FIRST_MS
  for (let failures = 0; left.length > 0; ) {
    await Promise.race(left.map(({ ended }) => ended))
    await allEnded(world, left, waitMs)
    waitMs = THEN_EVERY_MS
    const over = left.filter(({ isOver }) => isOver)
    const { again, trouble, ...settlement } = await settleOrSay(world, batch, over, drawOf)
    yield settlement
    left = left.filter((attempt) => !over.includes(attempt) || again.has(attempt))
    if (trouble === null) continue
    failures += 1
    if (failures === MOST_TRIES) throw new Error(`runs could not be settled: ${trouble}`)
    world.warn('runs could not be settled and are tried again', { reason: trouble })
    await world.until(world.clock.nowMs() + THEN_EVERY_MS)
  }
}

async function allEnded(world: ExecuteWorld, attempts: readonly Attempt[], waitMs: number): Promise<void> {
  if (attempts.every(({ isOver }) => isOver)) return
  const enough = new AbortController()
  const all = Promise.all(attempts.map(({ ended }) => ended))
  await Promise.race([all, world.until(world.clock.nowMs() + waitMs, enough.signal)])
  // A reason of one's own, because making the usual one is slow.
  enough.abort('enough')
}

interface Tried extends Settlement {
  /** Those that could not be settled this time, and why. */
  readonly again: ReadonlySet<Attempt>
  readonly trouble: string | null
}

type DrawOf = (attempt: Attempt) => number

async function settleOrSay(
  world: ExecuteWorld,
  batch: Batch,
  attempts: readonly Attempt[],
  drawOf: DrawOf,
): Promise<Tried> {
  try {
    return await settleTogether(world, batch, attempts, drawOf)
  } catch (error) {
    return { settled: [], again: new Set(attempts), trouble: String(error) }
  }
}

async function settleTogether(
  world: ExecuteWorld,
  batch: Batch,
  attempts: readonly Attempt[],
  drawOf: DrawOf,
): Promise<Tried> {
  await Promise.all(attempts.map(({ renewing }) => renewing))
  const lifeOf = ({ life }: Attempt) => life as Ending['life']
  const mine = attempts.filter(({ isTaken, life }) => !isTaken && !life.isRepeat)
  const again = new Set<Attempt>()
  let trouble: string | null = null
  const planned = mine.map((attempt) => ({ attempt, ending: endingOf(lifeOf(attempt), drawOf(attempt)) }))
  const prepared = await mapWhere(
    planned,
    ({ ending }) => needsMore(ending),
    async ({ attempt, ending }) => {
      try {
        return { attempt, ending: await prepare(world, batch, ending) }
      } catch (error) {
        // What one of them needs and cannot have keeps no other from being settled.
        again.add(attempt)
        trouble = String(error)
        return { attempt, ending }
      }
    },
  )
  const endings = prepared.filter(({ attempt }) => !again.has(attempt)).map(({ ending }) => ending)
  const results = await swapClaimed(
    batch.place,
    endings.map(({ life, expect, next }) => ({
      id: life.id,
      expect,
      next,
      detail: detailOf(world, batch, life, next),
    })),
  )
  const settled = endings.filter(({ life }) => results.get(life.id)?.done === true)
  await mapLimited(settled.filter(isRemembered), (ending) => remember(world, batch, ending))
  const refused = endings.filter(({ life }) => results.get(life.id)?.done !== true).map(({ life }) => life)
  const taken = attempts.filter(({ isTaken }) => isTaken).map(lifeOf)
  const repeated = attempts.filter(({ life }) => life.isRepeat).map(lifeOf)
  return {
    settled: [
      ...settled.map(({ life, next, retryInSeconds }) => ({ life, entry: next, retryInSeconds })),
      ...repeated.map((life) => ({ life, entry: life.entry as PageEntry, retryInSeconds: null })),
      ...(await endedByOthers(batch, [...refused, ...taken])),
    ],
    again,
    trouble,
  }
}

/** Runs that were ended elsewhere, for example by a cancel, still have what follows an end: this executor gives their lock on. */
async function endedByOthers(batch: Batch, lives: readonly Ending['life'][]): Promise<Settled[]> {
  if (lives.length === 0) return []
  const entries = await batch.place.read()
  return lives.flatMap((life): Settled[] => {
    const entry = entries.get(life.id)
    if (entry === undefined || !isTerminal(entry.status)) return []
    const end = life.end ?? { status: 'CANCELLED', startedMs: null, endedMs: 0 }
    return [{ life: { ...life, end, isRepeat: true }, entry, retryInSeconds: null }]
  })
}

/** A stop is no run: it is neither tried again nor followed by anything. Both would list it, and the audit would send it as a run. */
const isRun = ({ kind }: Ending['life']): boolean => kind !== 'stop'

function endingOf(life: Ending['life'], draw: number): Ending {
  const { end, run, job, entry: expect } = life
  const retryInSeconds = isRun(life) ? retryAfter(end.status, run.attempt, job.retry, draw) : null
  const next: PageEntry = retryInSeconds === null ? outcomeOf(life) : { status: 'QUEUED', attempt: run.attempt + 1 }
  return { life, expect, next, retryInSeconds }
}

const tellsSuccess = (life: Ending['life']): boolean =>
  isRun(life) && life.end.status === 'SUCCEEDED' && life.job.skipIfSuccessful

const isFollowed = (life: Ending['life']): boolean =>
  isRun(life) && triggeredBy(life.end.status, life.job.then).length > 0

const needsMore = ({ life, retryInSeconds }: Ending): boolean =>
  retryInSeconds !== null || isFollowed(life) || tellsSuccess(life)

/** What must be stored before the end is: the open item by which the audit comes back, and the success that later runs ask about. */
async function prepare(world: ExecuteWorld, batch: Batch, ending: Ending): Promise<Ending> {
  const { life, retryInSeconds } = ending
  const { end, run, jobId } = life
  if (retryInSeconds !== null) {
    const notBefore = nowOf(world) + retryInSeconds
    const again = { ...life, run: { ...run, attempt: run.attempt + 1, openMs: null }, notBefore }
    const listed = await putOpen(world, batch, again, { fromMs: notBefore * 1000, notBefore })
    return { ...ending, life: { ...listed, end } }
  }
  const listed = isFollowed(life) ? await putOpen(world, batch, life, { fromMs: world.clock.nowMs() }) : life
  if (tellsSuccess(life)) {
    const success = run.instant ?? Math.floor((end.startedMs ?? end.endedMs) / 1000)
    await world.states.change(jobId, (state) => ({ state: recordSuccess(state, success), result: null }))
  }
  return { ...ending, life: { ...listed, end } }
}

function outcomeOf({ end, run, second }: Ending['life']): OutcomeEntry {
  const { status, startedMs, endedMs } = end
  if (startedMs === null) return neverStarted(status, run.attempt)
  return {
    status,
    attempt: run.attempt,
    startOffsetMs: Math.max(0, Math.round(startedMs - second * 1000)),
    durationMs: Math.max(0, Math.round(endedMs - startedMs)),
  }
}

/** Ordinary successes on a page need no more than their entry. */
function detailOf(world: ExecuteWorld, batch: Batch, life: Ending['life'], next: PageEntry): RunDetail | undefined {
  const { end, run, job, claimedMs, kind } = life
  const isOrdinary = next.status === 'SUCCEEDED' && run.attempt === 1 && !job.keepDetail && run.depth !== null
  if (isOrdinary || kind === 'stop') return undefined
  const { startedMs, endedMs, reason, error, output, log = [], isLogCut = false } = end
  return {
    version: job.version,
    attempts: [attemptLineOf(life)],
    trigger: run.trigger,
    ...(run.instant === null ? {} : { instant: run.instant }),
    ...(run.nominal === null ? {} : { nominal: run.nominal }),
    lane: batch.lane,
    claimedAtMs: claimedMs,
    ...(startedMs === null ? {} : { startedAtMs: startedMs }),
    finishedAtMs: endedMs,
    executor: world.executor,
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
    ...(reason === undefined ? {} : { reason }),
    ...(log.length === 0 ? {} : { log }),
    ...(isLogCut ? { isLogCut } : {}),
  }
}

const ERROR_CHARACTERS = 300

function attemptLineOf({ end, run }: Ending['life']): AttemptLine {
  const { status, startedMs, endedMs, error, reason } = end
  const said = status === 'SUCCEEDED' ? null : (error?.message ?? reason ?? null)
  return {
    attempt: run.attempt,
    status,
    startedAtMs: startedMs,
    durationMs: startedMs === null ? null : endedMs - startedMs,
    error: said === null ? null : said.slice(0, ERROR_CHARACTERS),
  }
}

// Writes how runs ended: all of a message together where they end together, else soon after the first and then once a
// second. Each is written only if this executor still has it.

import { recordSuccess } from '../../core/gate/release.ts'
import { neverStarted, type OutcomeEntry, type PageEntry } from '../../core/pages/entry.ts'
import type { AttemptLine, RunDetail } from '../../core/run/record.ts'
import { retryAfter, triggeredBy } from '../../core/run/settlement.ts'
import { isTerminal } from '../../core/run/status.ts'
import { inBunches, whereNeeded } from '../in-bunches.ts'
import { nowOf } from '../tick-world.ts'
import type { Attempt } from './attempt.ts'
import type { Batch, End, Life } from './life.ts'
import { putOpen } from './open.ts'
import { swapOwn } from './own-entry.ts'
import { type Ending, isRemembered, remember } from './remember.ts'
import type { ExecuteWorld } from './world.ts'

const AFTER_FIRST_MS = 250
const THEN_EVERY_MS = 1000
/** A store that is away for longer than this keeps the run from being settled; whoever takes it over decides then. */
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
  let waitMs = AFTER_FIRST_MS
  for (let failures = 0; left.length > 0; ) {
    await Promise.race(left.map(({ ended }) => ended))
    await allEnded(world, left, waitMs)
    waitMs = THEN_EVERY_MS
    const over = left.filter(({ isOver }) => isOver)
    const { again, trouble, ...settlement } = await settleOrSay(world, batch, over)
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

async function settleOrSay(world: ExecuteWorld, batch: Batch, attempts: readonly Attempt[]): Promise<Tried> {
  try {
    return await settleTogether(world, batch, attempts)
  } catch (error) {
    return { settled: [], again: new Set(attempts), trouble: String(error) }
  }
}

async function settleTogether(world: ExecuteWorld, batch: Batch, attempts: readonly Attempt[]): Promise<Tried> {
  await Promise.all(attempts.map(({ renewing }) => renewing))
  const lifeOf = ({ life }: Attempt) => life as Ending['life']
  const mine = attempts.filter(({ isTaken, life }) => !isTaken && !life.isRepeat)
  const again = new Set<Attempt>()
  let trouble: string | null = null
  const planned = mine.map((attempt) => ({ attempt, ending: endingOf(world, lifeOf(attempt)) }))
  const prepared = await whereNeeded(
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
  const results = await swapOwn(
    batch.place,
    endings.map(({ life, expect, next }) => ({
      id: life.id,
      expect,
      next,
      detail: detailOf(world, batch, life, next),
    })),
  )
  const settled = endings.filter(({ life }) => results.get(life.id)?.done === true)
  await inBunches(settled.filter(isRemembered), (ending) => remember(world, batch, ending))
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

/** Runs that somebody else ended, by a cancel for one, still have what follows an end: their lock is given on here. */
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

/** A stop is no run: it is neither tried again nor followed by anything, lest somebody come back to it as if it were one. */
const isRun = ({ kind }: Ending['life']): boolean => kind !== 'stop'

function endingOf(world: ExecuteWorld, life: Ending['life']): Ending {
  const { end, run, job, entry: expect } = life
  const retryInSeconds = isRun(life) ? retryAfter(end.status, run.attempt, job.retry, world.random()) : null
  const next: PageEntry = retryInSeconds === null ? outcomeOf(life) : { status: 'QUEUED', attempt: run.attempt + 1 }
  return { life, expect, next, retryInSeconds }
}

const tellsSuccess = (life: Ending['life']): boolean =>
  isRun(life) && life.end.status === 'SUCCEEDED' && life.job.skipIfSuccessful

const isFollowed = (life: Ending['life']): boolean =>
  isRun(life) && triggeredBy(life.end.status, life.job.then).length > 0

const needsMore = ({ life, retryInSeconds }: Ending): boolean =>
  retryInSeconds !== null || isFollowed(life) || tellsSuccess(life)

/** What must be there before the end is: that somebody comes back, and the success that others ask about. */
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

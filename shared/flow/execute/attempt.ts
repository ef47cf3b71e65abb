// One attempt of a run. Whatever its handler does, it ends exactly once: by itself, by its timeout, or because this executor lost
// its claim. A handler that goes on after that is not waited for, and what it says is not taken.

import type { HandlerRun } from '../../core/handlers.ts'
import type { LogLine, RunError } from '../../core/run/record.ts'
import type { End, Life } from './life.ts'
import type { Routed } from './route.ts'
import type { ExecuteWorld } from './world.ts'

const LOG_LINE_CHARACTERS = 2000
/** Of all lines together; a record must fit into the store beside output and error. */
const LOG_CHARACTERS = 20_000
const MESSAGE_CHARACTERS = 2000
const STACK_CHARACTERS = 8000
/** More than this is not kept of what a handler returns. */
const OUTPUT_BYTES = 64 * 1024

export class Attempt {
  /** The run as it stands; its claim changes while it is renewed. */
  life: Life
  readonly startedMs: number
  isOver = false
  /** This executor lost its claim: the run was cancelled or taken over, or may be by now. It writes no outcome of it any more. */
  isTaken = false
  readonly ended: Promise<void>
  /** A renewal of the claim that is under way: until it is over, this executor does not know what stands in the ledger. */
  renewing: Promise<void> = Promise.resolve()
  readonly #controller = new AbortController()
  #over: () => void = () => {}

  constructor(life: Life, startedMs: number) {
    this.life = life
    this.startedMs = startedMs
    this.ended = new Promise((resolve) => {
      this.#over = resolve
    })
    if (life.end !== null) this.finish(life.end)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get timesOutAtMs(): number {
    return this.startedMs + this.life.job.timeoutSeconds * 1000
  }

  finish(end: End): void {
    if (this.isOver) return
    this.life = { ...this.life, end }
    this.#end()
  }

  timeOut(nowMs: number, log: RunLog): void {
    const reason = `it took longer than ${this.life.job.timeoutSeconds} s`
    this.finish({ status: 'TIMED_OUT', startedMs: this.startedMs, endedMs: nowMs, reason, ...log.kept() })
    this.#controller.abort(new Error(reason))
  }

  giveUp(reason: string): void {
    if (this.isOver) return
    this.isTaken = true
    this.#end()
    this.#controller.abort(new Error(reason))
  }

  #end(): void {
    this.isOver = true
    this.#over()
  }
}

export interface Started {
  readonly attempt: Attempt
  readonly log: RunLog
}

/** The lines of a handler, as many of them as a record can hold. */
class RunLog {
  readonly #lines: LogLine[] = []
  #characters = 0

  add(atMs: number, line: string): void {
    this.#characters += line.length + 1
    if (this.#characters <= LOG_CHARACTERS) this.#lines.push({ atMs, line })
  }

  kept(): Pick<End, 'log' | 'isLogCut'> {
    return { log: [...this.#lines], ...(this.#characters > LOG_CHARACTERS ? { isLogCut: true } : {}) }
  }
}

export function startAttempt(world: ExecuteWorld, { life, go }: Routed): Started {
  const startedMs = world.clock.nowMs()
  const attempt = new Attempt(life, startedMs)
  const log = new RunLog()
  if (go === null) return { attempt, log }
  const handlerRun = handlerRunOf(world, attempt, go.payload, log)
  const endedAt = () => ({ startedMs, endedMs: world.clock.nowMs(), ...log.kept() })
  // Called in a promise of its own, so that a handler that throws at once is no different from one that rejects.
  Promise.resolve()
    .then(() => go.deliver(life.job.target, handlerRun))
    .then(
      (output) => attempt.finish({ status: 'SUCCEEDED', ...endedAt(), ...kept(output, keepsOutput(life)) }),
      (error: unknown) => attempt.finish({ status: 'FAILED', ...endedAt(), ...failureOf(error) }),
    )
  return { attempt, log }
}

/** A client that runs a job by hand wants to see what came of it. */
const keepsOutput = ({ job, run }: Life): boolean => job.keepDetail || run.trigger === 'MANUAL'

function handlerRunOf(world: ExecuteWorld, attempt: Attempt, payload: unknown, log: RunLog): HandlerRun {
  const { run, job, jobId } = attempt.life
  return {
    id: run.runId,
    attempt: run.attempt,
    job: { id: jobId, namespace: job.namespace, name: job.name },
    payload,
    instant: run.instant === null ? null : new Date(run.instant * 1000),
    trigger: run.trigger,
    shard: null,
    signal: attempt.signal,
    log: (line) => {
      const text = String(line).slice(0, LOG_LINE_CHARACTERS)
      log.add(world.clock.nowMs(), text)
      world.log(run.runId, text)
    },
  }
}

/** What a handler returned, where the job wants it kept. What cannot be is said; the run has succeeded all the same. */
function kept(output: unknown, isKept: boolean): Pick<End, 'output' | 'reason'> {
  if (!isKept) return {}
  try {
    const text = JSON.stringify(output) ?? 'null'
    const bytes = new TextEncoder().encode(text).length
    if (bytes > OUTPUT_BYTES)
      return { reason: `its output of ${bytes} bytes was not kept: ${OUTPUT_BYTES} is the most` }
    return { output: JSON.parse(text) as unknown }
  } catch (error) {
    return { reason: `its output was not kept, because JSON cannot hold it: ${errorOf(error).message}` }
  }
}

function failureOf(thrown: unknown): Pick<End, 'error' | 'reason'> {
  const error = errorOf(thrown)
  return { error, reason: error.message }
}

/** Handlers throw anything: nothing at all, text, objects whose properties throw in turn. */
function errorOf(thrown: unknown): RunError {
  try {
    if (!(thrown instanceof Error)) return { name: 'Error', message: `it threw ${said(thrown)}`, stack: '' }
    return {
      name: String(thrown.name),
      message: String(thrown.message).slice(0, MESSAGE_CHARACTERS),
      stack: String(thrown.stack ?? '').slice(0, STACK_CHARACTERS),
    }
  } catch {
    return { name: 'Error', message: 'it threw something that cannot be read', stack: '' }
  }
}

function said(thrown: unknown): string {
  if (thrown === undefined) return 'nothing'
  return (typeof thrown === 'string' ? thrown : (JSON.stringify(thrown) ?? String(thrown))).slice(0, MESSAGE_CHARACTERS)
}

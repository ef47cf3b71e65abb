// What a page says about one run, as a short text: first that an executor has claimed it, then how it ended. Times count from the
// second of the page, in base 36, so that 24 runs fit into one kilobyte, which is what one write unit holds.

import type { RunStatus } from '../run/status.ts'

/** An executor has claimed it: the token tells which claim it is, and past the deadline the claim is dead. */
export interface ClaimEntry {
  readonly status: 'RUNNING'
  readonly attempt: number
  readonly token: string
  readonly deadlineSecond: number
}

/** No executor has claimed it: it waits in line, or its next attempt is to come. Starting it is a fresh claim. */
export interface IdleEntry {
  readonly status: 'WAITING' | 'QUEUED'
  readonly attempt: number
}

export interface OutcomeEntry {
  readonly status: Exclude<RunStatus, 'RUNNING' | 'WAITING' | 'QUEUED'>
  readonly attempt: number
  /** Milliseconds from the second of the page to the start, and from there to the end; 0 where it never started. */
  readonly startOffsetMs: number
  readonly durationMs: number
}

export type PageEntry = ClaimEntry | IdleEntry | OutcomeEntry

/** An end without a start. */
export const neverStarted = (status: OutcomeEntry['status'], attempt = 1): OutcomeEntry => ({
  status,
  attempt,
  startOffsetMs: 0,
  durationMs: 0,
})

const LETTERS: Readonly<Record<RunStatus, string>> = {
  RUNNING: 'R',
  WAITING: 'W',
  QUEUED: 'Q',
  SUCCEEDED: 'S',
  FAILED: 'F',
  TIMED_OUT: 'T',
  CANCELLED: 'C',
  DISCARDED: 'D',
  SKIPPED: 'K',
  EXPIRED: 'E',
  MISSED: 'M',
  LOST: 'L',
}

const STATUS_OF = Object.fromEntries(Object.entries(LETTERS).map(([status, letter]) => [letter, status])) as Readonly<
  Record<string, RunStatus | undefined>
>

/** A random token of this many characters tells two claims of one run apart; there are never more than a few. */
export const TOKEN_LENGTH = 8

/** More than any job may have. */
const MOST_ATTEMPTS = 999

const write = (value: number): string => value.toString(36)
const read = (text: string): number => Number.parseInt(text, 36)

export function encodeEntry(entry: PageEntry, second: number): string {
  const head = `${LETTERS[entry.status]}${write(entry.attempt)}`
  switch (entry.status) {
    case 'RUNNING':
      return `${head}.${entry.token}.${write(entry.deadlineSecond - second)}`
    case 'WAITING':
    case 'QUEUED':
      return head
    default:
      return `${head}.${write(entry.startOffsetMs)}.${write(entry.durationMs)}`
  }
}

/** Throws where the text is no entry: better to stop than to run something twice. */
export function decodeEntry(text: string, second: number): PageEntry {
  const entry = readEntry(text, second)
  // Writing it again is the proof that nothing was missing and nothing was read in another way.
  if (entry !== null && encodeEntry(entry, second) === text) return entry
  throw new Error(`a page of second ${second} holds ${JSON.stringify(text)}, which is no entry`)
}

function readEntry(text: string, second: number): PageEntry | null {
  const [head, first = '', last = ''] = text.split('.')
  const status = STATUS_OF[head.charAt(0)]
  const attempt = read(head.slice(1))
  if (status === undefined || !(attempt >= 1 && attempt <= MOST_ATTEMPTS)) return null
  switch (status) {
    case 'RUNNING':
      return { status, attempt, token: first, deadlineSecond: second + read(last) }
    case 'WAITING':
    case 'QUEUED':
      return { status, attempt }
    default:
      return { status, attempt, startOffsetMs: read(first), durationMs: read(last) }
  }
}

/** Most entries that one write may name. */
export const ENTRIES_A_WRITE = 96

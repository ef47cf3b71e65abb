// A lock as a short text, because the locks of many jobs share one item and each write pays for all of it. Numbers are in
// base 36; what is usual takes no room.

import { formatRunId, parseRunId, type Trigger } from '../run/run.ts'
import { FREE, type GateRun, type Holder, type Lock, type Waiter } from './state.ts'

const LETTERS: Readonly<Record<Trigger, string>> = {
  SCHEDULE: 'S',
  CATCH_UP: 'C',
  MISFIRE: 'F',
  MANUAL: 'M',
  BACKFILL: 'B',
  DEPENDENCY: 'D',
  RESTART: 'R',
}

const TRIGGER_OF = Object.fromEntries(
  Object.entries(LETTERS).map(([trigger, letter]) => [letter, trigger]),
) as Readonly<Record<string, Trigger | undefined>>

/** Stands for the second of the run itself. */
const OWN = '='

const write = (value: number): string => value.toString(36)
const read = (text: string): number => Number.parseInt(text, 36)
const writeMaybe = (value: number | null): string => (value === null ? '' : write(value))
const readMaybe = (text: string): number | null => (text === '' ? null : read(text))

/** Null where no run holds the lock and none waits: then there is nothing to store. */
export function encodeLock({ holders, waiting }: Lock): string | null {
  if (holders.length === 0 && waiting.length === 0) return null
  const held = holders.map((each) => [...fieldsOf(each), write(each.deadline), writeMaybe(each.sentAt)].join('.'))
  const inLine = waiting.map((each) => [...fieldsOf(each), write(each.orderedBy)].join('.'))
  return `${held.join(',')};${inLine.join(',')}`
}

function fieldsOf({ runId, trigger, instant, nominal, attempt, depth, openMs }: GateRun): string[] {
  const { second, suffix } = parseRunId(runId)
  const time = (value: number | null) => (value === second ? OWN : writeMaybe(value))
  return [
    write(second),
    suffix,
    `${LETTERS[trigger]}${write(attempt)}`,
    time(instant),
    time(nominal),
    writeMaybe(depth),
    writeMaybe(openMs),
  ]
}

/** Throws where the text is no lock: better to stop than to run two at once. */
export function decodeLock(text: string | null, jobId: string): Lock {
  if (text === null) return FREE
  const [held = '', inLine = ''] = text.split(';')
  const lock = {
    holders: listOf(held).map((fields) => holderOf(fields, jobId)),
    waiting: listOf(inLine).map((fields) => waiterOf(fields, jobId)),
  }
  if (isWrittenAs(lock, text)) return lock
  throw new Error(`job ${jobId} has ${JSON.stringify(text)}, which is no lock`)
}

/** Writing it again is the proof that nothing was missing and nothing was read in another way. */
function isWrittenAs(lock: Lock, text: string): boolean {
  try {
    return encodeLock(lock) === text
  } catch {
    return false
  }
}

const listOf = (text: string): string[][] => (text === '' ? [] : text.split(',').map((each) => each.split('.')))

const holderOf = (fields: readonly string[], jobId: string): Holder => ({
  ...runOf(fields, jobId),
  deadline: read(fields[7]),
  sentAt: readMaybe(fields[8] ?? ''),
})

const waiterOf = (fields: readonly string[], jobId: string): Waiter => ({
  ...runOf(fields, jobId),
  orderedBy: read(fields[7]),
})

function runOf(fields: readonly string[], jobId: string): GateRun {
  const [first, suffix = '', head = '', instant = '', nominal = '', depth = '', openMs = ''] = fields
  const second = read(first)
  const time = (text: string) => (text === OWN ? second : readMaybe(text))
  return {
    runId: formatRunId({ jobId, second, suffix }),
    // A letter that is none writes nothing that was read, so the proof fails.
    trigger: TRIGGER_OF[head.charAt(0)] ?? 'SCHEDULE',
    instant: time(instant),
    nominal: time(nominal),
    attempt: read(head.slice(1)),
    depth: readMaybe(depth),
    openMs: readMaybe(openMs),
  }
}

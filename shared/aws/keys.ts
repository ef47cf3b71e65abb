// Every key of the one table, built and taken apart in this file and nowhere else. A key is a few parts joined by #,
// and no part can hold a #, so no two different things ever share a key.

import type { Attributes } from './expression.ts'

export interface TableKey {
  readonly pk: string
  readonly sk: string
}

export const keyAttributes = ({ pk, sk }: TableKey): Attributes => ({ pk: { S: pk }, sk: { S: sk } })

export const keyOfItem = (item: Attributes): TableKey => ({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' })

/** What an item of the table is about. */
export type ItemKey =
  | { readonly type: 'meta' }
  | { readonly type: 'job'; readonly shard: number; readonly jobId: string }
  | { readonly type: 'body'; readonly jobId: string; readonly version: number }
  | { readonly type: 'version'; readonly jobId: string; readonly version: number }
  | { readonly type: 'definition'; readonly jobId: string; readonly version: number }
  | { readonly type: 'once'; readonly shard: number; readonly jobId: string }
  | {
      readonly type: 'pointer'
      readonly shard: number
      readonly minute: number
      readonly second: number
      readonly jobId: string
    }
  | {
      readonly type: 'change'
      readonly shard: number
      readonly ms: number
      readonly jobId: string
      readonly version: number
    }
  | { readonly type: 'shard'; readonly shard: number }
  | { readonly type: 'minute'; readonly shard: number; readonly hour: number; readonly minute: number }
  | {
      readonly type: 'page'
      readonly shard: number
      readonly minute: number
      readonly partition: string
      readonly second: number
      readonly prefix: string
    }
  | {
      readonly type: 'open'
      readonly shard: number
      readonly part: number
      readonly ms: number
      readonly runId: string
      readonly attempt: number
    }
  | { readonly type: 'openMessage'; readonly runId: string; readonly attempt: number; readonly ms: number }
  | {
      readonly type: 'recent'
      readonly kind: 'failed' | 'other'
      readonly shard: number
      readonly hour: number
      readonly ms: number
      readonly runId: string
    }
  | { readonly type: 'run'; readonly jobId: string; readonly second: number; readonly suffix: string }
  | { readonly type: 'detail'; readonly jobId: string; readonly second: number }
  | { readonly type: 'missed'; readonly jobId: string; readonly second: number; readonly of: string }
  | {
      readonly type: 'feed'
      readonly shard: number
      readonly hour: number
      readonly second: number
      readonly runId: string
    }
  | { readonly type: 'chain'; readonly root: string; readonly runId: string }
  | { readonly type: 'state'; readonly jobId: string }
  | { readonly type: 'locks'; readonly shard: number; readonly prefix: string }
  | { readonly type: 'lock'; readonly jobId: string }
  | { readonly type: 'executor'; readonly namespace: string; readonly group: string; readonly member: string }
  | { readonly type: 'dates'; readonly hash: string }
  | { readonly type: 'calendar'; readonly namespace: string; readonly name: string }
  | { readonly type: 'template'; readonly namespace: string; readonly name: string }
  | { readonly type: 'namespace'; readonly namespace: string; readonly name: string }
  | { readonly type: 'pending'; readonly namespace: string; readonly name: string }
  | { readonly type: 'backfill'; readonly id: string }
  | { readonly type: 'keys' }
  | { readonly type: 'key'; readonly id: string }
  | { readonly type: 'idempotency'; readonly hash: string }
  | {
      readonly type: 'audit'
      readonly namespace: string
      readonly day: number
      readonly ms: number
      readonly id: string
    }
  | { readonly type: 'audited'; readonly day: number; readonly namespace: string }

/** The name of a part; WIDTHS says which are numbers. */
type Part = string

interface Shape {
  readonly pk: readonly [head: string, ...parts: Part[]]
  readonly sk: readonly Part[]
}

/** The parts of each key in their order. An item that is alone under its partition key has a hyphen as sort key. */
const SHAPES: Readonly<Record<ItemKey['type'], Shape>> = {
  meta: { pk: ['META'], sk: [] },
  job: { pk: ['JOB', 'shard'], sk: ['jobId'] },
  body: { pk: ['BODY', 'jobId'], sk: ['version'] },
  version: { pk: ['VER', 'jobId'], sk: ['version'] },
  definition: { pk: ['DEF', 'jobId'], sk: ['version'] },
  once: { pk: ['ONCE', 'shard'], sk: ['jobId'] },
  pointer: { pk: ['AT', 'shard', 'minute'], sk: ['second', 'jobId'] },
  change: { pk: ['CHG', 'shard'], sk: ['ms', 'jobId', 'version'] },
  shard: { pk: ['SHARD', 'shard'], sk: [] },
  minute: { pk: ['MIN', 'shard', 'hour'], sk: ['minute'] },
  page: { pk: ['PAGE', 'shard', 'minute', 'partition'], sk: ['second', 'prefix'] },
  open: { pk: ['OPEN', 'shard', 'part'], sk: ['ms', 'runId', 'attempt'] },
  openMessage: { pk: ['OPENMSG', 'runId'], sk: ['attempt', 'ms'] },
  recent: { pk: ['RECENT', 'kind', 'shard', 'hour'], sk: ['ms', 'runId'] },
  run: { pk: ['RUN', 'jobId'], sk: ['second', 'suffix'] },
  detail: { pk: ['DETAIL', 'jobId'], sk: ['second'] },
  missed: { pk: ['MISSED', 'jobId'], sk: ['second', 'of'] },
  feed: { pk: ['FEED', 'shard', 'hour'], sk: ['second', 'runId'] },
  chain: { pk: ['CHAIN', 'root'], sk: ['runId'] },
  state: { pk: ['STATE', 'jobId'], sk: [] },
  locks: { pk: ['LOCKS', 'shard', 'prefix'], sk: [] },
  lock: { pk: ['LOCK', 'jobId'], sk: [] },
  executor: { pk: ['EXEC', 'namespace', 'group'], sk: ['member'] },
  dates: { pk: ['DATES', 'hash'], sk: [] },
  calendar: { pk: ['CAL', 'namespace'], sk: ['name'] },
  template: { pk: ['TPL', 'namespace'], sk: ['name'] },
  namespace: { pk: ['NS', 'namespace'], sk: ['name'] },
  pending: { pk: ['PENDING'], sk: ['namespace', 'name'] },
  backfill: { pk: ['BACKFILL', 'id'], sk: [] },
  keys: { pk: ['KEYS'], sk: [] },
  key: { pk: ['KEY'], sk: ['id'] },
  idempotency: { pk: ['IDEM', 'hash'], sk: [] },
  audit: { pk: ['AUDIT', 'namespace', 'day'], sk: ['ms', 'id'] },
  audited: { pk: ['AUDITED', 'day'], sk: ['namespace'] },
}

/** Numbers are padded, so that sorted as text they are sorted as numbers. */
const WIDTHS: Readonly<Record<string, number | undefined>> = {
  shard: 4,
  part: 1,
  version: 8,
  attempt: 3,
  day: 7,
  hour: 8,
  minute: 10,
  second: 12,
  ms: 15,
}

const ALONE = '-'
const SEPARATOR = '#'

function writePart(name: Part, value: unknown): string {
  const width = WIDTHS[name]
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  if (width !== undefined && isNumber && String(value).length <= width) return String(value).padStart(width, '0')
  if (width === undefined && typeof value === 'string' && !value.includes(SEPARATOR)) return value
  throw new Error(`${name} ${JSON.stringify(value)} cannot stand in a key`)
}

/** A number is read only in the very form in which it is written. */
const isPart = (name: Part, text: string): boolean =>
  WIDTHS[name] === undefined || (text.length === WIDTHS[name] && /^\d+$/.test(text))

export function keyOf(item: ItemKey): TableKey {
  const { pk, sk } = SHAPES[item.type]
  const [head, ...parts] = pk
  const write = (name: Part) => writePart(name, Reflect.get(item, name))
  return {
    pk: [head, ...parts.map(write)].join(SEPARATOR),
    sk: sk.length === 0 ? ALONE : sk.map(write).join(SEPARATOR),
  }
}

/** The partition that holds all items of a type with some parts in common. */
export function partitionOfType<Type extends ItemKey['type']>(type: Type, parts: object): string {
  const [head, ...names] = SHAPES[type].pk
  return [head, ...names.map((name) => writePart(name, Reflect.get(parts, name)))].join(SEPARATOR)
}

/** A number as it stands in a sort key, for the ends of a range. */
export const sortPart = (name: 'ms' | 'second' | 'minute' | 'version', value: number): string => writePart(name, value)

const TYPE_OF = new Map(Object.entries(SHAPES).map(([type, { pk }]) => [pk[0], type as ItemKey['type']]))

/** What a key of the table is about. Throws for a key that this file did not build. */
export function itemOf({ pk, sk }: TableKey): ItemKey {
  const pkTexts = pk.split(SEPARATOR)
  const type = TYPE_OF.get(pkTexts[0])
  if (type === undefined) throw notAKey(pk, sk)
  const item: Record<string, string | number> = { type }
  const [, ...pkNames] = SHAPES[type].pk
  const skNames = SHAPES[type].sk
  const isRead =
    readParts(pkNames, pkTexts.slice(1), item) &&
    (skNames.length === 0 ? sk === ALONE : readParts(skNames, sk.split(SEPARATOR), item))
  if (!isRead) throw notAKey(pk, sk)
  return item as unknown as ItemKey
}

/** False where the texts are not what `keyOf` writes for these parts. */
function readParts(names: readonly Part[], texts: readonly string[], item: Record<string, string | number>): boolean {
  if (names.length !== texts.length) return false
  for (const [place, name] of names.entries()) {
    const text = texts[place]
    if (!isPart(name, text)) return false
    item[name] = WIDTHS[name] === undefined ? text : Number(text)
  }
  return true
}

const notAKey = (pk: string, sk: string): Error =>
  new Error(`${JSON.stringify(pk)}, ${JSON.stringify(sk)} is no key of this table`)

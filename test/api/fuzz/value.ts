// Makes values that a JSON Schema of the document takes. What a schema does not say (what a time looks like, which names exist) is
// known here by the name of the field.

import { DOCUMENT } from '../../support/api/document.ts'
import type { Random } from '../../support/random-cron/random.ts'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly propertyNames?: Schema
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
}

export const NAMES = ['a', 'job-1', 'job-2', 'job-3', 'report', 'x.y_z']
export const NAMESPACES = ['default', 'billing', 'shared']

const TIMES = [
  '2027-02-10T11:00:00Z',
  '2027-02-10T12:00:00+01:00',
  '2027-02-11T00:00:00Z',
  '2030-01-01T00:00:00Z',
  '2020-01-01T00:00:00Z',
  '2027-02-10T10:00:30.000Z',
]
const SPANS = [1, 5, 60, 300, 3600, '90s', '5m', '2h', '1d']

const BY_FIELD: Readonly<Record<string, readonly unknown[]>> = {
  cron: ['* * * * *', '*/5 * * * * *', '0 9 * * 1-5', 'H H * * *', '@daily', '0 0 L * ?', '0 0 29 2 *', '30 2 * * *'],
  zone: ['UTC', 'Europe/Brussels', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  every: [1, 10, 30, 3600, '5m', '1d'],
  overlap: SPANS,
  dates: ['2026-12-25', '2027-02-10/2027-02-20', '02-29', '12-25'],
  url: ['https://acme.example/ping'],
  template: ['shared/hourly', 'default/report', 'shared/monthly'],
  calendars: ['shared/report', 'default/report', 'default/a'],
  tag: ['team', 'team:billing', 'team:billing,env', ''],
  sort: ['name', '-name', 'updated', '-updated', 'next', '-next', 'lastFailure', '-lastFailure'],
  limit: ['1', '2', '30', '100'],
  count: ['1', '10', '100'],
  version: ['1', '2', '3'],
  status: ['RUNNING', 'STOPPED', 'RUNNING,STOPPED'],
  facets: ['status', 'tag', 'namespace,status,tag,target,managedBy'],
  include: ['last'],
  trigger: ['MANUAL', 'SCHEDULE,MANUAL'],
  failedSince: ['1h', '60', '2027-02-10T09:00:00Z', '2027-02-10T09:00:00.5Z'],
}
const TIME_FIELDS = ['at', 'anchor', 'startAt', 'endAt', 'until', 'from', 'to', 'instant', 'expiresAt']

/** Names that fit most patterns of the document, from which those are taken that fit. */
const FITTING = [
  ...NAMES,
  ...NAMES.map((name) => `default/${name}`),
  'apply:repo',
  'prefix-*',
  '*',
  'Authorization',
  '2026-12-25',
  '7',
]
const ODD_TEXTS = ['', 'plain', 'wörter', '报告', '🎉', 'a\u202Eb', 'e\u0301', '<script>', '=1+1', 'x'.repeat(90)]

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? schema
    : resolved(DOCUMENT.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema)

export function valueFor(given: Schema, random: Random, field = '', depth = 0): unknown {
  const schema = resolved(given)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return random.pick(schema.enum)
  if (given.$ref?.endsWith('/Json') === true) return anyJson(random, depth)
  const choices = schema.oneOf ?? schema.anyOf
  if (choices !== undefined) {
    // Only handlers are delivered yet, and they stand first.
    return valueFor(field === 'target' && random.chance(0.9) ? choices[0] : random.pick(choices), random, field, depth)
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['null'])
  switch (random.pick(types)) {
    case 'object':
      return objectOf(schema, random, depth)
    case 'array': {
      const length = random.between(schema.minItems ?? 0, Math.min(schema.maxItems ?? 3, 3))
      return Array.from({ length }, () => valueFor(schema.items ?? {}, random, field, depth + 1))
    }
    case 'integer':
    case 'number':
      return numberOf(schema, random, field)
    case 'boolean':
      return random.chance(0.5)
    case 'string':
      return types.includes('number') ? String(random.pick(SPANS.slice(5))) : textOf(schema, random, field)
    default:
      return null
  }
}

function objectOf(schema: Schema, random: Random, depth: number): Record<string, unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const entries = Object.entries(properties)
    .filter(([field]) => required.includes(field) || random.chance(field === 'schedules' ? 0.95 : 0.08))
    .map(([field, inner]) => [field, valueFor(inner, random, field, depth + 1)])
  if (typeof additionalProperties === 'object') {
    for (let left = random.below(3); left > 0; left--) {
      entries.push([
        textOf(schema.propertyNames ?? {}, random, ''),
        valueFor(additionalProperties, random, '', depth + 1),
      ])
    }
  }
  return Object.fromEntries(entries)
}

function numberOf({ minimum = -10, maximum = 1000 }: Schema, random: Random, field: string): number {
  if (field === 'every' || field === 'deleteAfter') return random.pick([3600, 7200, 86_400])
  return random.pick([minimum, maximum, random.between(minimum, Math.min(maximum, minimum + 1000))])
}

function textOf({ pattern }: Schema, random: Random, field: string): string {
  const known = Object.hasOwn(BY_FIELD, field) ? BY_FIELD[field] : TIME_FIELDS.includes(field) ? TIMES : ODD_TEXTS
  if (pattern === undefined) return String(random.pick(known))
  const fitting = [...known, ...FITTING].filter((text) => new RegExp(pattern, 'u').test(String(text)))
  return fitting.length === 0 ? 'a' : String(random.pick(fitting))
}

function anyJson(random: Random, depth: number): unknown {
  switch (random.below(depth > 4 ? 4 : 6)) {
    case 0:
      return random.pick(ODD_TEXTS)
    case 1:
      return random.pick([0, -1, 1.5, 2 ** 53, 1e-7])
    case 2:
      return random.chance(0.5)
    case 3:
      return null
    case 4:
      return Array.from({ length: random.below(4) }, () => anyJson(random, depth + 1))
    default:
      return Object.fromEntries(ODD_TEXTS.slice(0, random.below(5)).map((key) => [key, anyJson(random, depth + 1)]))
  }
}

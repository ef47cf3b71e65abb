// All that is wrong with a body at once, each fault with its path, its code, its value and its remedy, as the API answers it.

import type * as z from 'zod'
import { type InputError, quote } from '../errors.ts'

export interface Fault {
  /** A JSON Pointer, as in "/schedules/0/cron"; empty for the body as a whole. */
  readonly path: string
  readonly code: string
  readonly message: string
}

export class InvalidInput extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    super(faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'))
    this.name = 'InvalidInput'
    this.faults = faults
  }
}

export const pointer = (parts: readonly PropertyKey[]): string =>
  parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** What a rule said about a field, as a fault. */
export const faultOfError = ({ code, field, path, message }: InputError, under = ''): Fault => ({
  path: `${under}${path ?? pointer(field.split(' ')[0].split('.'))}`,
  code,
  message,
})

type Issue = z.core.$ZodIssue

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), input)
}

const MOST_LISTED = 20
const SHOWN_CHARACTERS = 60

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_LISTED).map((value) => cut(String(value)))
  return [...shown, ...(values.length > MOST_LISTED ? [`${values.length - MOST_LISTED} more`] : [])].join(', ')
}

const cut = (text: string): string => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)

/** What to do about an issue. zod says what it expected; a user wants to know what to write. */
function remedyOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'Use a whole number' : `Use a value of type ${issue.expected}`
    case 'too_big':
      return `Use ${issue.origin === 'number' ? '' : 'a length of '}at most ${issue.maximum}`
    case 'too_small':
      return `Use ${issue.origin === 'number' ? '' : 'a length of '}at least ${issue.minimum}`
    case 'invalid_value':
      return `Use one of ${listed(issue.values)}`
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? `Use one of ${listed(issue.options)}` : issue.message
    case 'unrecognized_keys':
      return `Remove ${listed(issue.keys)}; there is no such field`
    case 'invalid_key':
      return issue.issues.map(remedyOf).join('. ')
    case 'invalid_format':
      return issue.format === 'url' ? 'Use an http or https address' : issue.message
    default:
      return issue.message
  }
}

const CODES: Readonly<Partial<Record<Issue['code'], string>>> = {
  invalid_type: 'field.type',
  too_big: 'field.too-big',
  too_small: 'field.too-small',
  invalid_value: 'field.value',
  invalid_union: 'field.value',
  unrecognized_keys: 'field.unknown',
  invalid_format: 'field.format',
  invalid_key: 'field.name',
}

function codeOf(issue: Issue, value: unknown): string {
  if (issue.code === 'custom') return String(issue.params?.code ?? 'field.invalid')
  if (issue.code === 'invalid_type' && value === undefined) return 'field.required'
  return CODES[issue.code] ?? 'field.invalid'
}

/** Of a choice of shapes the one that fits best tells what is wrong, where just one fits best. Each field that there is not is a fault. */
function unfolded(issue: Issue): Issue[] {
  if (issue.code === 'unrecognized_keys') {
    const rest = issue.keys.slice(MOST_LISTED)
    const each = issue.keys
      .slice(0, MOST_LISTED)
      .map((key) => ({ ...issue, keys: [key], path: [...issue.path, cut(key)] }))
    return rest.length === 0 ? each : [...each, { ...issue, keys: rest }]
  }
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const fewest = Math.min(...issue.errors.map(({ length }) => length))
  const best = issue.errors.filter(({ length }) => length === fewest)
  if (best.length > 1) return [issue]
  return best[0].flatMap((inner) => unfolded({ ...inner, path: [...issue.path, ...inner.path] }))
}

export function faultsOf(issues: readonly Issue[], input: unknown): Fault[] {
  return issues.flatMap(unfolded).map((issue): Fault => {
    // Of a key that is wrong the key is shown, not what stands under it.
    const value = issue.code === 'invalid_key' ? issue.path.at(-1) : valueAt(input, issue.path)
    const path = pointer(issue.path)
    const code = codeOf(issue, value)
    if (issue.code === 'custom' && issue.params?.isWhole === true) return { path, code, message: issue.message }
    const isSecret = issue.path.at(-1) === 'secret'
    const got = value === undefined ? 'is missing' : isSecret ? 'is not accepted' : `got ${quote(value)}`
    const shown = issue.code === 'unrecognized_keys' ? '' : `${got}. `
    return { path, code, message: `${shown}${remedyOf(issue)}.` }
  })
}

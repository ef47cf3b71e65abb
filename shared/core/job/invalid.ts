// All that is wrong with a body at once, each fault with its path, its value and its remedy, as the API answers it.

import type { z } from 'zod'
import { quote } from '../errors.ts'

export interface Fault {
  /** As in "schedules.0.cron"; empty for the body as a whole. */
  readonly path: string
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

type Issue = z.core.$ZodIssue

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => Reflect.get(Object(value), key), input)
}

const listed = (values: readonly unknown[]): string => values.map(String).join(', ')

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
      return 'options' in issue && Array.isArray(issue.options)
        ? `Use one of ${listed(issue.options)}`
        : 'Use one of {"cron": text}, {"every": seconds} and {"at": time}, with kind start, stop or restart, and no other fields'
    case 'unrecognized_keys':
      return `Remove ${listed(issue.keys)}; there is no such field`
    case 'invalid_format':
      return issue.format === 'url' ? 'Use an http or https address' : issue.message
    default:
      return issue.message
  }
}

export function faultsOf(issues: readonly Issue[], input: unknown): Fault[] {
  return issues.map((issue) => {
    const value = valueAt(input, issue.path)
    const isSecret = issue.path.at(-1) === 'secret'
    const got = value === undefined ? 'is missing' : isSecret ? 'is not accepted' : `got ${quote(value)}`
    const shown = issue.code === 'unrecognized_keys' ? '' : `${got}. `
    return { path: issue.path.map(String).join('.'), message: `${shown}${remedyOf(issue)}.` }
  })
}

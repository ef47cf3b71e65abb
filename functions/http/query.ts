// Reads the query string: every parameter is known, stands once, and has a value that its schema takes. Anything else is refused.

import { faultsOf, pointer } from '../../shared/core/job/invalid.ts'
import { badRequest, type RequestFault } from './problem.ts'
import type { Route } from './route.ts'

const fault = (name: string, code: string, message: string): RequestFault => ({
  in: 'query',
  path: pointer([name.slice(0, 60)]),
  code,
  message,
})

function pairsOf(raw: string): [string, string][] {
  if (raw === '') return []
  return raw.split('&').map((part) => {
    const [name, ...value] = part.split('=')
    try {
      const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
      return [decode(name), decode(value.join('='))]
    } catch {
      throw badRequest([fault('', 'query.encoding', 'is not encoded as a query. Use percent-encoded UTF-8.')])
    }
  })
}

export interface Flags {
  readonly isDryRun: boolean
  readonly rest: ReadonlyMap<string, string>
}

/** `?dryRun` and `?dryRun=true` are the same, `=false` is as if it were absent. */
export function readFlag(raw: string, isMutation: boolean): Flags {
  const rest = new Map<string, string>()
  for (const [name, value] of pairsOf(raw)) {
    if (rest.has(name)) throw badRequest([fault(name, 'query.repeated', 'stands twice. Send it once.')])
    rest.set(name, value)
  }
  const dryRun = isMutation ? rest.get('dryRun') : undefined
  if (isMutation) rest.delete('dryRun')
  return { isDryRun: dryRun !== undefined && isTrue('dryRun', dryRun), rest }
}

export function isTrue(name: string, value: string): boolean {
  if (value === '' || value === 'true') return true
  if (value === 'false') return false
  throw badRequest([fault(name, 'query.value', 'Use true or false.')])
}

export function readQuery(route: Route, rest: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const known = route.query === undefined ? [] : Object.keys(route.query.shape)
  const unknown = [...rest.keys()].filter((name) => !known.includes(name))
  const remedy = known.length === 0 ? 'This route takes no parameters' : `Use ${known.join(', ')}`
  const faults = unknown.map((name) => fault(name, 'query.unknown', `there is no such parameter. ${remedy}.`))
  if (faults.length > 0) throw badRequest(faults)
  if (route.query === undefined) return {}
  const input = Object.fromEntries(rest)
  const { success, data, error } = route.query.safeParse(input)
  if (success) return data
  throw badRequest(faultsOf(error.issues, input).map((each) => ({ in: 'query', ...each })))
}

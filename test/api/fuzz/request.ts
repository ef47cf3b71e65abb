// Makes requests from the document: such as it takes, such with one thing wrong, and noise.

import type { GatewayEvent } from '../../../functions/http/gateway.ts'
import { DOCUMENT } from '../../support/api/document.ts'
import { HOST } from '../../support/api/open-api.ts'
import type { Random } from '../../support/random-cron/random.ts'
import { mutated, mutatedText } from './mutate.ts'
import { NAMES, NAMESPACES, type Schema, valueFor } from './value.ts'

interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly schema: Schema
}

export interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
}

export const OPERATIONS: readonly Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const { operationId, parameters, requestBody } = operation as {
      operationId: string
      parameters?: Parameter[]
      requestBody?: { content: { 'application/json': { schema: Schema } } }
    }
    return {
      operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters ?? [],
      body: requestBody?.content['application/json'].schema ?? null,
    }
  }),
)

/** What is wrong with a request, if anything. */
export const WRONGS = ['nothing', 'field', 'text', 'bytes', 'query', 'path', 'header', 'method'] as const
export type Wrong = (typeof WRONGS)[number]

/** Ids that answers named, so that some requests find what they ask for. */
export interface Known {
  readonly runs: string[]
  readonly keys: string[]
}

export interface Made {
  readonly event: GatewayEvent
  readonly operation: Operation
  readonly wrong: Wrong
}

const ODD_PARTS = [
  '..',
  '%2f',
  '..%2f',
  '%00',
  '\u0000',
  '%c0%ae',
  'A',
  '__proto__',
  'constructor',
  '#',
  '?x',
  ' ',
  '报告',
  'a'.repeat(127),
  'a'.repeat(10_000),
  '',
]
const ODD_QUERIES = [
  'limit=-1',
  'limit=0',
  'limit=1e9',
  'limit=abc',
  'limit=10&limit=20',
  '__proto__[x]=1',
  '__proto__=1',
  'constructor=1',
  'cursor=%00',
  'cursor=bm90IGpzb24',
  'cursor=WyJhIixbMSwiYSJdXQ',
  'from=yesterday',
  'from=9999-12-31T23:59:59.9Z',
  'to=1970-01-01T00:00:00Z',
  'from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
  'q=%ff',
  'q=%',
  '=',
  '&&',
  'dryRun=maybe',
  'dryRun=true&dryRun=false',
  'force=1',
  'manager=code',
  'job=%E6%8A%A5',
  'tag=,,,:::',
  'namespace=%00',
  `q=${'x'.repeat(9000)}`,
]
const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'if-match': 'W/"1"' },
  { 'if-match': '"0"' },
  { 'if-match': '1' },
  { 'if-match': '"1","2"' },
  { 'if-none-match': '"1"' },
  { 'if-match': '"1"', 'if-none-match': '*' },
  { 'idempotency-key': '' },
  { 'idempotency-key': 'k\u00e9y' },
  { 'idempotency-key': 'k'.repeat(256) },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/merge-patch+json' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },
  { 'tickring-actor': 'a\u0000b' },
  { 'tickring-actor': 'x'.repeat(300) },
  { prefer: 'wait=999999' },
  { prefer: 'wait=-1; respond-async' },
  { authorization: 'Basic YTpi' },
  { authorization: 'Bearer' },
  { authorization: `Bearer ${'x'.repeat(100_000)}` },
  { host: 'evil.example' },
  { origin: 'null' },
]
const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'get', '']

function headerOf(name: string, random: Random): string {
  switch (name) {
    case 'If-Match':
      return random.pick(['"1"', '"2"', '"3"', '*', '"999999999"'])
    case 'If-None-Match':
      return '*'
    case 'Idempotency-Key':
      return random.pick(['k1', 'k2', `k${random.below(1e6)}`])
    case 'Prefer':
      return random.pick(['wait=1', 'wait=0', 'respond-async'])
    default:
      return random.pick(['anna', 'anna@acme.example'])
  }
}

function partOf(name: string, { path }: Operation, random: Random, known: Known): string {
  if (name === 'namespace') return random.pick(path.includes('jobs') ? NAMESPACES.slice(0, 2) : NAMESPACES)
  if (name === 'file') return 'index.html'
  if (name === 'name')
    return path.startsWith('/v1/namespaces') ? random.pick(NAMESPACES) : random.pick([...NAMES, 'report', 'report'])
  const ids = path.startsWith('/v1/keys') ? known.keys : known.runs
  return ids.length === 0 ? 'none' : random.pick(ids.slice(-20))
}

export function makeRequest(random: Random, key: string, known: Known): Made {
  const operation = random.pick(OPERATIONS)
  const wrong = random.chance(0.45) ? 'nothing' : random.pick(WRONGS)
  const asked = operation.parameters.filter((each) => each.in !== 'path' && random.chance(0.12))
  const query = asked
    .filter((each) => each.in === 'query')
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(valueFor(schema, random, name)))}`)
  const headers = asked
    .filter((each) => each.in === 'header')
    .map(({ name }): [string, string] => [name.toLowerCase(), headerOf(name, random)])
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => partOf(name, operation, random, known))
  const body = bodyOf(operation, wrong, random)
  return {
    operation,
    wrong,
    event: {
      version: '2.0',
      rawPath: wrong === 'path' ? oddPath(path, random) : path,
      rawQueryString: (wrong === 'query' ? [...query, random.pick(ODD_QUERIES)] : query).join('&'),
      headers: {
        host: HOST,
        authorization: `Bearer ${key}`,
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...Object.fromEntries(headers),
        ...(wrong === 'header' ? random.pick(ODD_HEADERS) : {}),
      },
      requestContext: { http: { method: wrong === 'method' ? random.pick(METHODS) : operation.method } },
      ...(body === null ? {} : { body: body.text }),
      isBase64Encoded: body?.isBase64 ?? false,
    },
  }
}

function oddPath(path: string, random: Random): string {
  const parts = path.split('/')
  const place = random.between(1, parts.length)
  const isPutBeside = random.chance(0.3)
  return parts.toSpliced(place, isPutBeside ? 0 : 1, random.pick(ODD_PARTS)).join('/')
}

function bodyOf(
  { body }: Operation,
  wrong: Wrong,
  random: Random,
): { readonly text: string; readonly isBase64: boolean } | null {
  if (wrong === 'bytes') {
    const bytes = Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)))
    return { text: bytes.toString('base64'), isBase64: true }
  }
  if (body === null) return wrong === 'text' ? { text: '{}', isBase64: false } : null
  const value = valueFor(body, random)
  const text = JSON.stringify(wrong === 'field' ? mutated(value, random) : value)
  return { text: wrong === 'text' ? mutatedText(text, random) : text, isBase64: false }
}

// The way of a request through the API, in the order in which it may be refused: host and origin, route, method, key, rate, namespace,
// role, media type, size, syntax. What is left is for the route's handler.

import { createHash } from 'node:crypto'
import type { StoredKey } from '../../shared/core/access/key.ts'
import { coversNamespace, mayActAs, SHARED_NAMESPACE } from '../../shared/core/access/role.ts'
import { quote } from '../../shared/core/errors.ts'
import { NAME, NAME_RULE } from '../../shared/core/fields.ts'
import { type Act, answeredOnce, type Request } from '../../shared/flow/idempotency.ts'
import { log, type Output } from '../output.ts'
import type { GatewayEvent, GatewayResult } from './gateway.ts'
import { decodeBody, parseJson } from './json-body.ts'
import { corsHeaders, refuseOrigin } from './origin.ts'
import { badRequest, masked, Problem, problemBody, problemOf } from './problem.ts'
import { readFlag, readQuery } from './query.ts'
import { RateLimit, rateHeaders } from './rate-limit.ts'
import type { Answer, Call, Caller, Route } from './route.ts'
import { type Matched, Router } from './router.ts'
import { ROUTES } from './routes.ts'
import type { ApiWorld } from './world.ts'

export type Api = (event: GatewayEvent) => Promise<GatewayResult>

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
}

/** A trace of a request: what it was, and what it met. */
interface Trace {
  readonly requestId: string
  readonly headers: Record<string, string>
  tell(error: unknown): void
}

export function makeApi(world: ApiWorld, output: Output): Api {
  const router = new Router(ROUTES)
  const rates = new RateLimit()
  return async (event) => {
    const requestId = `req_${world.newId().replaceAll('-', '').slice(0, 20)}`
    const trace: Trace = { requestId, headers: {}, tell: (error) => tell(output, event, requestId, error) }
    const { method } = event.requestContext.http
    try {
      await world.thaw()
      const answer = await serve(world, router, rates, event, trace)
      return written(answer, trace, method)
    } catch (error) {
      const problem = problemOf(error)
      if (problem.status >= 500) trace.tell(error)
      const body = problemBody(problem, trace.requestId)
      const text = { type: 'application/problem+json', content: JSON.stringify(body) }
      return written({ status: problem.status, text, headers: problem.headers }, trace, method)
    }
  }
}

function tell(output: Output, event: GatewayEvent, requestId: string, error: unknown): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const { method } = event.requestContext.http
  log(output, 'error', 'a request failed', { requestId, method, path: masked(event.rawPath), reason: masked(reason) })
}

async function serve(
  world: ApiWorld,
  router: Router,
  rates: RateLimit,
  event: GatewayEvent,
  trace: Trace,
): Promise<Answer> {
  const { method } = event.requestContext.http
  refuseOrigin(event.headers, world.settings)
  Object.assign(trace.headers, corsHeaders(event.headers, world.settings))
  const found = router.find(event.rawPath)
  if (found === null)
    throw new Problem('not-found', `there is nothing at ${quote(event.rawPath)}. See /v1/openapi.json`)
  const allow = found.methods.join(', ')
  if (method === 'OPTIONS') return { status: 204, headers: { allow } }
  const matched = found.of(method === 'HEAD' ? 'GET' : method)
  if (matched === null) {
    const detail = `${quote(method)} is not allowed here. Use one of ${allow}`
    throw new Problem('method-not-allowed', detail, { headers: { allow } })
  }
  const caller = matched.route.access === 'open' ? ANONYMOUS : await admit(world, rates, event, trace)
  if (matched.route.access !== 'open') refuseForeign(matched, caller)
  return answer(world, matched, event, caller, trace)
}

/** The key of a request, and one of its requests of this minute. */
async function admit(world: ApiWorld, rates: RateLimit, { headers }: GatewayEvent, trace: Trace): Promise<Caller> {
  const [, text = ''] = /^Bearer ([^\s]{1,200})$/i.exec(headers.authorization ?? '') ?? []
  const key = await world.authenticator.authenticate(text)
  if (key === null) {
    const detail = 'send Authorization: Bearer tkr_…, with a key that is neither deleted nor expired'
    throw new Problem('unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } })
  }
  const rate = rates.take(key.id, world.settings.requestsPerMinute, world.clock.nowMs())
  Object.assign(trace.headers, rateHeaders(rate))
  if (rate.remaining < 0) {
    const headers = { 'retry-after': String(rate.resetSeconds) }
    throw new Problem('rate-limited', `a key has ${rate.limit} requests a minute. Wait, or send fewer`, { headers })
  }
  return callerOf(key, headers)
}

const MOST_ACTOR_CHARACTERS = 200

function callerOf(key: StoredKey, headers: GatewayEvent['headers']): Caller {
  const onBehalfOf = headers['tickring-actor'] ?? null
  return {
    key,
    // It is kept: a key that was put there by mistake must not be.
    actor: { type: 'key', id: key.id, name: key.name, onBehalfOf: onBehalfOf === null ? null : masked(onBehalfOf) },
    sees: (namespace) => coversNamespace(key.namespaces, namespace),
  }
}

function refuseBadActor({ 'tickring-actor': actor }: GatewayEvent['headers']): void {
  if (actor === undefined || (actor.length <= MOST_ACTOR_CHARACTERS && /^[\x20-\x7e]+$/.test(actor))) return
  throw badRequest([headerFault('Tickring-Actor', `Use 1 to ${MOST_ACTOR_CHARACTERS} visible characters`)])
}

const headerFault = (name: string, message: string) =>
  ({ in: 'header', path: `/${name.toLowerCase()}`, code: 'header.value', message: `${message}.` }) as const

/** The caller of an open route, where no key is asked for. */
const ANONYMOUS: Caller = {
  key: {
    id: '',
    name: '',
    role: 'viewer',
    namespaces: [],
    digest: '',
    previous: null,
    createdAtMs: 0,
    expiresAt: null,
    lastUsedAtMs: null,
  },
  actor: { type: 'system', id: null, name: '', onBehalfOf: null },
  sees: () => false,
}

/** What lies outside the key's namespaces is not there; what lies inside may still be beyond its role. */
function refuseForeign({ route, params }: Matched, { key, sees }: Caller): void {
  const namespace: string | undefined = params[route.namespaceParam ?? 'namespace']
  const isReadOfShared = namespace === SHARED_NAMESPACE && route.isOfSharedToo === true
  if (namespace !== undefined && !sees(namespace) && !isReadOfShared) {
    throw new Problem('not-found', `there is no namespace ${quote(namespace)} for this key`)
  }
  if (route.access === 'open' || route.access === 'any key') return
  if (!mayActAs(key.role, route.access)) {
    throw new Problem('forbidden', `this needs the role ${route.access}; the key is ${key.role}. Use another key`)
  }
}

const MOST_BYTES = 256 * 1024

async function answer(
  world: ApiWorld,
  { route, params }: Matched,
  event: GatewayEvent,
  caller: Caller,
  trace: Trace,
): Promise<Answer> {
  const text = bodyText(route, event)
  refuseBadNames(params)
  if (route.access !== 'open') refuseBadActor(event.headers)
  const flags = readFlag(event.rawQueryString, route.isMutation === true)
  const query = readQuery(route, flags.rest)
  const ifVersion = versionAsked(route, event.headers)
  const request = requestOf(route, event, caller, text)
  const body = text === '' ? {} : parseJson(text)
  const call: Call = {
    world,
    method: route.method,
    path: event.rawPath,
    params,
    query,
    body,
    headers: event.headers,
    caller,
    requestId: trace.requestId,
    tell: trace.tell,
    isDryRun: flags.isDryRun,
    ifVersion,
    request: flags.isDryRun ? null : request,
    act: null,
  }
  if (call.request === null || route.replay === 'own') return route.handle(call)
  return keptAnswer(world, route, call, call.request)
}

const MOST_KEPT_CHARACTERS = 300_000

/** The same request again has the answer of the first. */
async function keptAnswer(world: ApiWorld, route: Route, call: Call, request: Request): Promise<Answer> {
  let fresh: Answer | null = null
  const act = async (act: Act) => {
    fresh = await route.handle({ ...call, act })
    const { status, body, headers } = fresh
    const text = JSON.stringify({ status, body, headers })
    return { answer: text, kept: text.length > MOST_KEPT_CHARACTERS ? null : text }
  }
  const isRefusal = (error: unknown) => problemOf(error).status < 500
  const { answer: kept, isReplay } = await answeredOnce(world, request, world.newId(), act, isRefusal)
  if (!isReplay && fresh !== null) return fresh
  const again: Answer = JSON.parse(kept)
  return { ...again, headers: { ...again.headers, 'idempotency-replayed': 'true' } }
}

function bodyText(route: Route, { headers, body, isBase64Encoded }: GatewayEvent): string {
  const isEmpty = body === undefined || body === ''
  if (isEmpty) return ''
  if (route.body === undefined) {
    throw badRequest([
      { in: 'body', path: '', code: 'body.unexpected', message: 'this route takes no body. Leave it out.' },
    ])
  }
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(headers['content-type'] ?? '')) {
    throw new Problem('unsupported-media-type', 'send JSON, with Content-Type: application/json')
  }
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw new Problem('unsupported-media-type', 'send the body as it is, without Content-Encoding')
  }
  const most = route.mostBytes ?? MOST_BYTES
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8')
  if (bytes > most) throw new Problem('too-large', `the body has ${bytes} bytes; ${most} is the most`)
  return decodeBody(body, isBase64Encoded)
}

/** Letters, digits and . _ ~ / - are all that a decoded path may hold. */
function refuseBadNames(params: Readonly<Record<string, string>>): void {
  const faults = Object.entries(params).flatMap(([field, value]) => {
    const isName = field === 'namespace' || field === 'name'
    const isFine = isName ? NAME.test(value) : /^[A-Za-z0-9._~-]{1,200}$/.test(value)
    if (isFine) return []
    const rule = isName ? NAME_RULE : 'Use letters, digits and . _ ~ -'
    return [{ in: 'path', path: `/${field}`, code: 'path.value', message: `got ${quote(value)}. ${rule}.` } as const]
  })
  if (faults.length > 0) throw badRequest(faults)
}

function versionAsked(route: Route, headers: GatewayEvent['headers']): number | 'any' | undefined {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  if (route.isConditional !== true || (match === undefined && noneMatch === undefined)) return undefined
  if (match !== undefined && noneMatch !== undefined) {
    throw badRequest([headerFault('If-Match', 'Use If-Match or If-None-Match, not both')])
  }
  if (noneMatch !== undefined) {
    if (noneMatch.trim() === '*') return 0
    throw badRequest([headerFault('If-None-Match', 'Use *, which creates only')])
  }
  if (match?.trim() === '*') return 'any'
  const [, version] = /^"([1-9]\d{0,8})"$/.exec(match?.trim() ?? '') ?? []
  if (version === undefined) throw badRequest([headerFault('If-Match', 'Use an ETag as it was answered, such as "7"')])
  return Number(version)
}

function requestOf(route: Route, event: GatewayEvent, { key }: Caller, text: string): Request | null {
  const sent = event.headers['idempotency-key']
  if (route.isIdempotent !== true || sent === undefined) return null
  if (!/^[\x21-\x7e]{1,255}$/.test(sent)) {
    throw badRequest([headerFault('Idempotency-Key', 'Use 1 to 255 visible ASCII characters')])
  }
  const digest = (value: string) => createHash('sha256').update(value).digest('hex')
  return { hash: digest(`${key.id}\n${event.rawPath}\n${sent}`), bodyHash: digest(text) }
}

function written({ status, body, text, headers = {} }: Answer, trace: Trace, method: string): GatewayResult {
  const content = text?.content ?? (body === undefined ? '' : JSON.stringify(body))
  const type = text?.type ?? 'application/json'
  return {
    statusCode: status,
    headers: {
      ...SECURITY_HEADERS,
      ...trace.headers,
      'x-request-id': trace.requestId,
      ...(content === '' ? {} : { 'content-type': type }),
      ...headers,
    },
    body: method === 'HEAD' ? '' : content,
  }
}

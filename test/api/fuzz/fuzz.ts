// Sends made-up requests to the API and holds every answer against what is promised of all of them: no 5xx, no hang, no exception,
// nothing that the document does not say, nothing accepted that it does not take, and nothing changed by what was refused.

import type { GatewayEvent } from '../../../functions/http/gateway.ts'
import { READ_ONLY_FIELDS } from '../../../functions/http/schemas/job.ts'
import { READ_ONLY_OF_THINGS } from '../../../functions/http/schemas/things.ts'
import { type Timed, timed } from '../../support/api/blocking.ts'
import { answerFits, takes } from '../../support/api/document.ts'
import { memoryWorld, type OpenedApi, openApi } from '../../support/api/open-api.ts'
import { pass } from '../../support/api/pass.ts'
import { type Watched, watched } from '../../support/api/watched.ts'
import { createRandom } from '../../support/random-cron/random.ts'
import { type Known, type Made, makeRequest, OPERATIONS } from './request.ts'

export interface Verdict {
  readonly seed: number
  readonly requests: number
  readonly byStatus: Readonly<Record<string, number>>
  readonly slowest: { readonly ms: number; readonly request: string }
  /** What kept the event loop to itself for longest. */
  readonly longestTurn: { readonly ms: number; readonly request: string }
  /** Operations of which no request was accepted: nothing is known about them. */
  readonly neverAccepted: readonly string[]
  readonly faults: readonly string[]
}

/** A new world after so many requests, so that things and runs do not pile up. */
const REQUESTS_A_WORLD = 2000
const HANG_MS = 1000
/** Twice what is promised, because now and then the garbage of other requests is collected during one. */
const MOST_TURN_MS = 100
const MOST_FAULTS = 20

interface Round {
  readonly opened: OpenedApi
  readonly loop: Timed
  readonly writes: Watched
  readonly known: Known
}

async function openRound(): Promise<Round> {
  const made = memoryWorld()
  const writes = watched(made.world)
  const file = { type: 'text/html', content: '<!doctype html>' }
  const opened = await openApi(
    { docs: (name) => (name === 'index.html' ? file : null) },
    { ...made, world: writes.world },
  )
  await furnish(opened)
  writes.taken()
  return { opened, loop: timed(opened.api), writes, known: { runs: [], keys: [] } }
}

/** Some things that most requests are about. */
async function furnish({ ask }: OpenedApi): Promise<void> {
  for (const namespace of ['shared', 'default']) {
    await ask('PUT', `/v1/calendars/${namespace}/report`, { body: { dates: ['2026-12-25'] } })
    await ask('PUT', `/v1/templates/${namespace}/report`, { body: { schedules: [{ every: 60 }] } })
  }
  for (const name of ['job-1', 'job-2', 'job-3', 'report']) {
    const body = { schedules: [{ every: 30 }], target: { type: 'handler', handler: 'echo' } }
    await ask('PUT', `/v1/jobs/default/${name}`, { body })
    await ask('PUT', `/v1/jobs/billing/${name}`, { body })
  }
}

export async function fuzz(seed: number, requests: number): Promise<Verdict> {
  const random = createRandom(seed)
  const byStatus: Record<string, number> = {}
  const accepted = new Set<string>()
  const faults: string[] = []
  let slowest = { ms: 0, request: '' }
  let longestTurn = slowest
  let round = await openRound()
  for (let number = 1; number <= requests && faults.length < MOST_FAULTS; number++) {
    if (number % REQUESTS_A_WORLD === 0) round = await openRound()
    if (random.chance(0.1)) await pass(round.opened, random.pick([1, 60, 600]))
    const made = makeRequest(random, round.opened.admin, round.known)
    const told = await asked(round, made)
    const { ms } = told
    byStatus[told.status] = (byStatus[told.status] ?? 0) + 1
    if (told.status < 300 && made.event.requestContext.http.method === made.operation.method) {
      accepted.add(made.operation.operationId)
    }
    if (ms > slowest.ms) slowest = { ms, request: shown(made.event) }
    const turnMs = round.loop.blockedMs()
    if (turnMs > longestTurn.ms) longestTurn = { ms: turnMs, request: shown(made.event) }
    const all = [
      ...told.faults,
      ...(ms > HANG_MS ? [`took ${Math.round(ms)} ms`] : []),
      ...(turnMs > MOST_TURN_MS ? [`kept the event loop for ${Math.round(turnMs)} ms`] : []),
    ]
    faults.push(...all.map((fault) => `request ${number} of seed ${seed}: ${fault}\n  ${shown(made.event)}`))
  }
  const neverAccepted = OPERATIONS.map(({ operationId }) => operationId).filter((each) => !accepted.has(each))
  return { seed, requests, byStatus, slowest, longestTurn, neverAccepted, faults }
}

const shown = ({ requestContext, rawPath, rawQueryString, headers, body = '' }: GatewayEvent): string => {
  const { authorization: _, host: __, 'content-type': ___, ...rest } = headers
  const text = `${requestContext.http.method} ${rawPath}?${rawQueryString} ${JSON.stringify(rest)} ${body}`
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text
}

interface Told {
  readonly status: number
  readonly ms: number
  readonly faults: readonly string[]
}

async function asked(round: Round, made: Made): Promise<Told> {
  const { event, operation } = made
  const { method } = event.requestContext.http
  const faults: string[] = []
  const startedMs = performance.now()
  try {
    const { statusCode: status, headers, body } = await round.loop.api(event)
    const ms = performance.now() - startedMs
    const written = round.writes.taken()
    const isJson = headers['content-type']?.includes('json') === true && body !== ''
    const json: unknown = isJson ? JSON.parse(body) : undefined
    answerFits(method, event.rawPath, status, json)
    remember(round.known, headers.location)
    if (status >= 500) faults.push(`answered ${status}: ${round.opened.lines.at(-1)}`)
    if (status >= 400 && written.length > 0) faults.push(`answered ${status} and wrote ${written.join(', ')}`)
    if (status < 400 && event.rawQueryString.includes('dryRun=true') && written.length > 0) {
      faults.push(`a dry run wrote ${written.join(', ')}`)
    }
    if (status < 400 && method === operation.method && isForbidden(made)) {
      faults.push(`answered ${status} to a body that the document does not take`)
    }
    return { status, ms, faults }
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error))
    return { status: 0, ms: performance.now() - startedMs, faults }
  }
}

function remember({ runs, keys }: Known, location: string | undefined): void {
  const [, kind, id] = /^\/v1\/(runs|keys)\/(.+)$/.exec(location ?? '') ?? []
  if (kind === 'runs') runs.push(id)
  if (kind === 'keys') keys.push(id)
}

/** Whether a body can be read and does not fit what the document says of it; an answer can be sent back, so read-only fields are left out. */
function isForbidden({ event, operation }: Made): boolean {
  const { body, isBase64Encoded } = event
  if (operation.body === null || body === undefined || body === '' || isBase64Encoded) return false
  const value: unknown = JSON.parse(body)
  const ignored =
    operation.method !== 'PUT' ? [] : operation.operationId === 'putJob' ? READ_ONLY_FIELDS : READ_ONLY_OF_THINGS
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const sent = isObject
    ? Object.fromEntries(Object.entries(value).filter(([field]) => !ignored.includes(field)))
    : value
  return !takes(operation.method, operation.path, sent)
}

// The API without a network: its door on stores in memory, or on any other world, with a key of every role. Every answer is held
// against the document, so that no test can see one that does not fit.

import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { type Api, makeApi } from '../../../functions/http/door.ts'
import type { GatewayResult } from '../../../functions/http/gateway.ts'
import { apiWorldOf } from '../../../functions/http/open-world.ts'
import type { ApiSettings, ApiWorld } from '../../../functions/http/world.ts'
import type { Thawing } from '../../../functions/thaw.ts'
import { keyText, type StoredKey } from '../../../shared/core/access/key.ts'
import type { Role } from '../../../shared/core/access/role.ts'
import { SYSTEM } from '../../../shared/core/actor.ts'
import type { TickWorld } from '../../../shared/flow/tick-world.ts'
import { MemoryQueue } from '../memory/queue.ts'
import { memoryStores } from '../memory/stores.ts'
import { answerFits } from './document.ts'

export interface ApiRequest {
  readonly key?: string | null
  readonly body?: unknown
  /** The body as it is, where it is no JSON of ours. */
  readonly raw?: string
  /** `raw` is bytes in base64. */
  readonly isBase64?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The JSON of the answer, or undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
  readonly text: string
}

export interface OpenedApi {
  readonly api: Api
  readonly world: ApiWorld
  readonly admin: string
  /** Moves the clock. */
  advance(seconds: number): void
  nowMs(): number
  lines: string[]
  ask(method: string, pathAndQuery: string, asked?: ApiRequest): Promise<Answered>
  makeKey(role: Role, namespaces: readonly string[], more?: Partial<StoredKey>): Promise<string>
}

const START_MS = Date.parse('2027-02-10T10:00:00.500Z')
export const HOST = '127.0.0.1:4620'

const SETTINGS: ApiSettings = {
  hosts: [HOST],
  origins: [],
  requestsPerMinute: 1_000_000,
  ledgerDays: 400,
  version: '0.1.0',
  openapi: async () => '{"openapi":"3.1.0"}',
  docs: () => null,
}

export function memoryWorld(): { world: TickWorld & Thawing; advance(seconds: number): void; nowMs(): number } {
  let nowMs = START_MS
  const clock = { nowMs: () => nowMs }
  let ids = 0
  const queue = () => new MemoryQueue(clock.nowMs)
  const world: TickWorld & Thawing = {
    ...memoryStores(2),
    clock,
    shardCount: 2,
    hopSeconds: 1,
    queues: { fast: queue(), slow: queue() },
    watch: queue(),
    bus: { put: async () => {} },
    until: async (ms) => {
      nowMs = Math.max(nowMs, ms)
    },
    newId: () => {
      ids += 1
      return createHash('sha256').update(String(ids)).digest('hex').slice(0, 32)
    },
    warn: () => {},
    thaw: async () => {},
  }
  return {
    world,
    nowMs: clock.nowMs,
    advance: (seconds) => {
      nowMs += seconds * 1000
    },
  }
}

export async function openApi(settings: Partial<ApiSettings> = {}, made = memoryWorld()): Promise<OpenedApi> {
  await made.world.shards.make(made.world.shardCount, Math.floor(made.nowMs() / 1000))
  const world = apiWorldOf(made.world, { ...SETTINGS, ...settings })
  const lines: string[] = []
  const api = makeApi(world, { line: (text) => lines.push(text), nowMs: made.nowMs })
  const makeKey: OpenedApi['makeKey'] = async (role, namespaces, more = {}) => {
    const id = `k${randomBytes(4).toString('hex')}`
    const secret = randomBytes(40).toString('hex').slice(0, 43)
    const key: StoredKey = {
      id,
      name: `${role}-key`,
      role,
      namespaces: [...namespaces],
      digest: createHash('sha256').update(secret).digest('hex'),
      previous: null,
      createdAtMs: made.nowMs(),
      expiresAt: null,
      lastUsedAtMs: null,
      ...more,
    }
    const { revision } = await world.apiKeys.all()
    const audit = {
      id: world.newId(),
      atMs: made.nowMs(),
      by: SYSTEM,
      action: 'key.create',
      namespace: '*',
      target: id,
      reason: null,
      operation: null,
      versionBefore: null,
      versionAfter: null,
      changes: [],
      requestId: null,
    } as const
    expect(await world.apiKeys.write({ put: key }, revision, audit)).toBe(true)
    return keyText(id, secret)
  }
  const admin = await makeKey('admin', ['*'])
  return { ...made, api, world, admin, lines, makeKey, ask: (...of) => ask(api, admin, ...of) }
}

export async function ask(
  api: Api,
  admin: string,
  method: string,
  pathAndQuery: string,
  { key = admin, body, raw, isBase64 = false, headers = {} }: ApiRequest = {},
): Promise<Answered> {
  const [path, query = ''] = pathAndQuery.split(/\?(.*)/s)
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const result: GatewayResult = await api({
    version: '2.0',
    rawPath: path,
    rawQueryString: query,
    headers: {
      host: HOST,
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    requestContext: { http: { method } },
    ...(text === undefined ? {} : { body: text }),
    isBase64Encoded: isBase64,
  })
  const isJson = result.headers['content-type']?.includes('json') === true && result.body !== ''
  const json = isJson ? JSON.parse(result.body) : undefined
  answerFits(method, path, result.statusCode, json)
  return { status: result.statusCode, headers: result.headers, json, text: result.body }
}

// Routes of namespaces, keys, the audit trail, and what a key may do.

import type { StoredKey } from '../../../shared/core/access/key.ts'
import { keyIdOf } from '../../../shared/core/access/key.ts'
import { type NamespaceSettings, NO_SETTINGS, namespaceBody } from '../../../shared/core/access/namespace.ts'
import { coversAll } from '../../../shared/core/access/role.ts'
import { type AuditEntry, NO_NAMESPACE } from '../../../shared/core/audit-entry.ts'
import { InvalidInput } from '../../../shared/core/job/invalid.ts'
import { parseInstant } from '../../../shared/core/time/instant.ts'
import {
  createKey,
  deleteKey,
  isVisible,
  type KeyAsking,
  rotateKey,
  visible,
} from '../../../shared/flow/access/keys.ts'
import { type AuditPosition, searchAudit } from '../../../shared/flow/access/search-audit.ts'
import { planned, unlessRefused } from '../../../shared/flow/idempotency.ts'
import { Refusal } from '../../../shared/flow/refusals.ts'
import { writeDocument } from '../../../shared/flow/write-document.ts'
import type { Versioned } from '../../../shared/ports.ts'
import { instantText, momentText } from '../answers/times.ts'
import { askingOf, DEFAULT_LIMIT, etag, objectBody, REPLAYED, readBody, secondNow, without } from '../call.ts'
import { isPair, pageOf, readCursor, writeCursor } from '../cursor.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import { MOST_BATCH_ITEMS } from '../schemas/job.ts'
import {
  auditList,
  auditQuery,
  keyAnswer,
  keyBody,
  keyList,
  keyWithSecret,
  me,
  namespaceAnswer,
  namespaceList,
  pageQuery,
  READ_ONLY_OF_THINGS,
  rotateBody,
} from '../schemas/things.ts'
import { nothingFires } from './jobs.ts'

// Namespaces

const jobsIn = async ({ world }: Call, namespace: string): Promise<number> =>
  (await world.directory.matching({ sees: () => true, namespace })).length

async function namespaceBodyOf(call: Call, name: string, of: Versioned<NamespaceSettings> | null): Promise<object> {
  const { limits, notify } = of?.value ?? NO_SETTINGS
  return {
    name,
    jobs: await jobsIn(call, name),
    limits,
    notify,
    version: of?.value == null ? 0 : of.version,
    updatedAt: momentText(of?.value == null ? null : of.updatedAtMs),
  }
}

async function putNamespace(call: Call): Promise<Answer> {
  const { name } = call.params
  const value = readBody(namespaceBody, without(objectBody(call.body), READ_ONLY_OF_THINGS))
  const thing = { kind: 'namespace', namespace: NO_NAMESPACE, name } as const
  const mutation = await writeDocument(call.world, call.world.namespaces, thing, value, askingOf(call))
  if (call.isDryRun) return nothingFires(mutation.result, mutation.changes)
  call.world.limits.forget(name)
  return {
    status: mutation.result === 'CREATED' ? 201 : 200,
    body: await namespaceBodyOf(call, name, mutation.after),
    headers: { ...etag(mutation.after.version), ...(mutation.result === 'CREATED' ? { location: call.path } : {}) },
  }
}

async function deleteNamespace(call: Call): Promise<Answer> {
  const { name } = call.params
  const thing = { kind: 'namespace', namespace: NO_NAMESPACE, name } as const
  const { result } = await writeDocument(call.world, call.world.namespaces, thing, null, askingOf(call), async () => {
    const jobs = await jobsIn(call, name)
    if (jobs > 0) throw new Refusal('conflict', `the namespace ${name} has ${jobs} jobs. Delete them first`)
  })
  call.world.limits.forget(name)
  return call.isDryRun ? nothingFires(result) : { status: 204 }
}

async function listNamespaces(call: Call): Promise<Answer> {
  const made = await call.world.namespaces.list(NO_NAMESPACE)
  const jobs = await call.world.directory.all()
  const names = new Set([...made.map(({ name }) => name), ...jobs.map(({ definition }) => definition.namespace)])
  const { limit = DEFAULT_LIMIT } = call.query as { limit?: number }
  const page = pageOf(call, [...names].filter(call.caller.sees), (name) => name, limit)
  const items = await Promise.all(
    page.items.map((name) => namespaceBodyOf(call, name, made.find((each) => each.name === name) ?? null)),
  )
  return { status: 200, body: { items, next: page.next } }
}

// Keys

const keyBodyOf = (key: StoredKey) => ({
  id: key.id,
  name: key.name,
  role: key.role,
  namespaces: key.namespaces,
  createdAt: momentText(key.createdAtMs),
  expiresAt: instantText(key.expiresAt),
  lastUsedAt: momentText(key.lastUsedAtMs),
  previousUntil: instantText(key.previous?.until),
})

const keyAskingOf = ({ caller, requestId, isDryRun }: Call): KeyAsking => ({
  by: caller.actor,
  requestId,
  namespaces: caller.key.namespaces,
  isDryRun,
})

const ID_BYTES = 8

/** The id is decided before the key is made, so that a repeated request makes none again; its secret is not shown again. */
async function postKey(call: Call): Promise<Answer> {
  const { expiresAt, ...wanted } = readBody(keyBody, call.body)
  const end = expiresAt === null ? null : parseInstant(expiresAt, 'expiresAt')
  if (end !== null && end <= secondNow(call)) {
    const message = `got "${expiresAt}", which is past. Use a later time, or leave it out.`
    throw new InvalidInput([{ path: '/expiresAt', code: 'key.expired', message }])
  }
  const fresh = keyIdOf(call.world.entropy(ID_BYTES))
  const { plan: id, isReplay, answer } = await planned(call.world, call.request, fresh)
  const headers = { location: `/v1/keys/${id}`, ...(isReplay ? REPLAYED : {}) }
  // The key may have been deleted since: what was answered is answered again, and no key is made.
  if (answer !== null) return { status: 201, body: JSON.parse(answer), headers }
  const { key, secret } = await unlessRefused(call.world, call.request, () =>
    createKey(call.world, id, { ...wanted, expiresAt: end }, keyAskingOf(call)),
  )
  if (call.isDryRun) return nothingFires('CREATED')
  const body = keyBodyOf(key)
  if (call.request !== null) await call.world.idempotency.answer(call.request.hash, JSON.stringify(body))
  return { status: 201, body: { ...body, ...(secret === null ? {} : { secret }) }, headers }
}

/** Which secret it is to replace is written down first: a repeated request must not take away what the first one showed. */
async function rotate(call: Call): Promise<Answer> {
  const { overlap: overlapSeconds } = readBody(rotateBody, call.body)
  const { id } = call.params
  const { digest } = visible((await call.world.apiKeys.all()).keys, id, keyAskingOf(call))
  const { plan, isReplay } = await planned(call.world, call.request, digest)
  const fromDigest = call.request === null ? null : plan
  const { key, secret } = await unlessRefused(call.world, call.request, () =>
    rotateKey(call.world, id, { overlapSeconds, fromDigest }, keyAskingOf(call)),
  )
  if (call.isDryRun) return nothingFires('UPDATED')
  if (call.request !== null && !isReplay) await call.world.idempotency.answer(call.request.hash, id)
  call.world.authenticator.forget(id)
  return {
    status: 200,
    body: { ...keyBodyOf(key), ...(secret === null ? {} : { secret }) },
    headers: isReplay ? REPLAYED : {},
  }
}

// Audit

const auditBodyOf = ({ atMs, ...entry }: AuditEntry) => ({ ...entry, at: momentText(atMs) })

const isAuditPosition = (value: unknown): value is AuditPosition => isPair(value) && typeof value[0] === 'number'
const AUDIT_DAYS = 400

async function listAudit(call: Call): Promise<Answer> {
  const query = call.query as {
    namespace?: string
    by?: string
    action?: string
    target?: string
    from?: number
    to?: number
    limit?: number
  }
  const nowMs = call.world.clock.nowMs()
  const { key, sees } = call.caller
  const page = await searchAudit(call.world.audit, {
    // What belongs to no namespace is for those who may do everything.
    sees: (namespace) => (namespace === NO_NAMESPACE ? coversAll(key.namespaces) : sees(namespace)),
    namespace: query.namespace,
    isWanted: ({ by, action, target }) =>
      (query.by === undefined || [by.id, by.name, by.type, by.onBehalfOf].includes(query.by)) &&
      (query.action === undefined || action === query.action) &&
      (query.target === undefined || target === query.target),
    fromMs: Math.max((query.from ?? 0) * 1000, nowMs - AUDIT_DAYS * 86_400_000),
    toMs: query.to === undefined ? nowMs + 60_000 : query.to * 1000,
    limit: query.limit ?? DEFAULT_LIMIT,
    after: readCursor(call, isAuditPosition),
  })
  const next = page.next === null ? null : writeCursor(call, page.next)
  return { status: 200, body: { items: page.items.map(auditBodyOf), next } }
}

const BODY_BYTES = 256 * 1024

const ADMIN = { access: 'admin' } as const

export const ACCESS_ROUTES: readonly Route[] = [
  route(
    {
      ...ADMIN,
      operationId: 'putNamespace',
      method: 'PUT',
      path: '/v1/namespaces/{name}',
      namespaceParam: 'name',
      tag: 'namespaces',
      summary: 'Set the limits of a namespace',
      description:
        'A namespace needs no making. limits.triggersPerMinute is counted in each environment of the function by itself.',
      isMutation: true,
      isConditional: true,
      body: namespaceBody,
      answers: {
        200: { description: 'The namespace', schema: namespaceAnswer },
        201: { description: 'The namespace, with limits from now on', schema: namespaceAnswer },
      },
    },
    putNamespace,
  ),
  route(
    {
      operationId: 'getNamespace',
      method: 'GET',
      path: '/v1/namespaces/{name}',
      namespaceParam: 'name',
      access: 'viewer',
      tag: 'namespaces',
      summary: 'Read a namespace',
      answers: { 200: { description: 'The namespace', schema: namespaceAnswer } },
    },
    async (call) => {
      const { name } = call.params
      const found = await call.world.namespaces.read(NO_NAMESPACE, name)
      const body = await namespaceBodyOf(call, name, found)
      // One that was never put has no version, so nothing to match.
      return { status: 200, body, headers: found?.value == null ? {} : etag(found.version) }
    },
  ),
  route(
    {
      ...ADMIN,
      operationId: 'deleteNamespace',
      method: 'DELETE',
      path: '/v1/namespaces/{name}',
      namespaceParam: 'name',
      tag: 'namespaces',
      summary: 'Forget the limits of a namespace without jobs',
      description: 'Its history stays, so never give the name to another customer.',
      isMutation: true,
      isConditional: true,
      answers: { 204: { description: 'Deleted', schema: null } },
    },
    deleteNamespace,
  ),
  route(
    {
      operationId: 'listNamespaces',
      method: 'GET',
      path: '/v1/namespaces',
      access: 'viewer',
      tag: 'namespaces',
      summary: 'Namespaces with jobs or limits',
      query: pageQuery,
      answers: { 200: { description: 'Namespaces', schema: namespaceList } },
    },
    listNamespaces,
  ),
  route(
    {
      operationId: 'me',
      method: 'GET',
      path: '/v1/me',
      access: 'any key',
      tag: 'access',
      summary: 'What my key may do',
      answers: { 200: { description: 'The key, the time, the limits', schema: me } },
    },
    async ({ world, caller: { key } }) => ({
      status: 200,
      body: {
        key: {
          id: key.id,
          name: key.name,
          role: key.role,
          namespaces: key.namespaces,
          expiresAt: instantText(key.expiresAt),
        },
        time: momentText(world.clock.nowMs()),
        version: world.settings.version,
        limits: {
          bodyBytes: BODY_BYTES,
          batchItems: MOST_BATCH_ITEMS,
          requestsPerMinute: world.settings.requestsPerMinute,
          ledgerDays: world.settings.ledgerDays,
        },
      },
    }),
  ),
  route(
    {
      ...ADMIN,
      operationId: 'createKey',
      method: 'POST',
      path: '/v1/keys',
      tag: 'access',
      summary: 'Make a key',
      description:
        'Its secret is shown once, in this answer. Only an admin whose namespaces cover all of its own may make it.',
      isMutation: true,
      isIdempotent: true,
      replay: 'own',
      body: keyBody,
      answers: { 201: { description: 'The key with its secret', schema: keyWithSecret } },
    },
    postKey,
  ),
  route(
    {
      ...ADMIN,
      operationId: 'listKeys',
      method: 'GET',
      path: '/v1/keys',
      tag: 'access',
      summary: 'Keys, without their secrets',
      query: pageQuery,
      answers: { 200: { description: 'Keys', schema: keyList } },
    },
    async (call) => {
      const { keys } = await call.world.apiKeys.all()
      const { limit = DEFAULT_LIMIT } = call.query as { limit?: number }
      const mine = keys.filter((key) => isVisible(key, keyAskingOf(call)))
      const { items, next } = pageOf(call, mine, ({ id }) => id, limit)
      return { status: 200, body: { items: items.map(keyBodyOf), next } }
    },
  ),
  route(
    {
      ...ADMIN,
      operationId: 'getKey',
      method: 'GET',
      path: '/v1/keys/{id}',
      tag: 'access',
      summary: 'One key, without its secret',
      answers: { 200: { description: 'The key', schema: keyAnswer } },
    },
    async (call) => {
      const { keys } = await call.world.apiKeys.all()
      return { status: 200, body: keyBodyOf(visible(keys, call.params.id, keyAskingOf(call))) }
    },
  ),
  route(
    {
      ...ADMIN,
      operationId: 'deleteKey',
      method: 'DELETE',
      path: '/v1/keys/{id}',
      tag: 'access',
      summary: 'Delete a key',
      description: 'It is refused everywhere within 10 s.',
      isMutation: true,
      answers: { 204: { description: 'Deleted', schema: null } },
    },
    async (call) => {
      await deleteKey(call.world, call.params.id, keyAskingOf(call))
      call.world.authenticator.forget(call.params.id)
      return call.isDryRun ? nothingFires('DELETED') : { status: 204 }
    },
  ),
  route(
    {
      ...ADMIN,
      operationId: 'rotateKey',
      method: 'POST',
      path: '/v1/keys/{id}/rotate',
      tag: 'access',
      summary: 'Give a key a new secret',
      description: 'The old one opens for the overlap, a day unless said otherwise.',
      isMutation: true,
      isIdempotent: true,
      replay: 'own',
      body: rotateBody,
      answers: { 200: { description: 'The key with its new secret', schema: keyWithSecret } },
    },
    rotate,
  ),
  route(
    {
      ...ADMIN,
      operationId: 'listAudit',
      method: 'GET',
      path: '/v1/audit',
      tag: 'access',
      summary: 'Who changed what, newest first',
      description: 'Kept 400 days. Entries about keys are for admins of *.',
      query: auditQuery,
      answers: { 200: { description: 'Entries', schema: auditList } },
    },
    listAudit,
  ),
]

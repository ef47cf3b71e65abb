// Who may do what, written down a second time: one line for each route, with its least role, where it names a tenant, and a request
// that works for a caller who may.

import type { Answered, OpenedApi } from '../../support/api/open-api.ts'

/** `path`: 404 before the role is asked. `thing`: what the id stands for. `list`: finds nothing. `wish`: a key that reaches further. */
export type TenantIn = 'path' | 'thing' | 'list' | 'items' | 'body' | 'wish' | 'nowhere'

export interface Wanted {
  readonly path: string
  readonly body?: unknown
}

export interface Line {
  readonly operationId: string
  readonly least: 'open' | 'any key' | 'viewer' | 'operator' | 'editor' | 'admin'
  readonly tenantIn: TenantIn
  /** The status for a caller who may. */
  readonly ok: number
  /** What every key may read in `shared`. */
  readonly isSharedReadable?: boolean
  request(fixtures: Fixtures, namespace: string): Promise<Wanted>
}

export const JOB = { schedules: [{ every: '30d' }], target: { type: 'handler', handler: 'echo' } }
const CALENDAR = { dates: ['2027-12-25'] }
const TEMPLATE = { schedules: [{ every: 60 }] }

/** Makes by an admin what a request needs: each has a thing of its own. */
export class Fixtures {
  readonly #opened: OpenedApi
  #made = 0

  constructor(opened: OpenedApi) {
    this.#opened = opened
  }

  newName(): string {
    this.#made += 1
    return `thing-${this.#made}`
  }

  async #put(path: string, body: object): Promise<string> {
    await this.#opened.ask('PUT', path, { body })
    return path
  }

  /** There is none in `shared`: its place is asked for all the same. */
  job(namespace: string): Promise<string> {
    return this.#put(`/v1/jobs/${namespace}/${this.newName()}`, JOB)
  }

  calendar(namespace: string): Promise<string> {
    return this.#put(`/v1/calendars/${namespace}/${this.newName()}`, CALENDAR)
  }

  template(namespace: string): Promise<string> {
    return this.#put(`/v1/templates/${namespace}/${this.newName()}`, TEMPLATE)
  }

  async run(namespace: string): Promise<string> {
    const { json, status } = await this.#opened.ask('POST', `${await this.job(namespace)}/trigger`)
    return status === 202 ? json.id : '48d0JiWAbQI.1794792600'
  }

  async endedRun(namespace: string): Promise<string> {
    const id = await this.run(namespace)
    await this.#opened.ask('POST', `/v1/runs/${id}/cancel`)
    return id
  }

  async key(namespace: string): Promise<string> {
    const [, id] = (await this.#opened.makeKey('viewer', [namespace])).split('_')
    return id
  }

  /** A change in a namespace that the audit tells of. */
  async audited(namespace: string): Promise<void> {
    await this.calendar(namespace)
  }
}

export const tenantsIn = ({ json, text }: Answered): string => JSON.stringify(json ?? text)

type Ask = Line['request']

const ofJob =
  (rest = '', body?: unknown): Ask =>
  async (fixtures, namespace) => ({
    path: `${await fixtures.job(namespace)}${rest}`,
    ...(body === undefined ? {} : { body }),
  })

const newThing =
  (plural: string, body: object): Ask =>
  async (fixtures, namespace) => ({ path: `/v1/${plural}/${namespace}/${fixtures.newName()}`, body })

const ofNamespace =
  (body?: object): Ask =>
  async (fixtures, namespace) => {
    await fixtures.job(namespace)
    return { path: `/v1/namespaces/${namespace}`, ...(body === undefined ? {} : { body }) }
  }

const inPath = { tenantIn: 'path' } as const
const viewer = { least: 'viewer', ok: 200 } as const
const operator = { least: 'operator', ok: 200 } as const
const editor = { least: 'editor', ok: 200 } as const
const admin = { least: 'admin', ok: 200 } as const
const open = { least: 'open', ok: 200, tenantIn: 'nowhere' } as const

const JOBS = '/v1/jobs/{namespace}/{name}'

export const POLICY: Readonly<Record<string, Line>> = {
  [`PUT ${JOBS}`]: { operationId: 'putJob', ...editor, ...inPath, ok: 201, request: newThing('jobs', JOB) },
  [`GET ${JOBS}`]: { operationId: 'getJob', ...viewer, ...inPath, request: ofJob() },
  [`PATCH ${JOBS}`]: { operationId: 'patchJob', ...editor, ...inPath, request: ofJob('', { priority: 1 }) },
  [`DELETE ${JOBS}`]: { operationId: 'deleteJob', ...editor, ...inPath, ok: 204, request: ofJob() },
  [`POST ${JOBS}/start`]: { operationId: 'startJob', ...operator, ...inPath, request: ofJob('/start') },
  [`POST ${JOBS}/stop`]: { operationId: 'stopJob', ...operator, ...inPath, request: ofJob('/stop') },
  [`POST ${JOBS}/trigger`]: { operationId: 'triggerJob', ...operator, ...inPath, ok: 202, request: ofJob('/trigger') },
  [`POST ${JOBS}/reschedule`]: {
    operationId: 'rescheduleJob',
    ...operator,
    ...inPath,
    request: ofJob('/reschedule', { at: null }),
  },
  [`GET ${JOBS}/versions`]: { operationId: 'jobVersions', ...viewer, ...inPath, request: ofJob('/versions') },
  [`GET ${JOBS}/preview`]: { operationId: 'previewJob', ...viewer, ...inPath, request: ofJob('/preview') },
  [`GET ${JOBS}/runs`]: { operationId: 'listJobRuns', ...viewer, ...inPath, request: ofJob('/runs') },
  'GET /v1/jobs': {
    operationId: 'listJobs',
    ...viewer,
    tenantIn: 'list',
    request: async (fixtures, namespace) => {
      await fixtures.job(namespace)
      return { path: `/v1/jobs?namespace=${namespace}` }
    },
  },
  'POST /v1/jobs/batch': {
    operationId: 'batchJobs',
    ...operator,
    tenantIn: 'items',
    request: async (fixtures, namespace) => {
      const name = (await fixtures.job(namespace)).split('/').at(-1)
      return { path: '/v1/jobs/batch', body: { items: [{ stop: { namespace, name } }] } }
    },
  },
  'POST /v1/preview': {
    operationId: 'preview',
    ...viewer,
    tenantIn: 'body',
    request: async (_, namespace) => ({ path: '/v1/preview', body: { namespace, schedules: [{ every: 60 }] } }),
  },
  'GET /v1/runs': {
    operationId: 'listRuns',
    ...viewer,
    tenantIn: 'list',
    request: async (fixtures, namespace) => {
      await fixtures.run(namespace)
      return { path: `/v1/runs?namespace=${namespace}` }
    },
  },
  'GET /v1/runs/{id}': {
    operationId: 'getRun',
    ...viewer,
    tenantIn: 'thing',
    request: async (fixtures, namespace) => ({ path: `/v1/runs/${await fixtures.run(namespace)}` }),
  },
  'POST /v1/runs/{id}/cancel': {
    operationId: 'cancelRun',
    ...operator,
    tenantIn: 'thing',
    request: async (fixtures, namespace) => ({ path: `/v1/runs/${await fixtures.run(namespace)}/cancel` }),
  },
  'POST /v1/runs/{id}/retry': {
    operationId: 'retryRun',
    ...operator,
    tenantIn: 'thing',
    ok: 202,
    request: async (fixtures, namespace) => ({ path: `/v1/runs/${await fixtures.endedRun(namespace)}/retry` }),
  },
  'PUT /v1/calendars/{namespace}/{name}': {
    operationId: 'putCalendar',
    ...editor,
    ...inPath,
    ok: 201,
    request: newThing('calendars', CALENDAR),
  },
  'GET /v1/calendars/{namespace}/{name}': {
    operationId: 'getCalendar',
    ...viewer,
    ...inPath,
    isSharedReadable: true,
    request: async (fixtures, namespace) => ({ path: await fixtures.calendar(namespace) }),
  },
  'DELETE /v1/calendars/{namespace}/{name}': {
    operationId: 'deleteCalendar',
    ...editor,
    ...inPath,
    ok: 204,
    request: async (fixtures, namespace) => ({ path: await fixtures.calendar(namespace) }),
  },
  'GET /v1/calendars': {
    operationId: 'listCalendars',
    ...viewer,
    tenantIn: 'list',
    isSharedReadable: true,
    request: async (fixtures, namespace) => {
      await fixtures.calendar(namespace)
      return { path: `/v1/calendars?namespace=${namespace}` }
    },
  },
  'PUT /v1/templates/{namespace}/{name}': {
    operationId: 'putTemplate',
    ...editor,
    ...inPath,
    ok: 201,
    request: newThing('templates', TEMPLATE),
  },
  'GET /v1/templates/{namespace}/{name}': {
    operationId: 'getTemplate',
    ...viewer,
    ...inPath,
    isSharedReadable: true,
    request: async (fixtures, namespace) => ({ path: await fixtures.template(namespace) }),
  },
  'DELETE /v1/templates/{namespace}/{name}': {
    operationId: 'deleteTemplate',
    ...editor,
    ...inPath,
    ok: 204,
    request: async (fixtures, namespace) => ({ path: await fixtures.template(namespace) }),
  },
  'GET /v1/templates': {
    operationId: 'listTemplates',
    ...viewer,
    tenantIn: 'list',
    isSharedReadable: true,
    request: async (fixtures, namespace) => {
      await fixtures.template(namespace)
      return { path: `/v1/templates?namespace=${namespace}` }
    },
  },
  'PUT /v1/namespaces/{name}': { operationId: 'putNamespace', ...admin, ...inPath, ok: 201, request: ofNamespace({}) },
  'GET /v1/namespaces/{name}': { operationId: 'getNamespace', ...viewer, ...inPath, request: ofNamespace() },
  // Its jobs stand in the way: 409 says that the caller came through.
  'DELETE /v1/namespaces/{name}': {
    operationId: 'deleteNamespace',
    ...admin,
    ...inPath,
    ok: 409,
    request: ofNamespace(),
  },
  'GET /v1/namespaces': {
    operationId: 'listNamespaces',
    ...viewer,
    tenantIn: 'list',
    request: async () => ({ path: '/v1/namespaces' }),
  },
  'GET /v1/me': {
    operationId: 'me',
    least: 'any key',
    tenantIn: 'nowhere',
    ok: 200,
    request: async () => ({ path: '/v1/me' }),
  },
  'POST /v1/keys': {
    operationId: 'createKey',
    ...admin,
    tenantIn: 'wish',
    ok: 201,
    request: async (_, namespace) => ({
      path: '/v1/keys',
      body: { name: 'made', role: 'viewer', namespaces: [namespace] },
    }),
  },
  'GET /v1/keys': {
    operationId: 'listKeys',
    ...admin,
    tenantIn: 'list',
    request: async (fixtures, namespace) => {
      await fixtures.key(namespace)
      return { path: '/v1/keys?limit=100' }
    },
  },
  'GET /v1/keys/{id}': {
    operationId: 'getKey',
    ...admin,
    tenantIn: 'thing',
    request: async (fixtures, namespace) => ({ path: `/v1/keys/${await fixtures.key(namespace)}` }),
  },
  'DELETE /v1/keys/{id}': {
    operationId: 'deleteKey',
    ...admin,
    tenantIn: 'thing',
    ok: 204,
    request: async (fixtures, namespace) => ({ path: `/v1/keys/${await fixtures.key(namespace)}` }),
  },
  'POST /v1/keys/{id}/rotate': {
    operationId: 'rotateKey',
    ...admin,
    tenantIn: 'thing',
    request: async (fixtures, namespace) => ({ path: `/v1/keys/${await fixtures.key(namespace)}/rotate` }),
  },
  'GET /v1/audit': {
    operationId: 'listAudit',
    ...admin,
    tenantIn: 'list',
    request: async (fixtures, namespace) => {
      await fixtures.audited(namespace)
      return { path: `/v1/audit?namespace=${namespace}` }
    },
  },
  'GET /v1/health': { operationId: 'health', ...open, request: async () => ({ path: '/v1/health' }) },
  'GET /v1/openapi.json': { operationId: 'openapi', ...open, request: async () => ({ path: '/v1/openapi.json' }) },
  'GET /docs': { operationId: 'docs', ...open, request: async () => ({ path: '/docs' }) },
  'GET /docs/{file}': { operationId: 'docsFile', ...open, request: async () => ({ path: '/docs/index.html' }) },
}

// The OpenAPI document, made from the table of routes. It is made while bundling and at a local start, and never by a function.

import * as z from 'zod'
import { createDocument, type ZodOpenApiOperationObject } from 'zod-openapi'
import { actorSchema } from '../../shared/core/actor.ts'
import { json as anyJson, BLOCKS, jobSchema, MISFIRES, TARGETS } from '../../shared/core/job/job.ts'
import { atSchema, cronSchema, everySchema, scheduleSchema } from '../../shared/core/schedule/schedule.ts'
import { PROBLEMS, type ProblemCode } from '../http/problem.ts'
import type { Route } from '../http/route.ts'
import { ROUTES } from '../http/routes.ts'
import { fault, problem } from '../http/schemas/common.ts'
import * as jobs from '../http/schemas/job.ts'
import * as runs from '../http/schemas/run.ts'
import * as things from '../http/schemas/things.ts'
import { DRY_RUN, EXAMPLES } from './examples.ts'

/** Names of schemas in the document. */
const SCHEMAS = {
  Json: anyJson,
  Actor: actorSchema,
  CronSchedule: cronSchema,
  EverySchedule: everySchema,
  AtSchedule: atSchema,
  Schedule: scheduleSchema,
  ...MISFIRES,
  ...BLOCKS,
  ...TARGETS,
  JobDefinition: jobSchema,
  JobBody: jobs.jobBody,
  JobPatch: jobs.jobPatch,
  Job: jobs.jobAnswer,
  JobWritten: jobs.jobWritten,
  JobSummary: jobs.jobSummary,
  JobList: jobs.jobList,
  DryRun: jobs.dryRun,
  ...jobs.BATCH_ITEMS,
  BatchBody: jobs.batchBody,
  BatchAnswer: jobs.batchAnswer,
  PreviewBody: jobs.previewBody,
  Preview: jobs.previewAnswer,
  VersionList: jobs.versionList,
  Run: runs.runAnswer,
  RunSummary: runs.runSummary,
  RunList: runs.runList,
  Calendar: things.calendarAnswer,
  Template: things.templateAnswer,
  Namespace: things.namespaceAnswer,
  Key: things.keyAnswer,
  KeyWithSecret: things.keyWithSecret,
  AuditEntry: things.auditEntry,
  Me: things.me,
  Health: things.health,
  Problem: problem,
  Fault: fault,
}

const PROBLEM_CONTENT = { 'application/problem+json': { schema: problem } }

/** What any route may answer beside its own. */
function problemsOf(route: Route): Record<string, object> {
  const codes: ProblemCode[] = [
    'bad-request',
    'bad-origin',
    'not-found',
    ...(route.access === 'open' ? [] : (['unauthorized', 'rate-limited'] as const)),
    ...(route.isMutation === true ? (['conflict'] as const) : []),
    ...(route.isConditional === true ? (['stale-version'] as const) : []),
    ...(route.body === undefined ? [] : (['too-large', 'unsupported-media-type', 'invalid'] as const)),
    'unavailable',
  ]
  const statuses = [...new Set(codes.map((code) => PROBLEMS[code][0]))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const of = Object.entries(PROBLEMS).filter(([, [each]]) => each === status)
      const description = of.map(([code, [, title]]) => `${code}: ${title}`).join('. ')
      return [String(status), { description, content: PROBLEM_CONTENT }]
    }),
  )
}

const HEADERS = {
  conditional: {
    'If-Match': z.string().optional().describe('An ETag: changes only that version'),
    'If-None-Match': z.string().optional().describe('*: creates only'),
  },
  idempotent: {
    'Idempotency-Key': z.string().optional().describe('1 to 255 visible ASCII characters, kept 24 h'),
  },
  waiting: { Prefer: z.string().optional().describe('wait=20: waits for the end, 25 s at most') },
  actor: { 'Tickring-Actor': z.string().optional().describe('On whose behalf, for the audit') },
}

function parametersOf(route: Route): NonNullable<ZodOpenApiOperationObject['requestParams']> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const dryRunFlag = { dryRun: z.enum(['', 'true', 'false']).optional().describe('Checks everything, changes nothing') }
  const header = {
    ...(route.isConditional === true ? HEADERS.conditional : {}),
    ...(route.isIdempotent === true ? HEADERS.idempotent : {}),
    ...(route.operationId === 'triggerJob' || route.operationId === 'retryRun' ? HEADERS.waiting : {}),
    ...(route.isMutation === true ? HEADERS.actor : {}),
  }
  return {
    ...(names.length === 0 ? {} : { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }),
    query: z.object({ ...route.query?.shape, ...(route.isMutation === true ? dryRunFlag : {}) }),
    ...(Object.keys(header).length === 0 ? {} : { header: z.object(header) }),
  }
}

function answersOf(route: Route): Record<string, object> {
  const example = EXAMPLES[route.operationId]
  const hasOwnDryRun = route.operationId === 'batchJobs'
  const own = Object.entries(route.answers).map(
    ([status, { description, schema, contentType = 'application/json' }]) => {
      if (schema === null) return [status, { description }]
      const isDry = route.isMutation === true && status === '200' && !hasOwnDryRun && schema !== jobs.dryRun
      const shown = isDry ? z.union([schema, jobs.dryRun]) : schema
      const told = example?.answers?.[Number(status)] ?? example?.answer
      const content = { schema: shown, ...(told === undefined ? {} : { example: told }) }
      return [status, { description, content: { [contentType]: content } }]
    },
  )
  const dry =
    route.isMutation === true && route.answers[200] === undefined
      ? {
          200: {
            description: 'A dry run: what would change',
            content: { 'application/json': { schema: jobs.dryRun, example: DRY_RUN } },
          },
        }
      : {}
  return { ...dry, ...Object.fromEntries(own) }
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const example = EXAMPLES[route.operationId]
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, route.access === 'open' ? 'Open.' : `Least role: ${route.access}.`]
      .filter((text) => text !== undefined)
      .join(' '),
    tags: [route.tag],
    ...(route.access === 'open' ? { security: [] } : {}),
    requestParams: parametersOf(route),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.body.safeParse({}).success,
            content: {
              'application/json': {
                schema: route.body,
                ...(example?.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }),
    responses: { ...answersOf(route), ...problemsOf(route) } as ZodOpenApiOperationObject['responses'],
  }
}

function pathsOf(routes: readonly Route[]): Record<string, Record<string, ZodOpenApiOperationObject>> {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    paths[route.path][route.method.toLowerCase()] = operationOf(route)
  }
  return paths
}

const TAGS: Readonly<Record<string, string>> = {
  jobs: 'What runs and when',
  runs: 'What ran, and what did not',
  calendars: 'Dates on which jobs do not run',
  templates: 'Schedules with a name',
  namespaces: 'Tenants and their limits',
  access: 'Keys and the audit trail',
  meta: 'The API itself',
}

const DESCRIPTION = `Jobs that fire on the second, exactly once.

Times are ISO 8601; answers are in Z. Durations in bodies are whole seconds, or text such as "90s", "5m", "2h", "1d". Lists are {items, next};
next goes back as cursor. A list of jobs shows every write acknowledged before it began; lists of runs may be 2 s behind. Unknown or repeated query parameters are refused. Errors are
application/problem+json with all faults at once. Clients ignore fields and values that they do not know: v1 only grows.`

/** `isStrict` keeps answers closed, for tests of our own; clients are told that they may grow. */
export function openApiDocument(version: string, isStrict = false): Document {
  const made = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Tickring',
        version,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      security: [{ key: [] }],
      paths: pathsOf(ROUTES),
      components: {
        schemas: SCHEMAS,
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: 'tkr_<keyId>_<secret>' },
        },
      },
    },
    {
      allowEmptySchema: { unknown: true, any: true },
      override: ({ jsonSchema, io }) => {
        if (io === 'output' && !isStrict && jsonSchema.additionalProperties === false)
          delete jsonSchema.additionalProperties
      },
    },
  )
  return tidied(JSON.parse(JSON.stringify(made)))
}

export interface Document {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g

/** Schemas that nothing refers to go, and one that is only ever answered has its plain name. */
function tidied(document: Document): Document {
  let current = document
  for (;;) {
    const { schemas } = current.components
    const text = JSON.stringify({ ...current, components: { ...current.components, schemas: null } })
    const used = reachable(text, schemas)
    const kept = Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)))
    current = { ...current, components: { ...current.components, schemas: kept } }
    const longName = Object.keys(kept).find((name) => name.endsWith('Output') && kept[name.slice(0, -6)] === undefined)
    if (longName === undefined) return current
    const plain = longName.slice(0, -6)
    const renamed = JSON.stringify(current)
      .replaceAll(`"#/components/schemas/${longName}"`, `"#/components/schemas/${plain}"`)
      .replace(`"${longName}":{`, `"${plain}":{`)
    current = JSON.parse(renamed)
  }
}

function reachable(text: string, schemas: Readonly<Record<string, unknown>>): Set<string> {
  const used = new Set<string>()
  const open = [text]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [, name] of next.matchAll(REFERENCE)) {
      if (used.has(name)) continue
      used.add(name)
      open.push(JSON.stringify(schemas[name] ?? null))
    }
  }
  return used
}

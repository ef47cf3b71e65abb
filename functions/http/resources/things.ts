// Routes of calendars and templates: versioned documents of a namespace that jobs take over.

import { SHARED_NAMESPACE } from '../../../shared/core/access/role.ts'
import { NO_NAMESPACE } from '../../../shared/core/audit-entry.ts'
import { DEFAULT_DST } from '../../../shared/core/cron/cron.ts'
import { InputError } from '../../../shared/core/errors.ts'
import { activeFromOf } from '../../../shared/core/job/edit.ts'
import { faultOfError, InvalidInput, pointer } from '../../../shared/core/job/invalid.ts'
import type { StoredJob } from '../../../shared/core/job/stored.ts'
import { type Calendar, calendarBody } from '../../../shared/core/schedule/calendar.ts'
import { compileSchedule } from '../../../shared/core/schedule/schedule.ts'
import { BUILT_IN_TEMPLATES, type Template, templateBody } from '../../../shared/core/schedule/template.ts'
import { applyCalendar, checkCalendar, jobsUsing } from '../../../shared/flow/calendars.ts'
import { compareFires } from '../../../shared/flow/compare-fires.ts'
import { notFound, Refusal } from '../../../shared/flow/refusals.ts'
import { type DocumentMutation, writeDocument } from '../../../shared/flow/write-document.ts'
import type { Versioned, VersionedDocuments } from '../../../shared/ports.ts'
import { firesAnswer } from '../answers/job.ts'
import { momentText } from '../answers/times.ts'
import { askingOf, DEFAULT_LIMIT, etag, objectBody, readBody, secondNow, without } from '../call.ts'
import { pageOf } from '../cursor.ts'
import { rest } from '../rest.ts'
import { type Answer, type Call, type Route, route } from '../route.ts'
import {
  calendarAnswer,
  calendarList,
  READ_ONLY_OF_THINGS,
  templateAnswer,
  templateList,
  thingQuery,
} from '../schemas/things.ts'
import { nothingFires } from './jobs.ts'

type Written<Value> = Versioned<Value> & { readonly value: Value }

const fullNameOf = ({ params }: Call): string => `${params.namespace}/${params.name}`

/** Namespaces whose things a caller may list: the one that it asked for, or those that its key names or that have jobs or limits. */
async function namespacesFor(call: Call): Promise<string[]> {
  const { namespace } = call.query as { namespace?: string }
  const isReadable = (each: string) => call.caller.sees(each) || each === SHARED_NAMESPACE
  if (namespace !== undefined) return isReadable(namespace) ? [namespace] : []
  const jobs = await call.world.directory.all()
  const made = await call.world.namespaces.list(NO_NAMESPACE)
  const all = new Set([
    SHARED_NAMESPACE,
    'default',
    ...call.caller.key.namespaces.filter((pattern) => !pattern.endsWith('*')),
    ...jobs.map(({ definition }) => definition.namespace),
    ...made.map(({ name }) => name),
  ])
  return [...all].filter(isReadable)
}

async function existing<Value>(call: Call, kind: string, store: VersionedDocuments<Value>): Promise<Written<Value>> {
  const found = await store.read(call.params.namespace, call.params.name)
  if (found === null || found.value === null) throw notFound(kind, fullNameOf(call))
  return { ...found, value: found.value }
}

function putAnswer<Value>(call: Call, { result, after }: DocumentMutation<Value>, body: object): Answer {
  return {
    status: result === 'CREATED' ? 201 : 200,
    body,
    headers: { ...etag(after.version), ...(result === 'CREATED' ? { location: call.path } : {}) },
  }
}

/** Those that the caller may know of: a calendar of `shared` is used by jobs of many tenants. */
const seenBy = ({ caller }: Call, jobs: readonly StoredJob[]): StoredJob[] =>
  jobs.filter(({ definition }) => caller.sees(definition.namespace))

function refuseUsed(call: Call, kind: string, using: readonly StoredJob[]): void {
  if (using.length === 0) return
  const [seen] = seenBy(call, using)
  const example =
    seen === undefined ? 'which this key does not see' : `as ${seen.definition.namespace}/${seen.definition.name}`
  throw new Refusal(
    'conflict',
    `the ${kind} ${fullNameOf(call)} is used by jobs, ${example}. Take it out of them first`,
  )
}

// Calendars

async function calendarBodyOf(call: Call, namespace: string, name: string, of: Written<Calendar>): Promise<object> {
  const fullName = `${namespace}/${name}`
  const pending = await call.world.pendingEdits.list()
  return {
    namespace,
    name,
    description: of.value.description,
    dates: of.value.dates,
    version: of.version,
    updatedAt: momentText(of.updatedAtMs),
    usedBy: seenBy(call, await jobsUsing(call.world.directory, fullName)).length,
    applied: !pending.some((edit) => edit.namespace === namespace && edit.name === name),
  }
}

async function putCalendar(call: Call): Promise<Answer> {
  const { namespace, name } = call.params
  const value = readBody(calendarBody, without(objectBody(call.body), READ_ONLY_OF_THINGS))
  checkCalendar(fullNameOf(call), value)
  const asking = askingOf(call)
  const mutation = await writeDocument(
    call.world,
    call.world.calendars,
    { kind: 'calendar', namespace, name },
    value,
    asking,
  )
  if (call.isDryRun) return calendarDryRun(call, mutation)
  // A repeated request heals one that broke off before it reached all jobs.
  await call.world.pendingEdits.put({ namespace, name, afterJob: null })
  await applyCalendar(call.world, call.world.directory, { namespace, name }, asking)
  return putAnswer(call, mutation, await calendarBodyOf(call, namespace, name, { ...mutation.after, value }))
}

const MOST_JOBS_COMPARED = 500

/** The fires of the jobs that use it and that the caller sees, with its old dates and with the new ones. */
async function calendarDryRun(call: Call, { result, after, changes }: DocumentMutation<Calendar>): Promise<Answer> {
  const fullName = fullNameOf(call)
  const jobs = seenBy(call, await jobsUsing(call.world.directory, fullName)).slice(0, MOST_JOBS_COMPARED)
  const pairs = jobs.map((job) => {
    const newest = job.versions[job.versions.length - 1]
    const calendars = (newest.timing.calendars ?? []).map((each) =>
      each.name === fullName ? { name: fullName, dates: after.value?.dates ?? [] } : each,
    )
    const next = { ...newest, timing: { ...newest.timing, calendars } }
    const { namespace, name } = job.definition
    return { jobId: job.id, fullName: `${namespace}/${name}`, before: job, after: { id: job.id, versions: [next] } }
  })
  // A link may have opened the second that comes next.
  const activeFrom = activeFromOf(secondNow(call), secondNow(call) + 1)
  const fires = firesAnswer(await compareFires(pairs, activeFrom, rest))
  return { status: 200, body: { dryRun: true, result, activeFrom: null, changes, fires, warnings: [] } }
}

// Templates

const builtIn = (call: Call): Template | undefined =>
  call.params.namespace === SHARED_NAMESPACE ? BUILT_IN_TEMPLATES.get(call.params.name) : undefined

async function usingTemplate(call: Call, fullName: string): Promise<StoredJob[]> {
  return (await call.world.directory.all()).filter(({ definition }) => definition.template === fullName)
}

async function templateBodyOf(
  call: Call,
  namespace: string,
  name: string,
  of: { readonly value: Template; readonly version: number; readonly updatedAtMs: number | null },
  isBuiltIn = false,
): Promise<object> {
  return {
    namespace,
    name,
    description: of.value.description,
    schedules: of.value.schedules,
    builtIn: isBuiltIn,
    version: of.version,
    updatedAt: momentText(of.updatedAtMs),
    usedBy: seenBy(call, await usingTemplate(call, `${namespace}/${name}`)).length,
  }
}

const asBuiltIn = (value: Template) => ({ value, version: 1, updatedAtMs: null })

function refuseBuiltIn(call: Call): void {
  if (builtIn(call) === undefined) return
  throw new Refusal('conflict', `the template ${fullNameOf(call)} is built in and stays as it is. Use another name`)
}

/** Throws with the place of every schedule that is none. */
function checkSchedules({ schedules }: Template): void {
  const faults = schedules.flatMap((schedule, index) => {
    try {
      compileSchedule(schedule, { jobId: '', dst: DEFAULT_DST, anchor: 0 })
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return [faultOfError(error, pointer(['schedules', index]))]
    }
  })
  if (faults.length > 0) throw new InvalidInput(faults)
}

async function putTemplate(call: Call): Promise<Answer> {
  const { namespace, name } = call.params
  const value = readBody(templateBody, without(objectBody(call.body), READ_ONLY_OF_THINGS))
  checkSchedules(value)
  refuseBuiltIn(call)
  const thing = { kind: 'template', namespace, name } as const
  const mutation = await writeDocument(call.world, call.world.templates, thing, value, askingOf(call))
  if (call.isDryRun) return nothingFires(mutation.result, mutation.changes)
  return putAnswer(call, mutation, await templateBodyOf(call, namespace, name, { ...mutation.after, value }))
}

async function listTemplates(call: Call): Promise<Answer> {
  const namespaces = await namespacesFor(call)
  const own = await Promise.all(
    namespaces.map(async (namespace) =>
      (await call.world.templates.list(namespace)).map((of) => ({ namespace, name: of.name, of, isBuiltIn: false })),
    ),
  )
  const always = namespaces.includes(SHARED_NAMESPACE)
    ? [...BUILT_IN_TEMPLATES].map(([name, value]) => ({
        namespace: SHARED_NAMESPACE,
        name,
        of: asBuiltIn(value),
        isBuiltIn: true,
      }))
    : []
  const { limit = DEFAULT_LIMIT } = call.query as { limit?: number }
  const page = pageOf(call, [...own.flat(), ...always], ({ namespace, name }) => `${namespace}/${name}`, limit)
  const items = await Promise.all(
    page.items.map(({ namespace, name, of, isBuiltIn }) => templateBodyOf(call, namespace, name, of, isBuiltIn)),
  )
  return { status: 200, body: { items, next: page.next } }
}

async function listCalendars(call: Call): Promise<Answer> {
  const namespaces = await namespacesFor(call)
  const own = await Promise.all(
    namespaces.map(async (namespace) =>
      (await call.world.calendars.list(namespace)).map((of) => ({ namespace, name: of.name, of })),
    ),
  )
  const { limit = DEFAULT_LIMIT } = call.query as { limit?: number }
  const page = pageOf(call, own.flat(), ({ namespace, name }) => `${namespace}/${name}`, limit)
  const items = await Promise.all(
    page.items.map(({ namespace, name, of }) => calendarBodyOf(call, namespace, name, of)),
  )
  return { status: 200, body: { items, next: page.next } }
}

const MUTATION = { isMutation: true, isConditional: true, access: 'editor' } as const
const DELETED = { 204: { description: 'Deleted', schema: null } }

export const THING_ROUTES: readonly Route[] = [
  route(
    {
      ...MUTATION,
      operationId: 'putCalendar',
      method: 'PUT',
      path: '/v1/calendars/{namespace}/{name}',
      tag: 'calendars',
      summary: 'Save a calendar of excluded dates',
      description:
        'Jobs that use it get a new version: 200 of them in the request, the rest within minutes; applied says whether all have.',
      body: calendarBody,
      answers: {
        200: { description: 'The calendar', schema: calendarAnswer },
        201: { description: 'The calendar, created', schema: calendarAnswer },
      },
    },
    putCalendar,
  ),
  route(
    {
      operationId: 'getCalendar',
      method: 'GET',
      isOfSharedToo: true,
      path: '/v1/calendars/{namespace}/{name}',
      access: 'viewer',
      tag: 'calendars',
      summary: 'Read a calendar',
      answers: { 200: { description: 'The calendar', schema: calendarAnswer } },
    },
    async (call) => {
      const found = await existing(call, 'calendar', call.world.calendars)
      const body = await calendarBodyOf(call, call.params.namespace, call.params.name, found)
      return { status: 200, body, headers: etag(found.version) }
    },
  ),
  route(
    {
      ...MUTATION,
      operationId: 'deleteCalendar',
      method: 'DELETE',
      path: '/v1/calendars/{namespace}/{name}',
      tag: 'calendars',
      summary: 'Delete a calendar that no job uses',
      answers: DELETED,
    },
    async (call) => {
      const { namespace, name } = call.params
      const thing = { kind: 'calendar', namespace, name } as const
      const { result } = await writeDocument(call.world, call.world.calendars, thing, null, askingOf(call), async () =>
        refuseUsed(call, 'calendar', await jobsUsing(call.world.directory, fullNameOf(call))),
      )
      return call.isDryRun ? nothingFires(result) : { status: 204 }
    },
  ),
  route(
    {
      operationId: 'listCalendars',
      method: 'GET',
      path: '/v1/calendars',
      access: 'viewer',
      tag: 'calendars',
      summary: 'Calendars',
      query: thingQuery,
      answers: { 200: { description: 'Calendars', schema: calendarList } },
    },
    listCalendars,
  ),
  route(
    {
      ...MUTATION,
      operationId: 'putTemplate',
      method: 'PUT',
      path: '/v1/templates/{namespace}/{name}',
      tag: 'templates',
      summary: 'Save named schedules',
      description: 'Jobs take over what a template says when they are saved.',
      body: templateBody,
      answers: {
        200: { description: 'The template', schema: templateAnswer },
        201: { description: 'The template, created', schema: templateAnswer },
      },
    },
    putTemplate,
  ),
  route(
    {
      operationId: 'getTemplate',
      method: 'GET',
      isOfSharedToo: true,
      path: '/v1/templates/{namespace}/{name}',
      access: 'viewer',
      tag: 'templates',
      summary: 'Read a template',
      answers: { 200: { description: 'The template', schema: templateAnswer } },
    },
    async (call) => {
      const always = builtIn(call)
      const found = always === undefined ? await existing(call, 'template', call.world.templates) : asBuiltIn(always)
      const { namespace, name } = call.params
      const body = await templateBodyOf(call, namespace, name, found, always !== undefined)
      return { status: 200, body, headers: etag(found.version) }
    },
  ),
  route(
    {
      ...MUTATION,
      operationId: 'deleteTemplate',
      method: 'DELETE',
      path: '/v1/templates/{namespace}/{name}',
      tag: 'templates',
      summary: 'Delete a template that no job uses',
      answers: DELETED,
    },
    async (call) => {
      refuseBuiltIn(call)
      const { namespace, name } = call.params
      const thing = { kind: 'template', namespace, name } as const
      const { result } = await writeDocument(call.world, call.world.templates, thing, null, askingOf(call), async () =>
        refuseUsed(call, 'template', await usingTemplate(call, fullNameOf(call))),
      )
      return call.isDryRun ? nothingFires(result) : { status: 204 }
    },
  ),
  route(
    {
      operationId: 'listTemplates',
      method: 'GET',
      path: '/v1/templates',
      access: 'viewer',
      tag: 'templates',
      summary: 'Templates, those built in too',
      query: thingQuery,
      answers: { 200: { description: 'Templates', schema: templateList } },
    },
    listTemplates,
  ),
]

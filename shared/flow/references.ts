// What a definition names beside itself: its template and calendars, which are read, and the jobs that it follows or triggers.
// No job reaches into another namespace; `shared` has templates and calendars for all.

import { SHARED_NAMESPACE } from '../core/access/role.ts'
import { findCycle, type Relation } from '../core/job/cycles.ts'
import { type Fault, pointer } from '../core/job/invalid.ts'
import type { Job } from '../core/job/job.ts'
import type { Resolved } from '../core/job/next-version.ts'
import type { Warning } from '../core/job/read-job.ts'
import { BUILT_IN_TEMPLATES, type Template } from '../core/schedule/template.ts'
import type { Stores, VersionedDocuments } from '../ports.ts'
import { findJobs, splitName } from './find-job.ts'

export type ReferencesWorld = Pick<Stores, 'jobs' | 'calendars' | 'templates'>

export interface References {
  readonly resolved: Resolved
  readonly faults: readonly Fault[]
  readonly warnings: readonly Warning[]
}

type Timed = Pick<Job, 'namespace' | 'template' | 'calendars'>

/** What template and calendars say now, and which of them are not there. */
export async function resolve(world: ReferencesWorld, timed: Timed): Promise<Pick<References, 'resolved' | 'faults'>> {
  const faults: Fault[] = []
  const template = timed.template === null ? null : await templateOf(world, timed, faults)
  const calendars = await calendarsOf(world, timed, faults)
  return { resolved: { template, calendars }, faults }
}

export async function referencesOf(world: ReferencesWorld, definition: Job): Promise<References> {
  const { resolved, faults: unknownOnes } = await resolve(world, definition)
  const faults: Fault[] = [...namespaceFaults(definition), ...foreignJobs(definition), ...unknownOnes]
  const named = [...definition.then, ...definition.after].map(({ job }) => job)
  const known = faults.length > 0 || named.length === 0 ? new Map() : await findJobs(world, named)
  if (faults.length === 0) faults.push(...(await cycleFaults(world, definition)))
  const isUnknown = (job: string) => faults.length === 0 && !known.has(job) && job !== nameOf(definition)
  const warnings = (['then', 'after'] as const).flatMap((field) =>
    definition[field].flatMap(({ job }, index): Warning[] => {
      const message = `there is no job ${job} yet. Until there is, ${field === 'then' ? 'nothing follows' : 'this one is skipped'}.`
      return isUnknown(job) ? [{ path: pointer([field, index, 'job']), code: 'job.unknown', message }] : []
    }),
  )
  return { resolved, faults, warnings }
}

const nameOf = ({ namespace, name }: Job): string => `${namespace}/${name}`

function namespaceFaults({ namespace }: Job): Fault[] {
  if (namespace !== SHARED_NAMESPACE) return []
  const message = 'got "shared", which holds calendars and templates and no jobs. Use another namespace.'
  return [{ path: '/namespace', code: 'namespace.shared', message }]
}

function foreignJobs(definition: Job): Fault[] {
  return (['then', 'after'] as const).flatMap((field) =>
    definition[field].flatMap(({ job }, index): Fault[] => {
      if (splitName(job).namespace === definition.namespace) return []
      const message = `got "${job}". Use a job of the namespace ${definition.namespace}: jobs do not reach into another.`
      return [{ path: pointer([field, index, 'job']), code: 'job.foreign', message }]
    }),
  )
}

async function templateOf(world: ReferencesWorld, { template, namespace }: Timed, faults: Fault[]) {
  const fullName = template as string
  const found = await lookUp(fullName, namespace, (of) => readTemplate(world.templates, of.namespace, of.name))
  if (found !== null) return { name: fullName, schedules: found.schedules }
  faults.push(unknown('template', fullName, namespace, '/template'))
  return null
}

async function calendarsOf(world: ReferencesWorld, { calendars, namespace }: Timed, faults: Fault[]) {
  const found = await Promise.all(
    calendars.map((fullName) =>
      lookUp(fullName, namespace, async (of) => (await world.calendars.read(of.namespace, of.name))?.value ?? null),
    ),
  )
  return found.flatMap((calendar, index) => {
    const name = calendars[index]
    if (calendar !== null) return [{ name, dates: calendar.dates }]
    faults.push(unknown('calendar', name, namespace, pointer(['calendars', index])))
    return []
  })
}

/** Null also where it is in a namespace that the job may not reach, so that no tenant learns what another has. */
async function lookUp<Value>(
  fullName: string,
  namespace: string,
  read: (of: { readonly namespace: string; readonly name: string }) => Promise<Value | null>,
): Promise<Value | null> {
  const of = splitName(fullName)
  return of.namespace === namespace || of.namespace === SHARED_NAMESPACE ? read(of) : null
}

const unknown = (kind: string, fullName: string, namespace: string, path: string): Fault => ({
  path,
  code: `${kind}.unknown`,
  message: `there is no ${kind} ${fullName} that a job of ${namespace} can use. Put it first, in ${namespace} or in ${SHARED_NAMESPACE}.`,
})

async function readTemplate(
  templates: VersionedDocuments<Template>,
  namespace: string,
  name: string,
): Promise<Template | null> {
  const builtIn = namespace === SHARED_NAMESPACE ? BUILT_IN_TEMPLATES.get(name) : undefined
  return builtIn ?? (await templates.read(namespace, name))?.value ?? null
}

/** A chain of jobs longer than this is not followed any further. */
const MOST_LINKED_JOBS = 500

async function cycleFaults(world: ReferencesWorld, definition: Job): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const relation of ['then', 'after'] as const) {
    const links = await linksFrom(world, definition, relation)
    const cycle = findCycle(nameOf(definition), (job) => links.get(job) ?? [])
    if (cycle === null) continue
    const what = relation === 'then' ? 'would start one another for ever' : 'would wait for one another for ever'
    const index = definition[relation].findIndex(({ job }) => job === cycle[1])
    const message = `${cycle.join(' → ')}: these jobs ${what}. Take ${cycle[1]} out, or break the circle elsewhere.`
    faults.push({ path: pointer([relation, index, 'job']), code: 'job.cycle', message })
  }
  return faults
}

async function linksFrom(world: ReferencesWorld, definition: Job, relation: Relation): Promise<Map<string, string[]>> {
  const linksOf = (job: Job) => job[relation].map(({ job: other }) => other)
  const links = new Map([[nameOf(definition), linksOf(definition)]])
  let next = linksOf(definition).filter((job) => !links.has(job))
  while (next.length > 0 && links.size < MOST_LINKED_JOBS) {
    const found = await findJobs(world, next)
    for (const job of next) {
      const stored = found.get(job)
      links.set(job, stored === undefined ? [] : linksOf(stored.definition))
    }
    next = [...new Set(next.flatMap((job) => links.get(job) ?? []))].filter((job) => !links.has(job))
  }
  return links
}

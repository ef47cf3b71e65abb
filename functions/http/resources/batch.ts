// Many changes of jobs in one request, each for itself: one that is refused keeps no other from being made.

import { mayActAs } from '../../../shared/core/access/role.ts'
import { InvalidInput } from '../../../shared/core/job/invalid.ts'
import { compareFires, type FirePair } from '../../../shared/flow/compare-fires.ts'
import type { JobName } from '../../../shared/flow/find-job.ts'
import { deleteJob, saveJob, startJob, stopJob } from '../../../shared/flow/manage-jobs.ts'
import type { Mutation } from '../../../shared/flow/mutate-job.ts'
import { nowOf } from '../../../shared/flow/tick-world.ts'
import { Turns } from '../../../shared/flow/turns.ts'
import { firesAnswer } from '../answers/job.ts'
import { instantText } from '../answers/times.ts'
import { askingOf, readBody, without } from '../call.ts'
import { Problem, problemBody, problemOf } from '../problem.ts'
import { Quota } from '../quota.ts'
import { rest } from '../rest.ts'
import type { Answer, Call } from '../route.ts'
import { batchBody, READ_ONLY_FIELDS } from '../schemas/job.ts'
import { asRunning, futureSecond } from './jobs.ts'

type Batch = ReturnType<typeof readBatch>
type Item = Batch['items'][number]

interface Done {
  readonly mutation: Mutation
  readonly warnings: readonly object[]
}

const AT_ONCE = 16

const readBatch = (body: unknown) => readBody(batchBody, body)

const kindOf = (item: Item): 'put' | 'delete' | 'start' | 'stop' =>
  'put' in item ? 'put' : 'delete' in item ? 'delete' : 'start' in item ? 'start' : 'stop'

export async function batch(call: Call): Promise<Answer> {
  const { defaults, items } = readBatch(call.body)
  const names = items.map((item) => nameIn(item, defaults))
  const twice = repeated(names)
  const results: object[] = []
  const pairs: FirePair[] = []
  const counts = { CREATED: 0, UPDATED: 0, UNCHANGED: 0, DELETED: 0, FAILED: 0 }
  const quota = new Quota(call)
  const places = items.keys()
  // Reading an item takes a while: each has a turn of the event loop to itself, so that what else waits comes in between.
  const turns = new Turns(rest)
  const worker = async () => {
    for (const index of places) {
      await turns.own()
      try {
        const { mutation, warnings } = await one(call, items[index], names[index], defaults, twice, quota)
        counts[mutation.result] += 1
        if (call.isDryRun) pairs.push(pairOf(mutation))
        results[index] = done(index, mutation, warnings)
      } catch (error) {
        const problem = placed(problemOf(error), `/items/${index}/${kindOf(items[index])}`)
        if (problem.status >= 500) call.tell(error)
        counts.FAILED += 1
        const body = problemBody(problem, call.requestId)
        results[index] = { index, status: problem.status, result: 'FAILED', problem: body }
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (!call.isDryRun) return { status: 200, body: { results, counts } }
  const fires = firesAnswer(await compareFires(pairs, nowOf(call.world), rest))
  return { status: 200, body: { dryRun: true, results, counts, fires } }
}

function done(index: number, { job, result, activeFrom }: Mutation, warnings: readonly object[]): object {
  if (result === 'DELETED') return { index, status: 204, result }
  const { namespace, name } = job.definition
  const own = job.versions[job.versions.length - 1].activeFrom
  return {
    index,
    status: result === 'CREATED' ? 201 : 200,
    result,
    job: {
      id: job.id,
      namespace,
      name,
      version: job.version,
      activeFrom: instantText(result === 'UNCHANGED' ? own : activeFrom),
    },
    warnings,
  }
}

const pairOf = ({ job, before, result }: Mutation): FirePair => ({
  jobId: job.id,
  fullName: `${job.definition.namespace}/${job.definition.name}`,
  before: asRunning(before),
  after: result === 'DELETED' ? job : asRunning(job),
})

/** A fault inside an item is told at its place in the batch. */
const placed = (problem: Problem, path: string): Problem =>
  new Problem(problem.code, problem.message, {
    faults: problem.faults.map((fault) => ({ ...fault, path: `${path}${fault.path}` })),
    currentVersion: problem.currentVersion,
  })

function nameIn(item: Item, defaults: Readonly<Record<string, unknown>>): JobName {
  const named: Record<string, unknown> = Reflect.get(item, kindOf(item))
  const { namespace = 'default', name } = { ...defaults, ...named }
  // What is no text is no name, and is refused as such.
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  return { namespace: text(namespace), name: text(name) }
}

function repeated(names: readonly JobName[]): Set<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { namespace, name } of names) {
    const fullName = `${namespace}/${name}`
    // Two items without a name are not the same job.
    if (name !== '' && seen.has(fullName)) twice.add(fullName)
    seen.add(fullName)
  }
  return twice
}

async function one(
  call: Call,
  item: Item,
  name: JobName,
  defaults: Readonly<Record<string, unknown>>,
  twice: ReadonlySet<string>,
  quota: Quota,
): Promise<Done> {
  const { world, caller } = call
  const kind = kindOf(item)
  if (!caller.sees(name.namespace))
    throw new Problem('not-found', `there is no namespace ${name.namespace} for this key`)
  const least = kind === 'put' || kind === 'delete' ? 'editor' : 'operator'
  if (!mayActAs(caller.key.role, least)) throw new Problem('forbidden', `${kind} needs the role ${least}`)
  if (twice.has(`${name.namespace}/${name.name}`)) {
    const message = 'stands twice in this batch. Send each job once.'
    throw new InvalidInput([{ path: '/name', code: 'batch.repeated', message }])
  }
  const asking = { ...askingOf(call), ifVersion: item.ifVersion }
  if ('put' in item) {
    const giveBack = await quota.take(name)
    const body = without({ ...defaults, ...item.put }, READ_ONLY_FIELDS)
    try {
      const { warnings, ...mutation } = await saveJob(world, name, body, asking)
      return { mutation, warnings }
    } catch (error) {
      giveBack()
      throw error
    }
  }
  if ('delete' in item) return { mutation: await deleteJob(world, name, asking), warnings: [] }
  if ('start' in item) return { mutation: await startJob(world, name, asking), warnings: [] }
  const { reason, until, queued } = item.stop
  const end = until === null ? null : futureSecond(call, until)
  const wish = { code: 'BY_HAND', reason, until: end, queued } as const
  return { mutation: await stopJob(world, name, wish, asking), warnings: [] }
}

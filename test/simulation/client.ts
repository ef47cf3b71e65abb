// People and programs that change jobs while everything else goes on: edits, stops, starts, reschedules, deletes, runs by hand.
// Each request comes from a process of its own, which may die on the way.

import type { Actor } from '../../shared/core/actor.ts'
import { InputError } from '../../shared/core/errors.ts'
import { TooManyEdits } from '../../shared/core/job/edit.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import { InvalidInput } from '../../shared/core/job/invalid.ts'
import { findJob, type JobName } from '../../shared/flow/find-job.ts'
import { deleteJob, patchJob, rescheduleJob, startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import type { Mutation } from '../../shared/flow/mutate-job.ts'
import { notFound, Refusal } from '../../shared/flow/refusals.ts'
import { startShards } from '../../shared/flow/start-shards.ts'
import { type Triggered, triggerJob } from '../../shared/flow/trigger-job.ts'
import type { Random } from '../support/random-cron/random.ts'
import { saveBody } from '../support/save.ts'
import { type Body, brief, type FleetOptions, partsOf } from './fleet.ts'
import type { Happening } from './history.ts'
import type { Process } from './process.ts'
import type { SimStack } from './stack.ts'
import type { SimWorld } from './world.ts'

type What = Extract<Happening, { op: 'ask' }>['what']
type Answer = Mutation | Triggered
export type Act = (world: SimWorld, of: JobName) => Promise<Answer>

const CLIENT: Actor = { type: 'key', id: 'client', name: 'client', onBehalfOf: null }
export const asking = { by: CLIENT }

const REFUSALS = [InputError, InvalidInput, TooManyEdits, Refusal]
const isRefusal = (error: unknown) => REFUSALS.some((refusal) => error instanceof refusal)

/** A run by hand. A key counts for its job, as the path of a request is part of what it is known by. */
export const byHand =
  (key: string, more: { readonly payload?: unknown } = {}): Act =>
  async (world, of) => {
    const job = await findJob(world, of)
    if (job === null) throw notFound('job', of.name)
    return triggerJob(world, job, { ...asking, request: { hash: `${job.id}/${key}`, bodyHash: '' }, ...more })
  }

export class Client {
  readonly #stack: SimStack
  readonly #random: Random
  readonly #options: FleetOptions
  readonly #names: readonly string[]
  #asked = 0

  constructor(stack: SimStack, random: Random, options: FleetOptions, names: readonly string[]) {
    this.#stack = stack
    this.#random = random
    this.#options = options
    this.#names = names
  }

  /** Whether it was told that it worked. */
  ask = async (what: What, name: string, act: Act, more: { readonly key?: string } = {}): Promise<boolean> => {
    const { recorder } = this.#stack
    const process = this.#stack.process('client')
    const jobId = jobIdOf('default', name)
    this.#asked += 1
    const told = { op: 'ask', ask: this.#asked, what, jobId, ...more } as const
    recorder.add({ ...told, kind: 'invoke' }, process.name)
    try {
      const world = this.#deployed(process)
      // As every process does before it serves anybody.
      const answer = await process.unlessItDies(
        startShards(world).then(() => act(world, { namespace: 'default', name })),
      )
      const found = 'runId' in answer ? { runId: answer.runId } : { version: answer.job.version }
      recorder.add({ ...told, kind: 'ok', ...found }, process.name)
      return true
    } catch (error) {
      recorder.add({ ...told, kind: isRefusal(error) ? 'fail' : 'info' }, process.name)
      return false
    }
  }

  /** Now and then an operator deploys with the wrong number of shards. */
  #deployed(process: Process): SimWorld {
    const world = process.see(this.#stack.world)
    if (!this.#stack.isStorm || !this.#random.chance(0.03)) return world
    process.fault({ fault: 'wrong deployment' }, 'start')
    return { ...world, shardCount: world.shardCount * 2 }
  }

  save = (body: Body): Promise<boolean> => this.ask('save', body.name, (world) => saveBody(world, body, asking))

  stop = (name: string, more: { until?: number; queued?: 'cancel' } = {}): Promise<boolean> =>
    this.ask('stop', name, (world, of) => stopJob(world, of, { code: 'BY_HAND', reason: 'a stop', ...more }, asking))

  remove = (name: string): Promise<boolean> => this.ask('delete', name, (world, of) => deleteJob(world, of, asking))

  start = (name: string): Promise<boolean> => this.ask('start', name, (world, of) => startJob(world, of, asking))

  /** A job that is due soon, where all is quiet. */
  rouse = (): Promise<boolean> => this.save(brief(this.#random, `brief-${this.#random.below(400)}`))

  /** Something at random. The jobs of every second are left as they are: they are the measure. */
  async disturb(): Promise<void> {
    const random = this.#random
    const name = random.pick(this.#names)
    const now = Math.floor(this.#stack.time.nowMs() / 1000)
    switch (random.below(9)) {
      case 0:
      case 1:
        await this.save({ name, ...partsOf(random, this.#options) })
        return
      case 2: {
        const { schedules, block, misfire, timeout } = partsOf(random, this.#options)
        const patch = random.pick([{ schedules }, { block }, { misfire }, { timeout }, { priority: random.below(9) }])
        await this.ask('save', name, (world, of) => patchJob(world, of, patch, asking))
        return
      }
      case 3:
        await this.stop(
          name,
          random.pick<Parameters<Client['stop']>[1]>([
            {},
            { queued: 'cancel' },
            { until: now + random.between(3, 90) },
            { until: now + random.between(3, 90), queued: 'cancel' },
          ]),
        )
        return
      case 4:
        await this.start(name)
        return
      case 5: {
        const to = random.chance(0.25) ? null : now + random.between(1, 60)
        await this.ask('reschedule', name, (world, of) => rescheduleJob(world, of, to, asking))
        return
      }
      case 6:
        if (!random.chance(0.3)) return
        await this.remove(name)
        return
      default: {
        const key = `key-${random.below(40)}`
        const more = random.chance(0.3) ? { payload: { acts: 'quick', ms: 10 } } : {}
        await this.ask('trigger', name, byHand(key, more), { key })
      }
    }
  }
}

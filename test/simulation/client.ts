// People and programs that change jobs while everything else goes on: edits, stops, starts, reschedules, deletes, runs by hand.
// Each request comes from a process of its own, which may die on the way.

import { InputError } from '../../shared/core/errors.ts'
import { jobIdOf } from '../../shared/core/job/id.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { deleteJob, patchJob, rescheduleJob, saveJob, startJob, stopJob } from '../../shared/flow/manage-jobs.ts'
import { Conflict, NotFound } from '../../shared/flow/refusals.ts'
import { startShards } from '../../shared/flow/start-shards.ts'
import { triggerJob } from '../../shared/flow/trigger-job.ts'
import type { Random } from '../support/random-cron/random.ts'
import { type Body, brief, type FleetOptions, partsOf } from './fleet.ts'
import type { Happening } from './history.ts'
import type { Process } from './process.ts'
import type { SimStack } from './stack.ts'
import type { SimWorld } from './world.ts'

type What = Extract<Happening, { op: 'ask' }>['what']
type Answer = StoredJob | string

const asking = { by: 'client' }
const isRefusal = (error: unknown) =>
  error instanceof InputError || error instanceof Conflict || error instanceof NotFound

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
  ask = async (
    what: What,
    name: string,
    act: (world: SimWorld, jobId: string) => Promise<Answer>,
    more: { readonly key?: string } = {},
  ): Promise<boolean> => {
    const { recorder } = this.#stack
    const process = this.#stack.process('client')
    const jobId = jobIdOf('default', name)
    this.#asked += 1
    const told = { op: 'ask', ask: this.#asked, what, jobId, ...more } as const
    recorder.add({ ...told, kind: 'invoke' }, process.name)
    try {
      const world = this.#deployed(process)
      // As every process does before it serves anybody.
      const answer = await process.unlessItDies(startShards(world).then(() => act(world, jobId)))
      const found = typeof answer === 'string' ? { runId: answer } : { version: answer.version }
      recorder.add({ ...told, kind: 'ok', ...found }, process.name)
      return true
    } catch (error) {
      recorder.add({ ...told, kind: isRefusal(error) ? 'fail' : 'info' }, process.name)
      return false
    }
  }

  /** Now and then somebody deploys with the wrong number of shards. */
  #deployed(process: Process): SimWorld {
    const world = process.see(this.#stack.world)
    if (!this.#stack.isStorm || !this.#random.chance(0.03)) return world
    process.fault({ fault: 'wrong deployment' }, 'start')
    return { ...world, shardCount: world.shardCount * 2 }
  }

  save = (body: Body): Promise<boolean> =>
    this.ask('save', body.name, async (world) => (await saveJob(world, body, asking)).job)

  stop = (name: string, more: { until?: number; queued?: 'cancel' } = {}): Promise<boolean> =>
    this.ask('stop', name, (world, id) =>
      stopJob(
        world,
        id,
        { reason: 'a stop', until: more.until ?? null, ...(more.queued ? { queued: more.queued } : {}) },
        asking,
      ),
    )

  remove = (name: string): Promise<boolean> => this.ask('delete', name, (world, id) => deleteJob(world, id, asking))

  start = (name: string): Promise<boolean> => this.ask('start', name, (world, id) => startJob(world, id, asking))

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
        await this.ask('save', name, async (world, id) => (await patchJob(world, id, patch, asking)).job)
        return
      }
      case 3:
        await this.stop(
          name,
          random.pick([{}, { queued: 'cancel' }, { queued: 'cancel' }, { until: now + random.between(3, 90) }]),
        )
        return
      case 4:
        await this.start(name)
        return
      case 5: {
        const at = new Date((now + random.between(1, 60)) * 1000).toISOString()
        await this.ask('reschedule', name, (world, id) => rescheduleJob(world, id, at, asking))
        return
      }
      case 6:
        if (!random.chance(0.3)) return
        await this.remove(name)
        return
      default: {
        const key = `key-${random.below(40)}`
        const more = random.chance(0.3) ? { payload: { acts: 'quick', ms: 10 } } : {}
        await this.ask('trigger', name, (world, id) => triggerJob(world, id, { key, ...more }), { key })
      }
    }
  }
}

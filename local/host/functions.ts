// The functions of a stack: for each a pool of environments that grows on demand, up to a few, and is given new code while it runs.

import { availableParallelism } from 'node:os'
import type { FunctionToRun, StackToRun } from '../template/read-template.ts'
import { ChildEnvironment, type EnvironmentOptions } from './child-environment.ts'
import { AllBusy, Pool, REAL_TIME } from './pool.ts'

/** On one machine more of them would only take time from each other. */
export const MOST_ENVIRONMENTS = 4
/**
 * A request of the API is work for the processor, and each environment reads all jobs for its first search. So there are as many as cores, and
 * one more only where a request has waited this long, for example because others wait for the end of a run.
 */
const API_GROWS = { atOnceUpTo: availableParallelism(), thenAfterMs: 3000 }
/** On AWS the API takes no time from tickers and executors; here they go first. */
const API_NICENESS = 5
/** An environment that had nothing to do for so long is ended, so that an idle laptop keeps its memory; Lambda does so after some minutes. */
const IDLE_MS = 45_000
const LOOKED_AT_EVERY_MS = 10_000
const LOOKED_AT_END_EVERY_MS = 20

interface Deployed {
  current: FunctionToRun
  readonly pool: Pool<unknown, unknown>
}

export class Functions {
  readonly #byId = new Map<string, Deployed>()
  readonly #looking: NodeJS.Timeout
  readonly most: number

  constructor(
    { functions, apiFunctionId }: Pick<StackToRun, 'functions' | 'apiFunctionId'>,
    options: EnvironmentOptions,
    most = MOST_ENVIRONMENTS,
  ) {
    this.most = most
    for (const current of functions) {
      const isApi = current.id === apiFunctionId
      const deployed: Deployed = {
        current,
        pool: new Pool({
          time: REAL_TIME,
          make: () => new ChildEnvironment(deployed.current, options, isApi ? API_NICENESS : 0),
          most,
          ...(isApi ? { grows: API_GROWS } : {}),
          timeoutMs: current.timeoutSeconds * 1000,
        }),
      }
      this.#byId.set(current.id, deployed)
    }
    this.#looking = setInterval(() => {
      for (const { pool } of this.#byId.values()) pool.retire(Date.now() - IDLE_MS)
    }, LOOKED_AT_EVERY_MS).unref()
  }

  /** Throws where there is no such function. */
  pool(id: string): Pool<unknown, unknown> {
    return this.#of(id).pool
  }

  /** Processes take a moment to start: those of the named functions start now. */
  warm(names: readonly string[]): void {
    for (const name of names) this.named(name).warm()
  }

  /** By its short name. */
  named(name: string): Pool<unknown, unknown> {
    const found = [...this.#byId.values()].find(({ current }) => current.name === name)
    if (found === undefined) throw new Error(`there is no function ${name}`)
    return found.pool
  }

  #of(id: string): Deployed {
    const found = this.#byId.get(id)
    if (found === undefined) throw new Error(`the template names a function ${id} and does not have it`)
    return found
  }

  /** As an event does: it waits for a free environment for as long as the function allows. False where none came free in time. */
  async invokeLater(id: string, event: unknown): Promise<{ readonly result: unknown } | null> {
    const { current, pool } = this.#of(id)
    try {
      return { result: await pool.invoke(event, current.eventAgeSeconds * 1000) }
    } catch (error) {
      if (error instanceof AllBusy) return null
      throw error
    }
  }

  get deployed(): FunctionToRun[] {
    return [...this.#byId.values()].map(({ current }) => current)
  }

  /** The ids of those whose code or environment became another. */
  deploy(functions: readonly FunctionToRun[]): string[] {
    const changed = functions.filter((each) => JSON.stringify(each) !== JSON.stringify(this.#of(each.id).current))
    for (const each of changed) {
      const deployed = this.#of(each.id)
      deployed.current = each
      deployed.pool.renew()
    }
    return changed.map(({ id }) => id)
  }

  /** Waits for calls that are under way, for a while: a run whose executor is killed comes back only when its claim is over. */
  async settle(withinMs: number): Promise<void> {
    const isBusy = () => [...this.#byId.values()].some(({ pool }) => pool.busy.length > 0)
    for (const givenUp = Date.now() + withinMs; isBusy() && Date.now() < givenUp; )
      await new Promise((resolve) => setTimeout(resolve, LOOKED_AT_END_EVERY_MS))
  }

  stop(): void {
    clearInterval(this.#looking)
    for (const { pool } of this.#byId.values()) pool.kill()
  }
}

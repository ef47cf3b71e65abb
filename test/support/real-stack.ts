// The whole stack as `npm start` runs it, in real time and in memory, with the tests' own handlers. What they begin is written down.

import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { type OpenedWorld, worldFrom } from '../../functions/world.ts'
import { RunningStack, type StackOptions } from '../../local/host/run-stack.ts'
import { type AssemblyOptions, assemble } from '../../local/template/assembly.ts'
import type { Places } from '../../local/template/read-template.ts'
import type { QueueName } from '../../shared/aws/limits.ts'
import type { Queue } from '../../shared/ports.ts'
import { type HandlerNote, HandlerNotes } from './handler-notes.ts'

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
export const untilSecond = (second: number) => pause(Math.max(0, second * 1000 - Date.now()))

/** Waits for something to become true, and fails where it does not. */
export async function eventually(what: () => Promise<boolean> | boolean, withinMs: number): Promise<void> {
  for (const givenUp = Date.now() + withinMs; Date.now() < givenUp; await pause(50)) if (await what()) return
  throw new Error(`not within ${withinMs} ms: ${what}`)
}

export const TEST_HANDLERS = join(import.meta.dirname, '../e2e/handlers.ts')
const CLOCK_AHEAD = join(import.meta.dirname, 'clock-ahead.mjs')

export interface RealStack {
  readonly stack: RunningStack
  readonly template: unknown
  readonly places: Places
  /** The stack's table and queues, for the test itself. */
  readonly world: OpenedWorld
  readonly notes: HandlerNotes
  readonly lines: string[]
  readonly errors: unknown[]
  queue(name: QueueName): Queue
  /** The seconds of a job's runs that were started, in order. */
  seconds(name: string): number[]
}

export interface RealStackOptions extends Partial<Omit<StackOptions, 'assembly'>>, AssemblyOptions {
  /** How far the clock of the functions' machine is ahead. */
  readonly clockAheadMs?: number
}

export async function beginStack(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  { clockAheadMs = 0, shardCount, hopSeconds, ...options }: RealStackOptions = {},
): Promise<RealStack> {
  const lines: string[] = []
  const errors: unknown[] = []
  const notes = new HandlerNotes(clockAheadMs)
  const assembly = await assemble({
    handlers: TEST_HANDLERS,
    ...(shardCount === undefined ? {} : { shardCount }),
    ...(hopSeconds === undefined ? {} : { hopSeconds }),
  })
  const preload = { NODE_OPTIONS: `--import=${CLOCK_AHEAD}`, CLOCK_AHEAD_MS: String(clockAheadMs) }
  const stack = await RunningStack.start({
    assembly,
    onLine: (_, line) => lines.push(line),
    onError: (_, error) => errors.push(error),
    onNote: (_, message) => notes.take((message as { readonly note: HandlerNote }).note),
    ...(clockAheadMs === 0 ? {} : { environment: preload }),
    ...options,
  })
  const { engines } = stack.services
  const output = { line: () => {}, nowMs: () => Date.now() }
  const world = worldFrom(stack.environmentOf('tick'), output, {
    endpoints: { dynamo: engines.dynamodb, queues: engines.sqs, bus: engines.events },
  })
  onTestFinished(async () => {
    await stack.stop()
    world.close()
  })
  await stack.runAtDeploy()
  stack.begin()
  return {
    stack,
    template: assembly.template,
    places: { folder: assembly.folder, queueEndpoint: stack.services.endpoints.sqs, apiHosts: [] },
    world,
    notes,
    lines,
    errors,
    queue: (name) => {
      const [, found] = [...stack.queues].find(([each]) => each.toLowerCase().includes(`${name}queue`)) ?? []
      if (found === undefined) throw new Error(`the stack has no queue ${name}`)
      return found
    },
    seconds: (name) =>
      notes.started
        .filter((each) => each.name === name)
        .map(({ second }) => second)
        .sort((a, b) => a - b),
  }
}

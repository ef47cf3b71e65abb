// A whole stack on real engines in real time, with what its handlers begin written down.

import type { TestContext } from 'vitest'
import { noted } from '../../local/rig/noted.ts'
import { type Stack, type StackOptions, startStack } from '../../local/rig/stack.ts'
import { defineHandlers, type HandlerSet } from '../../shared/core/handlers.ts'
import { parseRunId } from '../../shared/core/run/run.ts'

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
export const untilSecond = (second: number) => pause(Math.max(0, second * 1000 - Date.now()))

/** Waits for something to become true, and fails where it does not. */
export async function eventually(what: () => Promise<boolean> | boolean, withinMs: number): Promise<void> {
  for (const givenUp = Date.now() + withinMs; Date.now() < givenUp; await pause(50)) if (await what()) return
  throw new Error(`not within ${withinMs} ms: ${what}`)
}

export interface Started {
  readonly atMs: number
  readonly name: string
  readonly second: number
  readonly runId: string
  readonly attempt: number
}

export interface RealStack {
  readonly stack: Stack
  readonly started: Started[]
  readonly lines: string[]
  readonly errors: unknown[]
  /** The seconds of a job's runs that were started, in order. */
  seconds(name: string): number[]
}

export interface RealStackOptions extends Partial<Omit<StackOptions, 'handlers'>> {
  /** Beside echo, which does nothing. */
  readonly handlers?: HandlerSet
}

export async function beginStack(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  { handlers = {}, ...options }: RealStackOptions = {},
): Promise<RealStack> {
  const lines: string[] = []
  const errors: unknown[] = []
  const started: Started[] = []
  const stack = await startStack({
    line: (text) => lines.push(text),
    onError: (error) => errors.push(error),
    handlers: noted(defineHandlers({ echo: () => null, ...handlers }), ({ id: runId, attempt, job }) => {
      started.push({ atMs: Date.now(), name: job.name, second: parseRunId(runId).second, runId, attempt })
    }),
    ...options,
  })
  onTestFinished(() => stack.stop())
  stack.rig.start()
  // The first shard items are made by the first run of the minute rule.
  await eventually(async () => (await stack.world.shards.meta())?.initialised === true, 10_000)
  const seconds = (name: string) =>
    started
      .filter((each) => each.name === name)
      .map(({ second }) => second)
      .sort((a, b) => a - b)
  return { stack, started, lines, errors, seconds }
}

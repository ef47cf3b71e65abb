// Brings a stack up on this machine, step by step: synthesised, its resources made, deployed once, its API open, samples saved at the first
// start. What stands in the way is said with the remedy.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { lambdaOutput } from '../functions/output.ts'
import { type OpenedWorld, worldFrom } from '../functions/world.ts'
import { MOST_JOBS_PER_SHARD } from '../shared/aws/limits.ts'
import { parseKey } from '../shared/core/access/key.ts'
import { SYSTEM } from '../shared/core/actor.ts'
import { installAdminKey, newKeyText } from '../shared/flow/access/keys.ts'
import { rearmSwitches } from '../shared/flow/rearm-switches.ts'
import { CannotStart } from './cannot-start.ts'
import type { DataFolder } from './data-folder.ts'
import { whyNoStore } from './engines/dynamodb.ts'
import { hostsAt, isLoopback } from './gateway/hosts.ts'
import { awsLatency, NO_LATENCY } from './host/latency.ts'
import { RunningStack, type StackOptions } from './host/run-stack.ts'
import { StoreFailed } from './host/services.ts'
import type { RunOptions } from './options.ts'
import type { Progress } from './progress.ts'
import { SAMPLE_JOBS } from './samples.ts'
import { type Assembly, type AssemblyOptions, assemble, NotSynthesised } from './template/assembly.ts'

export interface OpenedStack {
  readonly stack: RunningStack
  /** The stack's table and queues, for this process. */
  readonly world: OpenedWorld
  readonly adminKey: string
  readonly sources: readonly string[]
}

export type Hooks = Pick<StackOptions, 'onLine' | 'onResult' | 'onError'>

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Options of the construct. A deployment sets them in its app; a start by its flags and, for loads, by the environment. */
export function assemblyOptions({ handlers }: RunOptions, env: NodeJS.ProcessEnv): AssemblyOptions {
  const perMinute = Number(env.TICKRING_REQUESTS_PER_MINUTE)
  return {
    // Memory is a limit here, and costs nothing.
    jobsPerShard: MOST_JOBS_PER_SHARD,
    ...(handlers === null ? {} : { handlers: resolve(handlers) }),
    ...(env.TICKRING_REQUESTS_PER_MINUTE === undefined ? {} : { requestsPerMinute: perMinute }),
  }
}

export async function openStack(
  options: RunOptions,
  folder: DataFolder,
  progress: Progress,
  hooks: Hooks,
): Promise<OpenedStack> {
  const { host, hasSamples, handlers, hasAwsLatency, seed } = options
  refuseOpenHost(folder, host)
  refuseBadKey(folder)
  const noStore = whyNoStore()
  if (noStore !== null) throw new CannotStart(`${noStore}.`)
  const full = folder.whyFull()
  if (full !== null) throw new CannotStart(full)
  const isFirst = !folder.hasStore
  const assembly = assembled(options)
  // Where it fails, the start, which waits for it, hears of it.
  assembly.catch(() => {})
  const stack = await runStack(assembly, folder, options, {
    ...hooks,
    latency: hasAwsLatency ? awsLatency(seed) : NO_LATENCY,
    onStep: (step) => progress.begin(step),
  })
  try {
    folder.closeStoreFiles()
    progress.begin('shards, admin key, schedules beside the code')
    stack.functions.warm(['deploy', 'api', 'minute', 'tick', 'fast'])
    await atDeploy(stack)
    const world = worldFrom(stack.environmentOf('tick'), lambdaOutput({}), {
      endpoints: {
        dynamo: stack.services.engines.dynamodb,
        queues: stack.services.engines.sqs,
        bus: stack.services.engines.events,
      },
    })
    const adminKey = await ownedKey(world, folder)
    await rearmSwitches(world)
    // They are for the handlers that come with Tickring.
    if (hasSamples && isFirst && handlers === null) {
      progress.begin('sample jobs')
      await saveSamples(stack.url, adminKey)
    }
    progress.end()
    return { stack, world, adminKey, sources: (await assembly).sources }
  } catch (error) {
    await stack.stop()
    throw error
  }
}

/** Another host than loopback is served with a key that its user knows already. */
function refuseOpenHost(folder: DataFolder, host: string): void {
  if (isLoopback(host) || folder.readAdminKey() !== null) return
  throw new CannotStart(
    `--host ${host} is open to others, and there is no admin key in ${folder.adminKeyFile} yet. Start once without --host, which makes one.`,
  )
}

function refuseBadKey(folder: DataFolder): void {
  const known = folder.readAdminKey()
  if (known !== null && parseKey(known) === null)
    throw new CannotStart(
      `the admin key is not a key of Tickring: ${folder.adminKeyFile}. Delete the file, and a new one is made.`,
    )
}

async function assembled(options: RunOptions): Promise<Assembly> {
  const { handlers } = options
  if (handlers !== null && !existsSync(handlers))
    throw new CannotStart(`there is no file ${handlers}. Use another with --handlers.`)
  try {
    return await assemble(assemblyOptions(options, process.env))
  } catch (error) {
    if (!(error instanceof NotSynthesised)) throw error
    throw new CannotStart(`the stack cannot be made:\n${error.message}\nMend that and start again.`)
  }
}

async function runStack(
  assembly: Promise<Assembly>,
  folder: DataFolder,
  { host, port }: RunOptions,
  more: Partial<StackOptions>,
): Promise<RunningStack> {
  try {
    return await RunningStack.start({
      ...more,
      assembly,
      storeFolder: folder.path,
      parameters: folder.parameters,
      host,
      port,
      hostsAt: (taken) => hostsAt(host, taken),
    })
  } catch (error) {
    if (error instanceof CannotStart) throw error
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new CannotStart(`port ${port} of ${host} cannot be used: ${reasonOf(error)}. Use another with --port.`)
    if (error instanceof StoreFailed)
      throw new CannotStart(
        `the store in ${folder.path} cannot be opened: ${reasonOf(error)}\nMove its files away, or start with --fresh, which forgets all jobs and runs.`,
      )
    throw new CannotStart(`the stack cannot be run: ${reasonOf(error)}`)
  }
}

async function atDeploy(stack: RunningStack): Promise<void> {
  try {
    await stack.runAtDeploy()
  } catch (error) {
    throw new CannotStart(`the stack could not be set up: ${reasonOf(error)}\nMend that and start again.`)
  }
}

/** Who has the store has everything: a key whose file was lost, or came from elsewhere, is made good. */
async function ownedKey(world: OpenedWorld, folder: DataFolder): Promise<string> {
  const keys = { ...world, entropy: (count: number) => randomBytes(count) }
  const text = folder.readAdminKey() ?? newKeyText(keys)
  await installAdminKey(keys, text, SYSTEM)
  folder.writeAdminKey(text)
  return text
}

async function saveSamples(url: string, adminKey: string): Promise<void> {
  const items = SAMPLE_JOBS.map(({ name, body }) => ({ put: { name, tags: { sample: 'yes' }, ...body } }))
  const answer = await fetch(`${url}/v1/jobs/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ defaults: { namespace: 'default' }, items }),
  })
  if (!answer.ok) throw new CannotStart(`the sample jobs were refused: ${answer.status} ${await answer.text()}`)
}

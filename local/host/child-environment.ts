// One environment of a function as a process of its own: with the function's memory, and in its environment only what Lambda and the stack
// put there. A handler that blocks, leaks or ends its process harms no other environment.

import { type ChildProcess, fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { REGION } from '../template/intrinsics.ts'
import type { FunctionToRun } from '../template/read-template.ts'
import type { Environment } from './pool.ts'

const RUNTIME = join(import.meta.dirname, 'runtime.mjs')

export interface EnvironmentOptions {
  /** Where the services are, as the SDK reads it from its environment. */
  readonly services: Readonly<Record<string, string>>
  /** A line that the function wrote. */
  onLine(functionId: string, line: string): void
  /** Told of a message that a handler itself sent to its parent, as those of tests do. */
  onNote?(functionId: string, note: unknown): void
  /** How much longer it takes until the first event is served. */
  readonly coldStartMs?: () => number
}

interface Told {
  readonly name: string
  readonly message: string
  readonly stack?: string
}

interface Message {
  readonly ready?: true
  readonly broken?: Told
  readonly call?: number
  readonly answer?: unknown
  readonly error?: Told
}

let started = 0

/** Names as Lambda sets them. Who calls a service is told by the key of the credentials. */
function lambdaEnvironment({ id, folder, handler, memoryMb }: FunctionToRun): Record<string, string> {
  started += 1
  return {
    _HANDLER: handler,
    LAMBDA_TASK_ROOT: folder,
    AWS_LAMBDA_FUNCTION_NAME: id,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_STREAM_NAME: `local/${process.pid}/${started}`,
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_ACCESS_KEY_ID: id,
    AWS_SECRET_ACCESS_KEY: 'local',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    PATH: process.env.PATH ?? '',
  }
}

class FunctionError extends Error {}

function errorOf({ name, message, stack }: Told): FunctionError {
  const error = new FunctionError(`${name}: ${message}`)
  if (stack !== undefined) error.stack = stack
  return error
}

export class ChildEnvironment implements Environment<unknown, unknown> {
  readonly #deployed: FunctionToRun
  readonly #child: ChildProcess
  readonly #ready: Promise<void>
  readonly #calls = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  #count = 0
  #isKilled = false
  /** Whether it can serve another event. */
  isAlive = true

  /** A process of more niceness yields the processor to those of less. */
  constructor(deployed: FunctionToRun, options: EnvironmentOptions, niceness: number) {
    this.#deployed = deployed
    const env = { ...lambdaEnvironment(deployed), ...deployed.environment, ...options.services }
    const [name, exportName] = deployed.handler.split('.')
    this.#child = fork(RUNTIME, [join(deployed.folder, `${name}.mjs`), exportName], {
      cwd: deployed.folder,
      env,
      execArgv: [`--max-old-space-size=${deployed.memoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    if (niceness > 0 && this.#child.pid !== undefined) yieldBy(this.#child.pid, niceness)
    for (const stream of [this.#child.stdout, this.#child.stderr])
      onLines(stream, (line) => options.onLine(deployed.id, line))
    const coldMs = options.coldStartMs?.() ?? 0
    this.#ready = new Promise((resolve, reject) => {
      this.#child.on('message', (message: Message) => {
        if (message.ready === true) setTimeout(resolve, coldMs)
        else if (message.broken !== undefined) reject(errorOf(message.broken))
        else if (message.call === undefined) options.onNote?.(deployed.id, message)
        else this.#answered(message.call, message)
      })
      const ended = (how: string) => {
        this.isAlive = false
        const error = new FunctionError(`the process of ${deployed.id} ended: ${how}`)
        reject(error)
        for (const call of this.#calls.values()) call.reject(error)
        this.#calls.clear()
      }
      this.#child.on('error', (error) => ended(error.message))
      this.#child.on('exit', (code, signal) => ended(signal === 'SIGABRT' ? 'out of memory' : String(signal ?? code)))
    })
    // The call that waits for it hears of it.
    this.#ready.catch(() => {})
  }

  async handle(event: unknown): Promise<unknown> {
    await this.#ready
    const call = this.#count
    this.#count += 1
    const { id, memoryMb, timeoutSeconds } = this.#deployed
    const context = {
      awsRequestId: crypto.randomUUID(),
      functionName: id,
      memoryLimitInMB: String(memoryMb),
      deadlineMs: Date.now() + timeoutSeconds * 1000,
    }
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject })
      this.#child.send({ call, event, context }, (error) => {
        if (error !== null) this.#answered(call, { error: { name: error.name, message: error.message } })
      })
    })
  }

  #answered(call: number, { answer, error }: Message): void {
    const waiting = this.#calls.get(call)
    this.#calls.delete(call)
    if (error === undefined) waiting?.resolve(answer)
    else waiting?.reject(errorOf(error))
  }

  /** A function that threw is called again on Lambda; only one that hangs or is gone is not. */
  kill(): void {
    if (this.#isKilled) return
    this.#isKilled = true
    this.#child.kill('SIGKILL')
  }

  get pid(): number | undefined {
    return this.#child.pid
  }
}

/** A process that has ended already needs no priority. */
function yieldBy(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness)
  } catch {
    // Its end is told to the call that waits for it.
  }
}

/** Whole lines of a stream, as they come. */
function onLines(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  stream?.on('end', () => {
    if (rest !== '') take(rest)
  })
}

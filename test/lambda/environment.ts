// One environment of a function as Lambda makes it: a process with Lambda's runtime client and the function's bundle, and in its environment
// only what Lambda and the stack put there. It can be frozen between two events and killed in the middle of one.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { RUNTIME_CLIENT } from './runtime/install.ts'
import { RuntimeApi } from './runtime-api.ts'

export interface DeployedFunction {
  readonly name: string
  /** The folder of its bundle. */
  readonly folder: string
  readonly handler: string
  readonly memoryMb: number
  readonly timeoutSeconds: number
  /** What the stack sets. */
  readonly environment: Readonly<Record<string, string>>
}

const PRELOAD = join(import.meta.dirname, 'runtime/preload.mjs')
let started = 0

/** As on Lambda; who calls is told by the key of the credentials. */
function lambdaEnvironment({ name, folder, handler, memoryMb }: DeployedFunction, runtimeApi: string) {
  started += 1
  return {
    _HANDLER: handler,
    LAMBDA_TASK_ROOT: folder,
    LAMBDA_RUNTIME_DIR: '/var/runtime',
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: `2026/11/16/[$LATEST]${String(started).padStart(32, '0')}`,
    AWS_LAMBDA_LOG_FORMAT: 'JSON',
    AWS_LAMBDA_LOG_LEVEL: 'INFO',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: name,
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
    TZ: ':UTC',
    LANG: 'en_US.UTF-8',
    PATH: '/usr/local/bin:/usr/bin/:/bin',
  }
}

export class LambdaEnvironment {
  readonly #api: RuntimeApi
  readonly #child: ChildProcess
  readonly #timeoutMs: number
  readonly #ended: Promise<void>
  /** From the start of the process to the first event that it asks for. */
  readonly startMs: Promise<number>
  output = ''

  private constructor(api: RuntimeApi, child: ChildProcess, timeoutMs: number) {
    this.#api = api
    this.#child = child
    this.#timeoutMs = timeoutMs
    const begunMs = performance.now()
    this.startMs = api.ready.then((error) => {
      if (error !== null) throw new Error(`the function did not start: ${error.message}\n${this.output}`)
      return performance.now() - begunMs
    })
    // One that is killed while it starts has no runtime to tell.
    this.startMs.catch(() => {})
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => {
        this.output += part
      })
    this.#ended = new Promise((resolve) => {
      child.on('close', (code, signal) => {
        api.close(new Error(`the environment ended: ${signal ?? code}`))
        resolve()
      })
    })
  }

  static async start(deployed: DeployedFunction, services: Readonly<Record<string, string>>) {
    const api = new RuntimeApi()
    const env = { ...lambdaEnvironment(deployed, await api.listen()), ...deployed.environment, ...services }
    const args = ['--import', PRELOAD, RUNTIME_CLIENT]
    const child = spawn(process.execPath, args, { env, cwd: deployed.folder, stdio: ['ignore', 'pipe', 'pipe'] })
    return new LambdaEnvironment(api, child, deployed.timeoutSeconds * 1000)
  }

  /** The function's answer. Throws what it throws, and where the environment ends meanwhile. */
  async invoke<Answer = unknown>(event: unknown): Promise<Answer> {
    await this.startMs
    return (await this.#api.invoke(event, this.#timeoutMs)) as Answer
  }

  /** The lines that the function wrote, each a JSON of its own. */
  lines(): Record<string, unknown>[] {
    return this.output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  }

  /** As Lambda does, when the function has handed back its answer and asked for the next event. */
  async freeze(): Promise<void> {
    await this.#api.idle()
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }
}

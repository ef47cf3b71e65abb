// The Runtime API of one environment: hands it one event after the other, and takes its answers.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface Invocation {
  readonly event: unknown
  readonly timeoutMs: number
  resolve(answer: unknown): void
  reject(error: Error): void
}

/** What a function says where it fails. */
interface Failure {
  readonly errorType?: string
  readonly errorMessage?: string
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request) text += part
  return text
}

const errorOf = (text: string): Error => {
  const { errorType, errorMessage }: Failure = JSON.parse(text)
  return new Error(`${errorType}: ${errorMessage}`)
}

export class RuntimeApi {
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  readonly #waiting: Invocation[] = []
  #asking: ServerResponse | null = null
  #current: Invocation | null = null
  #count = 0
  readonly #onIdle: (() => void)[] = []
  #onReady: (error: Error | null) => void = () => {}
  /** Kept when the function asks for its first event, or says that it cannot start. */
  readonly ready = new Promise<Error | null>((resolve) => {
    this.#onReady = resolve
  })

  async listen(): Promise<string> {
    // A function may take minutes, and hands back its answer over the connection by which it asked.
    this.#server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    return `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  }

  invoke(event: unknown, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, timeoutMs, resolve, reject })
      this.#handOut()
    })
  }

  /** Returns when the function waits for its next event. */
  async idle(): Promise<void> {
    if (this.#asking === null) await new Promise<void>((resolve) => this.#onIdle.push(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request)
    const what = request.url?.split('/').at(-1)
    if (what === 'next') {
      this.#asking = response
      this.#onReady(null)
      for (const tell of this.#onIdle.splice(0)) tell()
      this.#handOut()
      return
    }
    const isInit = request.url?.endsWith('/init/error') === true
    if (isInit) this.#onReady(errorOf(text))
    else if (what === 'error') this.#current?.reject(errorOf(text))
    else this.#current?.resolve(text === '' ? undefined : JSON.parse(text))
    this.#current = null
    response.writeHead(202).end()
  }

  #handOut(): void {
    const response = this.#asking
    const next = response === null ? undefined : this.#waiting.shift()
    if (response === null || next === undefined) return
    this.#asking = null
    this.#current = next
    this.#count += 1
    response.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': `request-${this.#count}`,
      'lambda-runtime-deadline-ms': String(Date.now() + next.timeoutMs),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:000000000000:function:this',
      'lambda-runtime-trace-id': `Root=1-5759e988-bd862e3fe1be46a99427${String(this.#count).padStart(4, '0')};Sampled=0`,
    })
    response.end(JSON.stringify(next.event))
  }

  /** Whatever is asked for gets no answer any more. */
  close(why: Error): void {
    this.#onReady(why)
    for (const { reject } of [...(this.#current === null ? [] : [this.#current]), ...this.#waiting]) reject(why)
    this.#current = null
    this.#waiting.length = 0
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

// Stands in front of an engine: every call is told and may be delayed, refused or left without an answer, and the store's time may be moved.
// It sees what a function really asks for, not what its code was meant to.

import { Agent, request as ask, createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine } from './dynamodb.ts'

export type Service = 'dynamodb' | 'sqs' | 'events' | 'ssm'

export interface ServiceCall {
  readonly service: Service
  /** The access key that signed it. */
  readonly by: string
  readonly operation: string
  // biome-ignore lint/suspicious/noExplicitAny: each operation has a body of its own
  readonly body: any
  /** The same for all tries of one call. */
  readonly invocation: string
}

/** What becomes of a call: its answer is lost after the engine has done what was asked for, or it is refused for good. */
export type Fate = 'arrives' | 'answer lost' | 'refused'

export interface Weather {
  fateOf?(call: ServiceCall): Fate
  /** How far the store's clock is ahead of the machine's. */
  readonly aheadMs?: number
  /** How long a call takes beyond what it takes here. A call that waits for messages takes no more. */
  delayMs?(): number
}

/** As SQS refuses a message that it will never take. */
const REFUSAL = { __type: 'com.amazonaws.sqs#InvalidMessageContents', message: 'refused by the weather' }

function callOf(service: Service, headers: IncomingHttpHeaders, text: string): ServiceCall {
  return {
    service,
    by: /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '',
    operation: String(headers['x-amz-target']).split('.').at(-1) ?? '',
    body: text === '' ? {} : JSON.parse(text),
    invocation: String(headers['amz-sdk-invocation-id']),
  }
}

/** `engine` is where calls go on to. */
export async function startProxy(
  service: Service,
  engine: string,
  weather: Weather,
  onCall?: (call: ServiceCall) => void,
): Promise<Engine> {
  const { hostname, port } = new URL(engine)
  const agent = new Agent({ keepAlive: true })
  const isWatched = onCall !== undefined || weather.fateOf !== undefined
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      const { method, url: path, headers } = request
      const call = isWatched ? callOf(service, headers, body.toString()) : null
      if (call !== null) onCall?.(call)
      const fate = call === null ? 'arrives' : (weather.fateOf?.(call) ?? 'arrives')
      if (fate === 'refused') {
        response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' })
        return response.end(JSON.stringify(REFUSAL))
      }
      const onward = () => {
        const passed = ask({ hostname, port, method, path, headers, agent }, (answer) => {
          const answered: Buffer[] = []
          answer.on('data', (part: Buffer) => answered.push(part))
          answer.on('end', () => {
            if (fate === 'answer lost') return request.socket.destroy()
            const date = new Date(Date.now() + (weather.aheadMs ?? 0)).toUTCString()
            const { 'transfer-encoding': _, ...rest } = answer.headers
            const whole = Buffer.concat(answered)
            response.writeHead(answer.statusCode ?? 500, { ...rest, date, 'content-length': whole.length })
            response.end(whole)
          })
        })
        passed.on('error', () => request.socket.destroy())
        passed.end(body)
      }
      const delayMs = weather.delayMs?.() ?? 0
      if (delayMs > 0) setTimeout(onward, delayMs)
      else onward()
    })
  })
  // The SDK keeps connections for longer than Node does, and would meet closed ones.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        agent.destroy()
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

// A small service with AWS's JSON protocol on loopback: takes an action and its input over HTTP and answers.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine } from './dynamodb.ts'

export interface ServiceAnswer {
  readonly status: number
  readonly body: object
}

/** `input` is the parsed body of the request. */
export async function startJsonService(answer: (action: string, input: unknown) => ServiceAnswer): Promise<Engine> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const action = String(request.headers['x-amz-target']).split('.').at(-1) ?? ''
      const { status, body } = answer(action, JSON.parse(Buffer.concat(parts).toString()))
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(JSON.stringify(body))
    })
  })
  // The SDK keeps connections for longer than Node does, and would meet closed ones.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

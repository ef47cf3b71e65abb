// A small SSM parameter store: takes GetParameter and PutParameter over HTTP as the service does.

import { createServer } from 'node:http'
import type { Engine } from './dynamodb.ts'

interface Asked {
  readonly Name: string
  readonly Value?: string
  readonly Type?: string
  readonly Overwrite?: boolean
}

/** `values` holds what is kept, by name; the caller may change it, as an operator may. */
export async function startParameters(values: Map<string, string>): Promise<Engine> {
  const answer = (
    action: string | undefined,
    { Name, Value = '', Type, Overwrite = false }: Asked,
  ): [number, object] => {
    const found = values.get(Name)
    if (action === 'GetParameter') {
      if (found === undefined) return [400, { __type: 'ParameterNotFound' }]
      return [200, { Parameter: { Name, Type: Type ?? 'SecureString', Value: found, Version: 1 } }]
    }
    if (action !== 'PutParameter') return [400, { __type: 'InvalidAction' }]
    if (found !== undefined && !Overwrite) return [400, { __type: 'ParameterAlreadyExists' }]
    values.set(Name, Value)
    return [200, { Version: 1, Tier: 'Standard' }]
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const action = String(request.headers['x-amz-target']).split('.').at(-1)
      const [status, body] = answer(action, JSON.parse(Buffer.concat(parts).toString()))
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

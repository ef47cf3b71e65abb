// A small EventBridge: takes PutEvents over HTTP as the service does and hands each event to a listener.

import { createServer } from 'node:http'
import type { Engine } from './dynamodb.ts'

export interface PutEntry {
  readonly EventBusName: string
  readonly Source: string
  readonly DetailType: string
  readonly Detail: string
  readonly TraceHeader?: string
}

/** Null where the event is taken, otherwise the code with which it is refused. */
export type TakeEvent = (entry: PutEntry) => string | null

export async function startEventBus(take: TakeEvent): Promise<Engine> {
  let taken = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { Entries }: { Entries: PutEntry[] } = JSON.parse(Buffer.concat(parts).toString())
      const results = Entries.map((entry) => {
        const code = take(entry)
        taken += 1
        return code === null ? { EventId: String(taken) } : { ErrorCode: code, ErrorMessage: 'refused' }
      })
      const FailedEntryCount = results.filter((result) => 'ErrorCode' in result).length
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
      response.end(JSON.stringify({ FailedEntryCount, Entries: results }))
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

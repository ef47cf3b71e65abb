// The gateway in small: takes HTTP on this machine and hands it to the API as events of format 2.0.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Api } from '../../functions/http/door.ts'
import type { GatewayEvent, GatewayResult } from '../../functions/http/gateway.ts'

/** A little more than the largest body that any route takes; the gateway's own limit is 10 MB. */
const MOST_BYTES = 5 * 1024 * 1024
const HEADERS_WITHIN_MS = 10_000
const REQUEST_WITHIN_MS = 30_000
const IDLE_MS = 5000

export interface ApiServer {
  readonly port: number
  stop(): Promise<void>
}

/** Throws where the port is taken. */
export function serveApi(
  api: Api,
  host: string,
  port: number,
  headersWithinMs = HEADERS_WITHIN_MS,
): Promise<ApiServer> {
  const server = createServer(
    // Node looks for the late every half minute unless it is told to look more often.
    {
      requestTimeout: REQUEST_WITHIN_MS,
      headersTimeout: headersWithinMs,
      connectionsCheckingInterval: headersWithinMs / 2,
    },
    (request, response) => {
      void answer(api, request, response)
    },
  )
  server.keepAliveTimeout = IDLE_MS
  server.on('clientError', (_, socket) => {
    if (!socket.writable) return
    const text = refusal(400, 'bad-request', 'The request cannot be read', 'it is not HTTP as this server reads it')
    socket.end(
      `HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`,
    )
  })
  return new Promise((resolve, reject) => {
    server.on('error', reject)
    server.listen(port, host, () => resolve({ port: portOf(server), stop: () => stop(server) }))
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

const refusal = (status: number, code: string, title: string, detail: string): string =>
  JSON.stringify({ type: `urn:tickring:problem:${code}`, title, status, code, detail, requestId: '', errors: [] })

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await bodyOf(request)
    if (body === null) {
      const text = refusal(413, 'too-large', 'The body is too large', `a body may have ${MOST_BYTES} bytes at most`)
      response.writeHead(413, { 'content-type': 'application/problem+json', connection: 'close' }).end(text)
      request.destroy()
      return
    }
    const event = eventOf(request, body)
    if (event === null) {
      const text = refusal(400, 'bad-request', 'The request cannot be read', 'the path is not encoded as UTF-8')
      response.writeHead(400, { 'content-type': 'application/problem+json' }).end(text)
      return
    }
    write(response, await api(event))
  } catch {
    // The caller went away, or sent less than it announced.
    response.destroy()
  }
}

/** Null where there is too much of it. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The gateway decodes the path and joins repeated headers; so does this. */
function eventOf(request: IncomingMessage, body: Buffer): GatewayEvent | null {
  const [path, ...query] = (request.url ?? '/').split('?')
  const rawPath = decoded(path)
  if (rawPath === null) return null
  const text = body.toString('utf8')
  const isText = Buffer.from(text).equals(body)
  const headers = Object.fromEntries(
    Object.entries(request.headersDistinct).map(([name, values]) => [name, values?.join(',')]),
  )
  return {
    version: '2.0',
    rawPath,
    rawQueryString: query.join('?'),
    headers,
    requestContext: { http: { method: request.method ?? 'GET', sourceIp: request.socket.remoteAddress ?? '' } },
    ...(body.length === 0 ? {} : { body: isText ? text : body.toString('base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path)
  } catch {
    return null
  }
}

/** Of HEAD only the function knows how long the answer to GET would be. */
function write(response: ServerResponse, { statusCode, headers, body, isBase64Encoded = false }: GatewayResult): void {
  const content = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  const isHead = response.req.method === 'HEAD'
  response.writeHead(statusCode, {
    ...headers,
    ...(statusCode === 204 || isHead ? {} : { 'content-length': content.length }),
  })
  response.end(content)
}

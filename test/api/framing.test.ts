// What arrives over a real socket: bodies that are announced wrongly, compressed, chunked badly or never end. The gateway of this
// machine answers them or hangs up, and goes on.

import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiServer, serveApi } from '../../local/gateway/server.ts'
import { type OpenedApi, openApi } from '../support/api/open-api.ts'
import { dump } from '../support/api/refusal.ts'

let server: ApiServer
let opened: OpenedApi
let head: string

beforeAll(async () => {
  // The names under which a server answers have its port in them, which is known once it listens.
  opened = await openApi({ hosts: [] })
  server = await serveApi(opened.api, '127.0.0.1', 0)
  head = `host: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${opened.admin}\r\n`
})
afterAll(() => server.stop())

let before: string
beforeEach(async () => {
  before = await dump(opened)
})

interface Heard {
  /** The status of every answer on the connection. */
  readonly statuses: readonly number[]
  readonly text: string
}

/** Sends bytes, waits until the other side hangs up or has been silent for a while, and tells what came. */
function send(parts: readonly (string | Buffer)[], silentMs = 1500): Promise<Heard> {
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    const done = () => {
      socket.destroy()
      resolve({ statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)), text })
    }
    socket.setTimeout(silentMs, done)
    socket.on('data', (data) => {
      text += data.toString('latin1')
    })
    socket.on('error', done)
    socket.on('close', done)
    for (const part of parts) socket.write(part)
  })
}

const BODY = '{"schedules":[{"every":30}],"target":{"type":"handler","handler":"echo"}}'
const JSON_TYPE = 'content-type: application/json\r\n'
const put = (headers: string, body: string | Buffer, method = 'PUT') => [
  `${method} /v1/jobs/default/framed HTTP/1.1\r\n${head}${headers}connection: close\r\n\r\n`,
  body,
]

async function nothingChanged(): Promise<void> {
  expect((await dump(opened)) === before, 'nothing changed').toBe(true)
  const { statuses } = await send([`GET /v1/health HTTP/1.1\r\n${head}connection: close\r\n\r\n`])
  expect(statuses, 'the server goes on').toEqual([200])
}

const problemIn = ({ text }: Heard) => JSON.parse(text.slice(text.indexOf('{"type"'), text.lastIndexOf('}') + 1))

describe('a body that is announced wrongly', () => {
  test('a Content-Length that is too small cuts the JSON, and what is left over is no request: 400', async () => {
    const { statuses } = await send(put(`${JSON_TYPE}content-length: 20\r\n`, BODY))
    expect(statuses[0]).toBe(400)
    await nothingChanged()
  })

  test('a Content-Length that is too large is waited for, and nothing is done when the caller gives up', async () => {
    const { statuses } = await send(put(`${JSON_TYPE}content-length: ${BODY.length + 10}\r\n`, BODY), 500)
    expect(statuses).toEqual([])
    await nothingChanged()
  })

  const unread: [string, string, string][] = [
    ['a chunk whose size is no number', 'transfer-encoding: chunked\r\n', `xyz\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk of a negative size', 'transfer-encoding: chunked\r\n', `-5\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk of an endless size', 'transfer-encoding: chunked\r\n', `${'f'.repeat(40)}\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk that is longer than it says', 'transfer-encoding: chunked\r\n', `5\r\n${BODY}\r\n0\r\n\r\n`],
    ['both Content-Length and chunks', `content-length: 5\r\ntransfer-encoding: chunked\r\n`, `0\r\n\r\n${BODY}`],
    ['two lengths', `content-length: 5\r\ncontent-length: ${BODY.length}\r\n`, BODY],
    ['a length that is no number', 'content-length: many\r\n', BODY],
    ['a negative length', 'content-length: -1\r\n', BODY],
    ['an unknown transfer encoding', 'transfer-encoding: gzip\r\n', BODY],
    ['a header without a name', ': x\r\ncontent-length: 0\r\n', ''],
    ['a header with a bare line break', 'x-a: b\n\rc\r\ncontent-length: 0\r\n', ''],
  ]
  test.each(unread)('%s is 400 in the one shape', async (_, headers, body) => {
    const heard = await send(put(`${JSON_TYPE}${headers}`, body))
    expect(heard.statuses).toEqual([400])
    expect(problemIn(heard)).toMatchObject({ status: 400, code: 'bad-request', errors: [] })
    await nothingChanged()
  })

  test('headers of more than 16 kB are refused', async () => {
    const { statuses } = await send(put(`${JSON_TYPE}x-long: ${'x'.repeat(20_000)}\r\ncontent-length: 0\r\n`, ''))
    expect(statuses).toHaveLength(1)
    expect([400, 431]).toContain(statuses[0])
    await nothingChanged()
  })

  test('what is not HTTP is 400', async () => {
    expect((await send(['hello\r\n\r\n'])).statuses).toEqual([400])
    expect((await send([Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00])])).statuses).toEqual([400])
    await nothingChanged()
  })
})

describe('a body that is not what it seems', () => {
  const sized = (body: Buffer | string, headers = '') =>
    `${JSON_TYPE}${headers}content-length: ${Buffer.byteLength(body)}\r\n`

  test('10 kB that would unfold to 10 MB are 415, not unfolded', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '))
    const heard = await send(put(sized(bomb, 'content-encoding: gzip\r\n'), bomb))
    expect(heard.statuses).toEqual([415])
    await nothingChanged()
  })

  test('the same without a word about it is 400: it is no JSON', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024, ' '))
    expect((await send(put(sized(bomb), bomb))).statuses).toEqual([400])
    await nothingChanged()
  })

  test.each([
    ['UTF-16', Buffer.from(`\uFEFF${BODY}`, 'utf16le')],
    ['a byte order mark', Buffer.from(`\uFEFF${BODY}`)],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['a NUL byte', Buffer.from(`${BODY}\u0000`)],
  ])('%s is 400 bad-json', async (_, body) => {
    const heard = await send(put(sized(body), body))
    expect(heard.statuses).toEqual([400])
    expect(problemIn(heard).code).toBe('bad-json')
    await nothingChanged()
  })

  test.each([['GET'], ['DELETE'], ['HEAD']])('a body with %s is 400', async (method) => {
    const { statuses } = await send(put(sized(BODY), BODY, method))
    expect(statuses).toEqual([400])
    await nothingChanged()
  })

  test('10 MB are 413, also in chunks, and the connection ends', async () => {
    const big = Buffer.alloc(10 * 1024 * 1024, ' ')
    const heard = await send(put(sized(big), big), 5000)
    expect(heard.statuses).toEqual([413])
    const size = big.length.toString(16)
    const chunked = put(`${JSON_TYPE}transfer-encoding: chunked\r\n`, Buffer.concat([Buffer.from(`${size}\r\n`), big]))
    expect((await send(chunked, 5000)).statuses).toEqual([413])
    await nothingChanged()
  })

  test('chunks that are right are taken as any body', async () => {
    const half = 20
    const chunks = [BODY.slice(0, half), BODY.slice(half)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
    const asked = `PUT /v1/jobs/default/framed?dryRun HTTP/1.1\r\n${head}${JSON_TYPE}transfer-encoding: chunked\r\nconnection: close\r\n\r\n`
    expect((await send([asked, ...chunks, '0\r\n\r\n'])).statuses).toEqual([200])
    await nothingChanged()
  })
})

describe('a path over the wire', () => {
  test.each([
    ['/v1/jobs/default/%', 400],
    ['/v1/jobs/default/%c0%ae', 400],
    ['/v1/jobs/default/%ff', 400],
    ['/v1/jobs/default/%00', 400],
    ['/v1/jobs/default/..%2fother', 404],
    ['/v1/jobs/default/%2e%2e', 400],
    ['/v1/jobs/default/%252e', 400],
    ['/v1/jobs/default/a%3fb', 400],
    ['/v1/jobs/default/a%23b', 400],
    ['/v1/jobs/%64efault/none', 404],
    ['http://evil.example/v1/jobs', 404],
    ['*', 404],
    ['/v1/health?a=%00', 400],
  ])('GET %s is %i', async (path, status) => {
    const heard = await send([`GET ${path} HTTP/1.1\r\n${head}connection: close\r\n\r\n`])
    expect(heard.statuses).toEqual([status])
    expect(problemIn(heard)).toMatchObject({ status })
    await nothingChanged()
  })

  test('a thousand requests on one connection are each answered, in order', async () => {
    const one = `GET /v1/health HTTP/1.1\r\n${head}\r\n`
    const { statuses } = await send(
      [one.repeat(999), `GET /v1/none HTTP/1.1\r\n${head}connection: close\r\n\r\n`],
      5000,
    )
    expect(statuses).toHaveLength(1000)
    expect(statuses.slice(0, -1).every((status) => status === 200)).toBe(true)
    expect(statuses.at(-1)).toBe(404)
  })

  test('repeated headers are joined, so a repeated Authorization is no key', async () => {
    const heard = await send([`GET /v1/me HTTP/1.1\r\n${head}authorization: Bearer x\r\nconnection: close\r\n\r\n`])
    expect(heard.statuses).toEqual([401])
  })
})

test('headers that come a byte at a time do not keep others waiting, and are cut off when their time is over', async () => {
  const hasty = await serveApi(opened.api, '127.0.0.1', 0, 1000)
  const started = performance.now()
  const slow = connect(hasty.port, '127.0.0.1')
  slow.resume()
  slow.write('GET /v1/health HTTP/1.1\r\n')
  const drip = setInterval(() => slow.write('x'), 100)
  const closed = new Promise<void>((resolve) => {
    slow.on('close', () => resolve())
    slow.on('error', () => resolve())
  })
  const other = await fetch(`http://127.0.0.1:${hasty.port}/v1/health`)
  expect(other.status).toBe(200)
  await closed
  clearInterval(drip)
  expect(performance.now() - started).toBeGreaterThan(900)
  expect(performance.now() - started).toBeLessThan(10_000)
  await hasty.stop()
})

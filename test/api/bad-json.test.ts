// Bodies that are no JSON, or JSON that is a trap.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenedApi } from '../support/api/open-api.ts'
import { openForRefusals } from '../support/api/refusal.ts'

let api: Awaited<ReturnType<typeof openForRefusals>>
beforeAll(async () => {
  api = await openForRefusals()
})

const JOB = '/v1/jobs/default/new'
const REST = '"schedules":[{"every":30}],"target":{"type":"handler","handler":"echo"}'
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const bytes = (...of: number[]) => Buffer.from(of).toString('base64')
const asBytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('base64')

describe('what is not JSON in UTF-8 is 400 bad-json', () => {
  test.each([
    ['no JSON at all', 'hello'],
    ['a form', 'schedules=1&target=2'],
    ['cut off in the middle', `{${REST.slice(0, 40)}`],
    ['followed by more', `{${REST}} x`],
    ['two values', `{${REST}}{}`],
    ['a trailing comma', `{${REST},}`],
    ['a comment', `{/* why */${REST}}`],
    ['single quotes', "{'a':1}"],
    ['NaN', `{${REST},"payload":NaN}`],
    ['Infinity', `{${REST},"payload":Infinity}`],
    ['a leading zero', `{${REST},"priority":01}`],
    ['a leading plus', `{${REST},"priority":+1}`],
    ['a raw line break in text', `{${REST},"description":"a\nb"}`],
    ['a byte order mark', `\uFEFF{${REST}}`],
    ['blanks only', '   '],
    ['the same key twice', `{${REST},"priority":1,"priority":2}`],
    ['the same key twice, once escaped', `{${REST},"priority":1,"\\u0070riority":2}`],
    ['the same key twice deep inside', `{${REST},"payload":{"a":[{"b":1,"b":1}]}}`],
  ])('%s', async (_, raw) => {
    await api.refused('PUT', JOB, { raw }, { status: 400, code: 'bad-json', faults: [] })
  })

  test.each([
    ['UTF-16', asBytes(`{${REST}}`, 'utf16le')],
    ['Latin-1', asBytes(`{${REST},"description":"\u00e9"}`, 'latin1')],
    ['a cut character', bytes(0x22, 0xe6, 0x8a, 0x22)],
    ['an overlong slash', bytes(0x22, 0xc0, 0xaf, 0x22)],
    ['a surrogate in UTF-8', bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['gzip under no name', bytes(0x1f, 0x8b, 0x08, 0x00)],
  ])('%s as bytes', async (_, raw) => {
    await api.refused('PUT', JOB, { raw, isBase64: true }, { status: 400, code: 'bad-json', faults: [] })
  })
})

describe('JSON that is a trap is 422, with its place', () => {
  test.each([
    ['21 levels', `{${REST},"payload":${nested(20)}}`, ['body ']],
    ['10,000 levels', `{${REST},"payload":${nested(10_000)}}`, ['body ']],
    ['50,000 levels of objects', `{${REST},"payload":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`, ['body ']],
    ['__proto__', `{${REST},"__proto__":{"a":1}}`, ['body /__proto__']],
    ['__proto__, escaped', `{${REST},"payload":{"\\u005f_proto__":{"a":1}}}`, ['body /payload/__proto__']],
    ['__proto__ in tags', `{${REST},"tags":{"__proto__":"x"}}`, ['body /tags/__proto__']],
    ['half a surrogate pair', `{${REST},"description":"\\ud800"}`, ['body /description']],
    ['half a surrogate pair as a key', `{${REST},"payload":{"\\udc00":1}}`, ['body /payload/\udc00']],
    ['1e400', `{${REST},"payload":[0,1e400]}`, ['body /payload/1']],
    ['2^53 + 1', `{${REST},"payload":{"id":9007199254740993}}`, ['body /payload/id']],
    ['more digits than a double has', `{${REST},"payload":0.1234567890123456789}`, ['body /payload']],
    ['too small a number', `{${REST},"payload":1e-400}`, ['body /payload']],
    [
      'two traps at once',
      `{${REST},"payload":{"a":1e400},"description":"\\ud800"}`,
      ['body /payload/a', 'body /description'],
    ],
    ['constructor as a field', `{${REST},"constructor":{"prototype":{"a":1}}}`, ['body /constructor']],
    ['toString as a field', `{${REST},"toString":1}`, ['body /toString']],
    ['a list', '[]', ['body ']],
    ['text', '"hello"', ['body ']],
    ['null', 'null', ['body ']],
    ['a number', '5', ['body ']],
    ['true', 'true', ['body ']],
    ['100,000 elements', `{${REST},"payload":[${'1,'.repeat(100_000)}1]}`, ['body /payload']],
    ['a key of 200 kB', `{${REST},"${'k'.repeat(200_000)}":1}`, [`body /${'k'.repeat(60)}…`]],
    [
      '10,000 unknown keys',
      `{${REST},${Array.from({ length: 10_000 }, (_, n) => `"k${n}":1`).join()}}`,
      [...Array.from({ length: 20 }, (_, n) => `body /k${n}`), 'body '],
    ],
  ])('%s', async (_, raw, faults) => {
    await api.refused('PUT', JOB, { raw }, { status: 422, code: 'invalid', faults })
  })
})

describe('what can be kept exactly is kept exactly', () => {
  test.each([
    ['20 levels', nested(19)],
    [
      'constructor and toString as keys of a payload',
      '{"constructor":{"prototype":1},"toString":2,"hasOwnProperty":3}',
    ],
    ['numbers in another spelling', '[1.50,1E2,0.1,9007199254740992,5e-324,1.7976931348623157e308]'],
    ['NUL and other control characters in text', '"\\u0000\\u001f\\u007f"'],
    ['characters beyond the first plane', '"\\ud83c\\udf89 🎉"'],
    ['an empty key', '{"":0}'],
  ])('%s', async (_, payload) => {
    const { ask } = await openForRefusals()
    const saved = await ask('PUT', JOB, { raw: `{${REST},"payload":${payload}}` })
    expect(saved.status, saved.text).toBe(201)
    const read = await ask('GET', JOB)
    expect(read.json.payload).toEqual(JSON.parse(payload))
  })
})

describe('too much, or of another kind', () => {
  const text = (size: number) => `{${REST},"payload":"${'x'.repeat(size)}"}`

  test('a body of more than 256 kB is 413', async () => {
    const raw = `${' '.repeat(256 * 1024)}{}`
    await api.refused('PUT', JOB, { raw }, { status: 413, code: 'too-large', faults: [] })
  })

  test('a body of 256 kB is read: what is in it decides', async () => {
    const raw = text(256 * 1024 - text(0).length)
    expect(Buffer.byteLength(raw)).toBe(256 * 1024)
    await api.refused('PUT', JOB, { raw }, { status: 422, code: 'invalid', faults: ['body /payload'] })
  })

  test('the limit is counted in bytes, not in characters', async () => {
    const raw = `{${REST},"description":"${'报'.repeat(90_000)}"}`
    await api.refused('PUT', JOB, { raw }, { status: 413, code: 'too-large', faults: [] })
  })

  test('a payload of 64 kB is kept, and one of a byte more is 422', async () => {
    await api.refused(
      'PUT',
      JOB,
      { raw: text(64 * 1024 - 1) },
      { status: 422, code: 'invalid', faults: ['body /payload'] },
    )
    const { ask } = await openForRefusals()
    expect((await ask('PUT', JOB, { raw: text(64 * 1024 - 2) })).status).toBe(201)
  })

  test.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['multipart/form-data; boundary=x'],
    ['application/merge-patch+json'],
    ['application/json; charset=utf-16'],
    ['application/json, application/json'],
    [''],
  ])('a body of type %j is 415', async (type) => {
    const asked = { raw: `{${REST}}`, headers: { 'content-type': type } }
    await api.refused('PUT', JOB, asked, { status: 415, code: 'unsupported-media-type', faults: [] })
  })

  test('a compressed body is 415: it could unfold to anything', async () => {
    const asked = { raw: `{${REST}}`, headers: { 'content-encoding': 'gzip' } }
    await api.refused('PUT', JOB, asked, { status: 415, code: 'unsupported-media-type', faults: [] })
  })

  test.each([
    ['GET', '/v1/jobs/default/there'],
    ['DELETE', '/v1/jobs/default/there'],
    ['GET', '/v1/me'],
    ['DELETE', '/v1/calendars/default/there'],
  ])('a body with %s %s is 400', async (method, path) => {
    await api.refused(method, path, { body: {} }, { status: 400, code: 'bad-request', faults: ['body '] })
  })

  test('a PUT without a body is told all that is missing', async () => {
    const faults = ['body /target', 'body /schedules']
    await api.refused('PUT', JOB, {}, { status: 422, code: 'invalid', faults })
  })
})

afterAll(() => {
  const { lines }: Pick<OpenedApi, 'lines'> = api
  expect(lines, 'nothing was worth a line in the log').toEqual([])
})

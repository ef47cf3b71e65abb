// Keys of the API: their text, and what opens them.

import { expect, test } from 'vitest'
import {
  digestOf,
  isAdminOfAll,
  KEYS_IN_TEXT,
  keyBody,
  keyIdOf,
  keyText,
  leavesAnAdmin,
  opens,
  parseKey,
  type StoredKey,
  secretOf,
} from '../../../shared/core/access/key.ts'

const bytes = (count: number, value: number) => new Uint8Array(count).fill(value)
const SECRET = secretOf(bytes(32, 255))
const OLD = secretOf(bytes(32, 1))

const key = (part: Partial<StoredKey> = {}): StoredKey => ({
  id: 'abcdefgh',
  name: 'ops',
  role: 'admin',
  namespaces: ['*'],
  digest: digestOf(SECRET),
  previous: null,
  createdAtMs: 0,
  expiresAt: null,
  lastUsedAtMs: null,
  ...part,
})

test('a key is read back from its text, and 256 random bits are 43 digits', () => {
  const id = keyIdOf(bytes(8, 7))
  expect(id).toMatch(/^[0-9A-Za-z]{8}$/)
  expect(SECRET).toMatch(/^[0-9A-Za-z]{43}$/)
  expect(parseKey(keyText(id, SECRET))).toEqual({ id, secret: SECRET })
})

test.each(['', 'tkr_', 'tkr_ab_x', `tkr_abcdefgh_${'a'.repeat(42)}`, ` ${keyText('abcdefgh', SECRET)}`])(
  '%j is no key',
  (text) => expect(parseKey(text)).toBeNull(),
)

test('only its own secret opens a key, and no secret opens one that is not there', () => {
  expect(opens(key(), SECRET, 100)).toBe(true)
  expect(opens(key(), OLD, 100)).toBe(false)
  expect(opens(null, SECRET, 100)).toBe(false)
  expect(opens(null, '', 100)).toBe(false)
  expect(opens(key(), '', 100)).toBe(false)
})

test('an expired key opens nothing from its second on', () => {
  expect(opens(key({ expiresAt: 101 }), SECRET, 100)).toBe(true)
  expect(opens(key({ expiresAt: 101 }), SECRET, 101)).toBe(false)
})

test('after a rotation both secrets open until the overlap is over', () => {
  const rotated = key({ previous: { digest: digestOf(OLD), until: 200 } })
  expect(opens(rotated, SECRET, 199)).toBe(true)
  expect(opens(rotated, OLD, 199)).toBe(true)
  expect(opens(rotated, OLD, 200)).toBe(false)
})

test('the last lasting admin of everything is known', () => {
  const others = [key({ id: 'a', role: 'editor' }), key({ id: 'b', expiresAt: 5 }), key({ id: 'c', namespaces: ['x'] })]
  expect(leavesAnAdmin([key(), ...others], 'abcdefgh')).toBe(false)
  expect(leavesAnAdmin([key(), key({ id: 'second' })], 'abcdefgh')).toBe(true)
  expect(isAdminOfAll(key())).toBe(true)
  expect(isAdminOfAll(key({ role: 'editor' }))).toBe(false)
  expect(isAdminOfAll(key({ namespaces: ['cust-*'] }))).toBe(false)
})

test('a key inside a text is found, and a text without one is left alone', () => {
  const masked = (text: string) => text.replace(KEYS_IN_TEXT, 'X')
  expect(masked(`GET /x?${keyText('abcdefgh', SECRET)} now`)).toBe('GET /x?X now')
  expect(masked('tkr_ and nothing')).toBe('tkr_ and nothing')
})

test.each(['*', 'billing', 'cust-*'])('a key may reach %s', (namespace) => {
  expect(keyBody.safeParse({ name: 'k', role: 'viewer', namespaces: [namespace] }).success).toBe(true)
})

test.each(['', '**', 'A', '*-x', 'a*b'])('a key cannot reach %j', (namespace) => {
  expect(keyBody.safeParse({ name: 'k', role: 'viewer', namespaces: [namespace] }).success).toBe(false)
})

// A key of the API: its text, its digest, and whether it opens. The secret is shown once and kept nowhere.

import { createHash, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { name } from '../fields.ts'
import { coversAll, ROLES } from './role.ts'

const KEY_TEXT = /^tkr_([0-9A-Za-z]{6,16})_([0-9A-Za-z]{43})$/

/** Any key of ours inside a longer text, also where that was folded to one case, as in messages about a cron. */
export const KEYS_IN_TEXT = /tkr_[0-9a-z]{1,16}_[0-9a-z]+/gi

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_DIGITS = 43
const ID_DIGITS = 8

const pattern = z
  .string()
  .regex(/^(\*|[a-z0-9][a-z0-9._-]{0,125}|[a-z0-9][a-z0-9._-]{0,124}\*)$/, 'Use a name, prefix-* or *')

export const keyBody = z.strictObject({
  name,
  role: z.enum(ROLES),
  namespaces: z.array(pattern).min(1).max(50),
  expiresAt: z.string().nullable().default(null),
})

export const storedKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  namespaces: z.array(z.string()),
  /** SHA-256 of the secret, in hex. */
  digest: z.string(),
  /** The digest before the last rotation, which opens until a second. */
  previous: z.object({ digest: z.string(), until: z.int() }).nullable(),
  createdAtMs: z.number(),
  /** The second from which it opens nothing; null where it never ends. */
  expiresAt: z.int().nullable(),
  lastUsedAtMs: z.number().nullable(),
})

export type StoredKey = Readonly<z.infer<typeof storedKeySchema>>

/** `digits` of the base62 alphabet, of so many random bytes that no digit is more likely than another by much. */
function digitsOf(random: Uint8Array, digits: number): string {
  let number = random.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  let text = ''
  for (let digit = 0; digit < digits; digit++) {
    text = DIGITS[Number(number % 62n)] + text
    number /= 62n
  }
  return text
}

/** 256 random bits as text. */
export const secretOf = (random: Uint8Array): string => digitsOf(random, SECRET_DIGITS)
export const keyIdOf = (random: Uint8Array): string => digitsOf(random, ID_DIGITS)

export const keyText = (id: string, secret: string): string => `tkr_${id}_${secret}`

/** The parts of a key, or null where the text is none. */
export function parseKey(text: string): { readonly id: string; readonly secret: string } | null {
  const parts = KEY_TEXT.exec(text)
  return parts === null ? null : { id: parts[1], secret: parts[2] }
}

export const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Compared when there is no such key, so that an unknown id takes as long as a wrong secret. */
const NO_DIGEST = digestOf('')

const isSameDigest = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Whether a secret opens a key at a second. */
export function opens(key: StoredKey | null, secret: string, second: number): boolean {
  const asked = digestOf(secret)
  const isCurrent = isSameDigest(asked, key?.digest ?? NO_DIGEST)
  const isPrevious = isSameDigest(asked, key?.previous?.digest ?? NO_DIGEST)
  if (key === null || (key.expiresAt !== null && key.expiresAt <= second)) return false
  return isCurrent || (isPrevious && key.previous !== null && second < key.previous.until)
}

/** One that can do everything, for ever. The last of them cannot be taken away. */
const isLastingAdmin = ({ role, namespaces, expiresAt }: StoredKey): boolean =>
  role === 'admin' && coversAll(namespaces) && expiresAt === null

/** Whether keys would still hold an admin of everything after one of them is gone. */
export const leavesAnAdmin = (keys: readonly StoredKey[], withoutId: string): boolean =>
  keys.some((key) => key.id !== withoutId && isLastingAdmin(key))

export const isAdminOfAll = ({ role, namespaces }: Pick<StoredKey, 'role' | 'namespaces'>): boolean =>
  role === 'admin' && coversAll(namespaces)

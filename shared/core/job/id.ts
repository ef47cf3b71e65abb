// A job's id is a digest of its name, so that a name finds its job without a look-up. The id's last bits are its shard,
// its first bits its page: two independent parts of one number.

import { digest64 } from '../digest.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ID_LENGTH = 11

export const jobIdOf = (namespace: string, name: string): string => idOfText(`${namespace}/${name}`)

/** An id that follows from a text: the same text, the same id. */
export const idOfText = (text: string): string => idOfHash(digest64(text))

/** Eleven base62 digits of 64 bits; sorted as text they are sorted as numbers. */
export function idOfHash(hash: bigint): string {
  let left = hash
  let id = ''
  for (let digit = 0; digit < ID_LENGTH; digit++) {
    id = DIGITS[Number(left % 62n)] + id
    left /= 62n
  }
  return id
}

/** The 64-bit number that an id writes. */
export function hashOfId(id: string): bigint {
  let hash = 0n
  for (const digit of id) hash = hash * 62n + BigInt(DIGITS.indexOf(digit))
  return hash
}

/** `shardCount` is a power of two. */
export const shardOf = (hash: bigint, shardCount: number): number => Number(hash & BigInt(shardCount - 1))

/** The first 32 bits, of which a page takes as many as its second is deep. */
export const pageBitsOf = (hash: bigint): number => Number(hash >> 32n)

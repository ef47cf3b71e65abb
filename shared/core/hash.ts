// A hash that is the same on every machine and in every version: FNV-1a with 64 bits, finished so that near texts lie far apart.

const MASK = 0xffffffffffffffffn

export function hashText(text: string): bigint {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK
  hash ^= hash >> 33n
  hash = (hash * 0xff51afd7ed558ccdn) & MASK
  hash ^= hash >> 33n
  hash = (hash * 0xc4ceb9fe1a85ec53n) & MASK
  return hash ^ (hash >> 33n)
}

// The first 64 bits of SHA-256. Job ids are made of it, so no tenant can find a name that has the id of another's job in any
// time that matters. A digest is pure, so core may use the one that Node has.

import { createHash } from 'node:crypto'

export const digest64 = (text: string): bigint => createHash('sha256').update(text).digest().readBigUInt64BE(0)

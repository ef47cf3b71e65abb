// One instant, and no other.

import type { Instants } from '../time/instants.ts'
import { NEVER } from '../time/instants.ts'

export function once(instant: number): Instants {
  return {
    next: (after) => (after < instant ? instant : NEVER),
    previous: (before) => (before > instant ? instant : NEVER),
  }
}

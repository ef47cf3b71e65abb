// Writes instants as people read them, so that tests show dates and not seconds.

import { formatInstant, parseInstant } from '../../shared/core/time/instant.ts'
import type { Instants } from '../../shared/core/time/instants.ts'
import { NEVER } from '../../shared/core/time/instants.ts'

export const at = (text: string): number => parseInstant(text, 'test')
export const iso = (second: number): string => (second === NEVER ? 'never' : formatInstant(second))

/** The next few instants after a time, as text. */
export function nextFew(instants: Instants, after: string, count: number): string[] {
  const found: string[] = []
  let t = at(after)
  while (found.length < count) {
    t = instants.next(t)
    found.push(iso(t))
    if (t === NEVER) break
  }
  return found
}

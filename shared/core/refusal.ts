// What becomes of a run whose message a queue will never take, by what the ledger holds of it.

import { isDead } from './claim.ts'
import type { OutcomeEntry, PageEntry } from './pages/entry.ts'

export type RefusalDecision =
  /** No executor has a live claim on it, and none will ever get its message. */
  | { readonly do: 'END'; readonly attempt: number }
  /** It has ended: what follows its end is done once more, in case that was cut short. */
  | { readonly do: 'REPEAT'; readonly ended: OutcomeEntry }
  /** An executor has claimed it, or the message is of an attempt that is over. */
  | { readonly do: 'LEAVE' }

export function decideRefusal(found: PageEntry | null, askedAttempt: number, now: number): RefusalDecision {
  if (found === null) return { do: 'END', attempt: 1 }
  switch (found.status) {
    case 'WAITING':
    case 'QUEUED':
      return askedAttempt < found.attempt ? { do: 'LEAVE' } : { do: 'END', attempt: found.attempt }
    case 'RUNNING':
      return isDead(found, now) ? { do: 'END', attempt: found.attempt } : { do: 'LEAVE' }
    default:
      return { do: 'REPEAT', ended: found }
  }
}

// Who looks after a definition. A job that code or a file manages is not changed by anything else unless that is forced, so that
// an edit by hand does not vanish at the next deployment without a word.

import { present, type StoredJob } from '../core/job/stored.ts'
import { Refusal } from './refusals.ts'

export interface Owning {
  readonly manager?: string | undefined
  readonly isForced?: boolean
}

/** The owner after the change. */
export function refuseOtherOwner(old: StoredJob | null, { manager, isForced = false }: Owning): string | null {
  const owner = present(old)?.managedBy ?? null
  if (owner !== null && owner !== manager && !isForced) {
    throw new Refusal(
      'managed',
      `the job is managed by ${owner}. Change it there, or use force, which lasts until ${owner} saves it again`,
    )
  }
  return manager ?? owner
}

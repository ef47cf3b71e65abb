// A witness is told of every write that a store in memory takes, at the moment it takes it.

import type { JobState, Lock } from '../../../shared/core/gate/state.ts'
import type { JobWrite, StoredJob } from '../../../shared/core/job/stored.ts'
import type { PageEntry } from '../../../shared/core/pages/entry.ts'
import type { OpenRun, RunDetail } from '../../../shared/core/run/record.ts'
import type { ShardItem } from '../../../shared/core/shard.ts'
import type { MissedItem } from '../../../shared/ports.ts'

export interface EntryWrite {
  readonly runId: string
  readonly place: 'page' | 'item'
  readonly key: string
  readonly from: PageEntry | null
  readonly to: PageEntry
  readonly detail?: RunDetail
}

export interface Witness {
  entry?(write: EntryWrite): void
  missed?(missed: MissedItem): void
  shard?(
    shard: number,
    what: 'make' | 'takeOver' | 'fence' | 'sleep' | 'audited',
    from: ShardItem | null,
    to: ShardItem,
  ): void
  open?(what: 'put' | 'remove', run: Pick<OpenRun, 'runId' | 'dueMs' | 'attempt'>): void
  lock?(jobId: string, from: Lock, to: Lock): void
  state?(jobId: string, state: JobState): void
  commit?(write: JobWrite): void
  amend?(job: StoredJob): void
}

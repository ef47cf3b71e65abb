// Writes the history of a simulation, and a hash over all of it: two runs of a seed must have the same.

import { createHash } from 'node:crypto'
import type { JobWrite, StoredJob } from '../../shared/core/job/stored.ts'
import type { Witness } from '../support/memory/witness.ts'
import type { Acts } from './behaviour.ts'
import type { Happening, HistoryEvent, Policy } from './history.ts'
import { oracleVersionOf } from './oracle-version.ts'

export class Recorder {
  readonly events: HistoryEvent[] = []
  readonly #hash = createHash('sha256')
  readonly #nowMs: () => number
  /** The process that calls the stores at the moment. */
  proc = 'world'
  faults = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  add(happening: Happening, proc = this.proc): void {
    const event: HistoryEvent = { seq: this.events.length, ms: this.#nowMs(), proc, ...happening }
    this.events.push(event)
    if (happening.op === 'fault') this.faults += 1
    this.#hash.update(textOf(event))
  }

  digest(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }

  /** To be told of every write that the stores take. */
  witness(fenceOf: (shard: number) => number): Witness {
    return {
      entry: ({ runId, place, key, from, to, detail }) => {
        const reason = detail?.reason
        this.add({ op: 'entry', runId, place, key, from, to, ...(reason === undefined ? {} : { reason }) })
      },
      missed: ({ jobId, of, from, to, count, reason }) =>
        this.add({ op: 'missed', jobId, of, from, to, count, reason }),
      shard: (shard, what, from, to) => this.add({ op: 'shard', shard, what, from, to }),
      open: (what, { runId, dueMs, attempt }) => this.add({ op: 'open', what, runId, dueMs, attempt }),
      state: (jobId, { catchUp }) =>
        this.add({ op: 'cursors', jobId, left: catchUp.map(({ next, to }) => [next, to]) }),
      lock: (jobId, from, to) => this.add({ op: 'lock', jobId, from, to }),
      commit: (write) => this.#commit(write, fenceOf(write.shard)),
      amend: ({ id: jobId, versions }) => {
        const { version, sureFrom } = versions[versions.length - 1]
        if (sureFrom !== undefined) this.add({ op: 'sure', jobId, version, sureFrom })
      },
    }
  }

  #commit({ after, shard }: JobWrite, fence: number): void {
    const newest = after.versions[after.versions.length - 1]
    const is = oracleVersionOf(after.definition, newest)
    const { name } = after.definition
    this.add({ op: 'version', jobId: after.id, name, shard, fence, is, policy: policyOf(after) })
  }
}

/** Locks and shard items are large, and what matters of them is short. */
function textOf(event: HistoryEvent): string {
  const { seq, ms, proc } = event
  switch (event.op) {
    case 'lock': {
      const { holders, waiting } = event.to
      return [seq, ms, proc, event.jobId, holders.map(({ runId }) => runId), waiting.length].join()
    }
    case 'shard': {
      const { epoch, fence, sentThrough, auditedThrough, leaseUntil } = event.to
      return [seq, ms, proc, event.what, event.shard, epoch, fence, sentThrough, auditedThrough, leaseUntil].join()
    }
    default:
      return JSON.stringify(event)
  }
}

/** More than a job of the simulation ever runs at once. */
const NEVER_FULL = 50

export function policyOf({ definition, versions, stopped }: StoredJob): Policy {
  const { block, misfire, retry, after, skipIfSuccessful } = definition
  // One that takes its time may have to wait for an executor.
  const isQuick = (definition.payload as Partial<Acts> | null)?.acts === 'quick'
  const needsOthers = after.length > 0 || skipIfSuccessful || misfire.policy === 'CATCH_UP'
  const isFree = block.strategy === 'CONCURRENT' && block.max >= NEVER_FULL && isQuick && !needsOthers
  const { timeoutSeconds } = versions[versions.length - 1]
  return {
    block,
    misfire,
    timeoutSeconds,
    retries: retry.attempts,
    cancelsQueued: stopped?.queued === 'cancel',
    isFree,
  }
}

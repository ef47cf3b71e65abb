// The twelve things that must hold of every history.

import type { History, Violation } from '../history.ts'
import { noLostRun } from './i01-no-lost-run.ts'
import { oneRecordAnInstant } from './i02-one-record.ts'
import { noPhantom } from './i03-no-phantom.ts'
import { attemptsAreJustified } from './i04-justified-attempts.ts'
import { onTime } from './i05-on-time.ts'
import { ticksAreFenced } from './i06-fenced-ticking.ts'
import { blocksAreKept } from './i07-blocks.ts'
import { livesAreLegal } from './i08-life-cycle.ts'
import { ackedIsDurable } from './i09-acked-is-durable.ts'
import { misfiresObey } from './i10-misfires.ts'
import { queuesAreConserved } from './i11-queues.ts'
import { recovers } from './i12-recovery.ts'
import { runsOf, type View, viewOf } from './view.ts'

const CHECKS: readonly ((view: View) => Violation[])[] = [
  noLostRun,
  oneRecordAnInstant,
  noPhantom,
  attemptsAreJustified,
  onTime,
  ticksAreFenced,
  blocksAreKept,
  livesAreLegal,
  ackedIsDurable,
  misfiresObey,
  queuesAreConserved,
  recovers,
]

export interface Judged {
  readonly violations: readonly Violation[]
  /** Instants that were due. */
  readonly instants: number
}

export function judge(history: History): Judged {
  const view = viewOf(history)
  return {
    violations: CHECKS.flatMap((check) => check(view)),
    instants: [...view.jobs.values()].reduce((sum, job) => sum + runsOf(job).length, 0),
  }
}

// Bugs that the simulation must find: each rule of the protocol left out once, and mistakes that others have made. Each replaces one
// line of the real code. Where a net of the scheduler would heal the harm, that net is taken away as well.

import type { Net } from '../simulate.ts'
import type { Patch } from './patch.ts'

export interface Mutant extends Patch {
  readonly name: string
  /** The weather in which it shows; any unless said. */
  readonly climate?: string
  readonly without?: Net
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'R1: a take-over gives depths to seconds that were a gap',
    file: 'shared/core/planner/tick.ts',
    line: 'const liveFrom = Math.max(shard.fence + 1, second - LIVE_SECONDS)',
    instead: 'const liveFrom = Math.min(shard.fence + 1, second - LIVE_SECONDS)',
  },
  {
    name: 'R2: a link that lost the fence sends and chains all the same',
    file: 'shared/flow/tick.ts',
    line: "if (fenced === null) return { end: 'lost' }",
    instead:
      "if (fenced === null) { await new LinkFiring(world, memory, event.sentThrough).fire(plan, prepared, depths); return { end: 'lost' } }",
  },
  {
    name: 'R3: what was sent counts as done without proof',
    file: 'shared/flow/fire.ts',
    line: 'if (isWhole) this.#moveTo(plan.sendsThrough)',
    instead: 'this.#moveTo(plan.sendsThrough)',
    climate: 'chain only',
    without: 'audit',
  },
  {
    name: 'R4: seconds are opened with old eyes',
    file: 'shared/core/planner/tick.ts',
    line: 'export const latestFreshSecond = (drainedAt: number): number => drainedAt + 1',
    instead: 'export const latestFreshSecond = (drainedAt: number): number => drainedAt + 60',
    climate: 'chain only',
    without: 'audit',
  },
  {
    name: 'R5: no dead man’s switch is sent',
    file: 'shared/core/chain.ts',
    line: 'Math.floor(fence / SWITCH_EVERY_SECONDS) > Math.floor(previousFence / SWITCH_EVERY_SECONDS)',
    instead: 'fence < previousFence',
    climate: 'dying tickers',
  },
  {
    name: 'R5: a switch is dropped while the lease is live',
    file: 'shared/core/chain.ts',
    line: 'shard.sleepUntil !== null || shard.fence >= second + SWITCH_EVERY_SECONDS',
    instead: 'shard.sleepUntil !== null || shard.leaseUntil > second',
    climate: 'dying tickers',
  },
  {
    name: 'R6: a shard falls asleep without looking once more',
    file: 'shared/flow/tick.ts',
    line: 'const { changes } = await memory.drain(onceFromOf(item))',
    instead: 'const changes = 0',
    climate: 'sleepy',
  },
  {
    name: 'R6: the client that saves a job does not wake the shard',
    file: 'shared/flow/mutate-job.ts',
    line: 'if (sleepUntil !== null) await wakeIfDue(world, shard, nextDue(job, newest.activeFrom - 1), sleepUntil)',
    instead: '',
    climate: 'sleepy',
  },
  {
    name: 'R7: a gap is not put down',
    file: 'shared/flow/tick.ts',
    line: 'backlog: plan.gap === null ? event.backlog : addGap(event.backlog, plan.gap, second),',
    instead: 'backlog: event.backlog,',
  },
  {
    name: 'R8: the log of changes is read without overlap',
    file: 'shared/flow/change-log.ts',
    line: 'const fromMs = readMs - CHANGES_OVERLAP_SECONDS * 1000',
    instead: 'const fromMs = readMs',
  },
  {
    name: 'R9: an edit is in force at once',
    file: 'shared/core/job/edit.ts',
    line: 'Math.max(storeSecond, fence) + ACTIVE_AFTER_SECONDS',
    instead: 'storeSecond',
  },
  {
    name: 'R10: the executor does not look for changes after the claim',
    file: 'shared/flow/execute/check.ts',
    line: 'const changed = await changedJobs(world, changes, batch, going)',
    instead: 'const changed = new Set<string>()',
  },
  {
    name: 'R11: old versions are forgotten at the next edit',
    file: 'shared/core/job/edit.ts',
    line: 'return lastRun <= auditedThrough && lastRun + each.timeoutSeconds + RUN_GRACE_SECONDS <= version.activeFrom',
    instead: 'return lastRun > 0',
  },
  {
    name: 'R12: a definition governs by the second after the spread',
    file: 'shared/core/planner/due.ts',
    line: 'between(governed.timing[kind], Math.max(from, part.from + spread), Math.min(to, part.to + spread), seconds)',
    instead: 'between(governed.timing[kind], Math.max(from, part.from), Math.min(to, part.to), seconds)',
  },
  {
    name: 'R13: one-time jobs are read when their minute is over',
    file: 'shared/flow/follow-jobs.ts',
    line: 'if (!this.#holdsAllOnce) await this.#takeOnce(minuteOf(startedMs / 1000 + NEAR_SECONDS))',
    instead: 'if (!this.#holdsAllOnce) await this.#takeOnce(minuteOf(startedMs / 1000) - 1)',
  },
  {
    name: 'R14: maxRuns begins anew with every version',
    file: 'shared/core/job/next-version.ts',
    line: 'if (isSameCount && lastInstant != null && isSameJson(timingBefore, timing)) {',
    instead: 'if (isSameCount && lastInstant === undefined && isSameJson(timingBefore, timing)) {',
  },
  {
    name: 'R14: a reschedule leaves the start where it was',
    file: 'shared/core/planner/due.ts',
    line: 'const left = hasMoves ? found.filter((item) => !isMovedAway(job, all, item)) : found',
    instead: 'const left = [...found]',
  },
  {
    name: 'R15: another executor’s claim counts as one’s own',
    file: 'shared/flow/execute/claimed-entry.ts',
    line: "const isOwn = swap.expect?.status === 'RUNNING' && found?.status === 'RUNNING' && found.token === swap.expect.token",
    instead: "const isOwn = swap.expect?.status === 'RUNNING' && found?.status === 'RUNNING'",
  },
  {
    name: 'R16: a claim is taken over before its deadline',
    file: 'shared/core/claim.ts',
    line: 'export const isDead = (claim: ClaimEntry, now: number): boolean => now >= deadFrom(claim)',
    instead: 'export const isDead = (claim: ClaimEntry, now: number): boolean => now >= deadFrom(claim) - 25',
  },
  {
    name: 'R17: another attempt does not wait for its time',
    file: 'shared/core/claim.ts',
    line: "if (asked.notBefore !== null && now < asked.notBefore) return { do: 'PUT_BACK', inSeconds: asked.notBefore - now }",
    instead: '',
    climate: 'bad queues',
  },
  {
    name: 'R18: a job is announced to the shard of its first bits',
    file: 'shared/flow/mutate-job.ts',
    line: 'const shard = shardOf(hashOfId(id), world.shardCount)',
    instead: 'const shard = shardOf(hashOfId(id) >> 40n, world.shardCount)',
  },
  {
    name: 'R19: a job that does nothing about missed instants starts them late',
    file: 'shared/core/gate/gate.ts',
    line: "if (policy.misfire.policy === 'DO_NOTHING' && late > LIVE_SECONDS) {",
    instead: "if (policy.misfire.policy === 'DO_NOTHING' && late > 100 * LIVE_SECONDS) {",
    climate: 'slow consumers',
  },
  {
    name: 'R20: everything goes without a lock',
    file: 'shared/core/gate/gate.ts',
    line: "if (times.needsNoLock()) return { do: 'START', takesLock: false }",
    instead: "return { do: 'START', takesLock: false }",
  },
  {
    name: 'R21: a message about a run that has ended does nothing',
    file: 'shared/core/claim.ts',
    line: "return { do: 'REPEAT', ended: found }",
    instead: "return { do: 'LEAVE' }",
  },
  {
    name: 'R21: the run that is given the lock is not sent',
    file: 'shared/core/gate/release.ts',
    line: 'return { lock: next, send: [...send, given], promoted: oldest }',
    instead: 'return { lock: next, send, promoted: null }',
  },
  {
    name: 'R22: the newest that waits goes first',
    file: 'shared/core/gate/state.ts',
    line: '(oldest, each) => (oldest === null || each.orderedBy < oldest.orderedBy ? each : oldest),',
    instead: '(oldest, each) => (oldest === null || each.orderedBy > oldest.orderedBy ? each : oldest),',
  },
  {
    name: 'R23: the account passes runs that have not ended',
    file: 'shared/core/ledger/audit.ts',
    line: "standing === 'fine' || standing === 'open' || standing === 'doubled'",
    instead: "standing !== 'missing'",
  },
  {
    name: 'R24: a run is put without anybody to come back to it',
    file: 'shared/flow/put-standalone.ts',
    line: 'open: { shard, dueMs, runId, times: 0, lane, attempt: 1, message },',
    instead: '',
  },
  {
    name: 'R25: what is missing is sent again at every audit',
    file: 'shared/core/ledger/audit.ts',
    line: "if (backlog === 'none') return true",
    instead: 'if (ageSeconds > 0) return true',
    climate: 'slow consumers',
  },
  {
    name: 'R26: a dependent run takes the place of a scheduled one',
    file: 'shared/flow/execute/dependents.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the line of a file.
    line: 'const id = { jobId: job.id, second: parent.second, suffix: `d${idOfText(runId)}` }',
    instead: "const id = { jobId: job.id, second: parent.second, suffix: '' }",
  },
  {
    name: 'R26: the same request by hand is another run',
    file: 'shared/flow/trigger-job.ts',
    line: 'const { plan: runId, isReplay } = await planned(world, asked.request, wanted)',
    instead: 'const { runId, isReplay } = { runId: wanted, isReplay: false }',
  },
  {
    name: 'R27: a machine’s own clock is believed',
    file: 'shared/aws/store-clock.ts',
    line: 'return Math.floor(Math.min(Math.max(wall, earliest), latest))',
    instead: 'return Math.floor(earliest > 0 && latest > 0 ? wall : 0)',
    climate: 'bad clocks',
  },
  {
    name: 'R28: a stop does not freeze what is caught up',
    file: 'shared/core/planner/catch-up.ts',
    line: 'if (!isRunningAt(job, now)) return { send: [], cursors, missed: [] }',
    instead: '',
    // Whole jobs are caught up only after an outage.
    climate: 'bad store',
  },
  {
    name: 'R28: a cursor is forgotten when its gap is worked off',
    file: 'shared/flow/gaps.ts',
    line: 'if (plan.catchUp.length > 0) {',
    instead: 'if (plan.catchUp.length > 1_000_000) {',
  },
  {
    name: 'R29: a process with another number of shards starts',
    file: 'shared/core/shard.ts',
    line: 'if (meta.shardCount !== shardCount) {',
    instead: 'if (meta.shardCount < 0) {',
  },
  {
    name: 'a claim that was refused counts as made',
    file: 'shared/flow/execute/claim.ts',
    line: 'if (result?.done === true) lives.push(claimedAs(life, next, claimedMs))',
    instead: 'if (result !== undefined) lives.push(claimedAs(life, next, claimedMs))',
  },
  {
    name: 'a send that failed is swallowed',
    file: 'shared/flow/fire.ts',
    line: 'return unsent === 0',
    instead: 'return unsent >= 0',
    climate: 'chain only',
    without: 'audit',
  },
  {
    name: 'a message is deleted before its runs have ended',
    file: 'functions/execute.ts',
    line: 'report(output, await execute(world, changes, body))',
    instead: 'void execute(world, changes, body).then((executed) => report(output, executed), () => {})',
  },
  {
    name: 'the token is read late',
    file: 'shared/flow/execute/make-ready.ts',
    line: 'const { entry, id, job } = life',
    instead: 'const { id, job } = life; const entry = (await batch.place.read()).get(id) ?? null',
    climate: 'frozen processes',
  },
  {
    name: 'the lane is part of the page',
    file: 'shared/flow/fire.ts',
    line: 'const key = { shard: memory.shard, second, depth, page: page.page, lane: parcel.lane }',
    instead:
      "const key = { shard: memory.shard, second, depth, page: parcel.lane === 'slow' ? page.page + 1 : page.page, lane: parcel.lane }",
  },
  {
    name: 'the lease is trusted for safety',
    file: 'shared/flow/tick.ts',
    line: 'memory.item = fenced',
    instead:
      'memory.item = fenced; if (fenced === null && nowOf(world) < item.leaseUntil + 60) await new LinkFiring(world, memory, event.sentThrough).fire(plan, prepared, depths)',
  },
  {
    name: 'an open item of an older attempt takes the place of the newer one',
    file: 'test/support/memory/stores.ts',
    line: "const nameOf = ({ shard, dueMs, runId, attempt }: OpenKey): string => [shard, dueMs, runId, attempt].join('#')",
    instead: "const nameOf = ({ shard, dueMs, runId }: OpenKey): string => [shard, dueMs, runId].join('#')",
  },
  {
    name: 'a start that was skipped comes all the same',
    file: 'shared/core/planner/due.ts',
    line: 'return [...inForce, ...carriedOut].some((move) => move.from === second && move.to !== second)',
    instead:
      'return [...inForce, ...carriedOut].some((move) => move.from === second && move.to !== second && move.to >= 0)',
  },
  {
    name: 'a stop that cancels what is queued goes on after its end',
    file: 'shared/flow/execute/check.ts',
    line: 'const isCancelled = cancelled !== null && isOfSchedule && second < cancelled.before',
    instead: 'const isCancelled = cancelled !== null && isOfSchedule && second >= 0',
  },
  {
    name: 'a stop that fails is tried again as a run',
    file: 'shared/flow/execute/settle.ts',
    line: "const isRun = ({ kind }: Ending['life']): boolean => kind !== 'stop'",
    instead: "const isRun = ({ kind }: Ending['life']): boolean => kind !== null",
  },
  {
    name: 'the audit does not look for stops that were not carried out',
    file: 'shared/core/ledger/audit.ts',
    line: '.filter(({ second }) => second > after && second <= through)',
    instead: ".filter(({ second, kind }) => second > after && second <= through && kind !== 'stop')",
    climate: 'bad queues',
  },
  {
    name: 'refused: a message that is refused for good counts as not acknowledged',
    file: 'shared/flow/send-runs.ts',
    line: 'if (refused.length === 0) return [...unsent]',
    instead: 'if (refused.length >= 0) return [...unsent, ...refused.map(({ message }) => message)]',
    // Where little is due, so that sending it all again and again ends some day.
    climate: 'sleepy',
  },
  {
    name: 'refused: runs fail because of the one beside them',
    file: 'shared/flow/send-runs.ts',
    line: 'if (parts.length === 1) return end(world, lane, { message, reason })',
    instead: 'if (parts.length >= 1) return end(world, lane, { message, reason })',
  },
  {
    name: 'refused: a run that is refused keeps its lock',
    file: 'shared/flow/execute/refuse.ts',
    line: 'await release(world, batch, settled.flat())',
    instead:
      "await release(world, batch, settled.flat().map((each) => ({ ...each, life: { ...each.life, isRepeat: false, wasKnown: false, lockHint: 'take' as const, run: { ...each.life.run, attempt: 1 } } })))",
    climate: 'bad queues',
  },
  {
    name: 'refused: nothing follows the end of a run that is refused',
    file: 'shared/flow/execute/refuse.ts',
    line: 'await release(world, batch, settled.flat())',
    instead: '',
  },
  {
    name: 'refused: a run that an executor has is failed',
    file: 'shared/core/refusal.ts',
    line: "return isDead(found, now) ? { do: 'END', attempt: found.attempt } : { do: 'LEAVE' }",
    instead: "return { do: 'END', attempt: found.attempt }",
  },
  {
    name: 'an environment that was frozen trusts the clock that stood still',
    file: 'shared/aws/store-clock.ts',
    line: 'return Math.abs(wallPassedMs - steadyPassedMs) > FROZEN_MS',
    instead: 'return wallPassedMs < steadyPassedMs - FROZEN_MS',
    climate: 'frozen processes',
  },
  {
    name: 'an answer that lay unread while its process was frozen is taken for the time',
    file: 'shared/aws/store-clock.ts',
    line: 'if (saysLess && dateMs > earliest - tookMs - DISBELIEF_MS) return',
    instead: 'if (saysLess && dateMs > earliest - DISBELIEF_MS) return',
    climate: 'chain only',
  },
]

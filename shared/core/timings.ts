// The times of the protocol on one page, because most of them are only right beside another. RELATIONS says which, and a test asserts them.
// Times that bear on one file alone stand in that file.

// --- The chain ---

/** A link holds its shard this long from its fence on. Past it a watchdog may take the shard over. */
export const LEASE_SECONDS = 6
/** A link sends a switch whenever its fence passes a multiple of this. */
export const SWITCH_EVERY_SECONDS = 5
/** A switch looks at its shard this long after it was sent. */
export const SWITCH_DELAY_SECONDS = 6
/** A switch that finds a living lease comes back so long after the end of it. */
export const AFTER_LEASE_SECONDS = 1
/** A switch that has taken a shard over looks again so long after. */
export const RETRY_SWITCH_SECONDS = 7
/** More than two runs of a minute rule lie between: where nothing is due in this time, the chain may sleep. */
export const AWAKE_AHEAD_SECONDS = 150
/** One-time jobs that are further ahead are not in memory; the minute rule looks for them. */
export const LONGEST_SLEEP_SECONDS = 86_400
/** The next event is put at the latest so long after its second, whatever is still being sent. */
export const CHAIN_AFTER_MS = 300
/** An event that is further ahead than this was made by a clock that is wrong. */
export const MOST_AHEAD_SECONDS = 10
/** A link may try a call again until so late: its lease is over only seconds later. */
export const MOST_LATE_MS = 2000
/** A link that has proven nothing new waits this much longer for proof. */
export const MOST_PROOF_MS = 3000
/** A ticker that loads its jobs renews its lease this often. */
export const LEASE_RENEWED_EVERY_MS = 3000

// --- Edits ---

/** An edit comes into force so long after its commit: every link that may plan the second has read it by then. */
export const ACTIVE_AFTER_SECONDS = 2
/** The log of changes is read again from so far back, because a change may be committed a little after its stamp. */
export const CHANGES_OVERLAP_SECONDS = 60
/** A change that was committed later than this after its stamp is announced again, in case a ticker or a search has read past it. */
export const COMMITTED_LATE_AFTER_MS = 1000
/** The clocks of two processes that follow the store's are apart by no more than this: each by a second, and by the way of an answer. */
const CLOCKS_APART_MS = 3000
/** An acknowledged write has a change that was in the log within this of its stamp; only one whose writer died may come later. */
export const CHANGES_SETTLED_MS = 4000
/** A definition is kept so long after the timeout of its last run: that run may still be going. */
export const RUN_GRACE_SECONDS = 60

// --- Due, late, missed ---

/** A second up to this old, when it is opened, is live; an older one is a gap. Stops and restarts are dropped beyond it. */
export const LIVE_SECONDS = 10
/** A first attempt that starts later than this no longer counts as on time, so it needs a lock. */
export const ON_TIME_SECONDS = 5

// --- Claims ---

/** A claim that has just been made may be so old when its run starts; an older one is renewed first. */
export const START_MARGIN_SECONDS = 5
/** An executor has so long after a timeout to write the end. */
export const DEADLINE_GRACE_SECONDS = 10
/** Another executor takes a claim over so long after its deadline. */
export const TAKE_OVER_GRACE_SECONDS = 5
/** A run of the slow lane may take long: its claim is short, and renewed while it runs. */
export const RENEWED_CLAIM_SECONDS = 20
export const CLAIM_RENEWED_EVERY_SECONDS = 5
/** A run that may take longer than this never goes on the fast lane, whose executors live 90 s. */
export const FAST_TIMEOUT_SECONDS = 60

// --- Locks ---

/** Two instants that are a timeout and so much apart need no lock between them. */
export const GAP_MARGIN_SECONDS = 20
/** A run with a lock starts neither so long before an instant that needs none, beyond its timeout, nor so soon after the end of one. */
export const CLEAR_BEFORE_SECONDS = 10
export const CLEAR_AFTER_SECONDS = 5
/** A run that is given the lock has this long to start; past that the lock counts as free. */
export const START_WITHIN_SECONDS = 60
/** A run that was given the lock and sent so long ago should have started; it is sent again. */
export const SENT_AGAIN_AFTER_SECONDS = 10

// --- The audit ---

export const AUDIT_EVERY_SECONDS = 10
/** A second is left alone until it is this old. */
export const AUDITED_AFTER_SECONDS = 15
export const AUDIT_CHUNK_SECONDS = 60
/** What is missing is sent again at this age, where a queue may still hold it. */
export const FIRST_RESEND_AGE_SECONDS = 20
/** The audit comes back to a listed run so long after it should have gone on by itself: 20, 40, 80 s, and in line up to 640 s. */
export const COMES_BACK_AFTER_SECONDS = 20
export const LONGEST_COMES_BACK_SECONDS = 80
export const LONGEST_WAIT_SECONDS = 640
/** Page depths of so many seconds stand in the shard item, where readers look first. */
export const DEPTHS_KEPT_SECONDS = 180

// --- Queues ---

/** SQS holds no message back for longer. */
export const LONGEST_DELAY_SECONDS = 900

export interface Relation {
  readonly holds: boolean
  readonly because: string
}

export const RELATIONS: readonly Relation[] = [
  {
    holds: SWITCH_DELAY_SECONDS >= LEASE_SECONDS,
    because: 'a switch that looks before the lease of its sender can be over finds every chain alive',
  },
  {
    holds: SWITCH_EVERY_SECONDS <= LEASE_SECONDS,
    because: 'the last switch of a chain must have been sent within its last lease',
  },
  {
    holds: RETRY_SWITCH_SECONDS > LEASE_SECONDS,
    because: 'a switch that took a shard over looks again when the lease that it made is over',
  },
  {
    holds: MOST_LATE_MS + MOST_PROOF_MS < LEASE_SECONDS * 1000,
    because: 'a link that tries again and waits for proof still holds its lease',
  },
  {
    holds: 2 * LEASE_RENEWED_EVERY_MS <= LEASE_SECONDS * 1000,
    because: 'a ticker that loads its jobs may fail to renew its lease once',
  },
  {
    holds: AWAKE_AHEAD_SECONDS > 120,
    because: 'two runs of the minute rule must fit in before a sleeping shard is due',
  },
  {
    holds: COMMITTED_LATE_AFTER_MS < CHANGES_OVERLAP_SECONDS * 1000,
    because: 'a change that is not announced again must be found by the next look at the log',
  },
  {
    holds: COMMITTED_LATE_AFTER_MS + CLOCKS_APART_MS <= CHANGES_SETTLED_MS,
    because: 'a search that reads what is not settled must find every write that was acknowledged before it',
  },
  {
    holds: LIVE_SECONDS < AUDITED_AFTER_SECONDS,
    because: 'the audit must not send again what a link that is behind is still about to send',
  },
  {
    holds: 2 * CLAIM_RENEWED_EVERY_SECONDS < RENEWED_CLAIM_SECONDS,
    because: 'an executor may fail to renew a claim once',
  },
  {
    holds: START_MARGIN_SECONDS <= DEADLINE_GRACE_SECONDS,
    because: 'a run that starts late in its claim must still run into its timeout before its deadline',
  },
  {
    holds: GAP_MARGIN_SECONDS >= ON_TIME_SECONDS + DEADLINE_GRACE_SECONDS + CLEAR_AFTER_SECONDS,
    because:
      'a run without a lock that starts late and times out must be over before the next one without a lock starts',
  },
  {
    holds: SENT_AGAIN_AFTER_SECONDS < START_WITHIN_SECONDS,
    because: 'a run that lost its message is sent again before its lock counts as free',
  },
  {
    holds: COMES_BACK_AFTER_SECONDS < START_WITHIN_SECONDS,
    because: 'the audit comes back to a run that was given the lock before the lock counts as free',
  },
  {
    holds: AUDITED_AFTER_SECONDS + AUDIT_EVERY_SECONDS < DEPTHS_KEPT_SECONDS,
    because: 'an audit that is on time finds the depths of its seconds in the shard item',
  },
]

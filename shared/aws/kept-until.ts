// How long each kind of item is kept. Times to live are in seconds of the store, as DynamoDB wants them.

const DAY_SECONDS = 86_400

/** Queues keep messages for fourteen days: what a message may ask about must be kept longer, whatever the user says. */
const LEAST_LEDGER_DAYS = 15
const CHANGES_KEPT_SECONDS = 3600
const ANSWERS_KEPT_SECONDS = DAY_SECONDS
const AUDIT_KEPT_SECONDS = 400 * DAY_SECONDS

export class KeptUntil {
  readonly #ledgerSeconds: number

  constructor(ledgerDays: number) {
    this.#ledgerSeconds = Math.max(LEAST_LEDGER_DAYS, ledgerDays) * DAY_SECONDS
  }

  /** Pages, runs, minutes, pointers, tombstones and old versions, counted from when they were of use last. */
  ledger(second: number): number {
    return Math.ceil(second) + this.#ledgerSeconds
  }

  change(ms: number): number {
    return Math.ceil(ms / 1000) + CHANGES_KEPT_SECONDS
  }

  audit(ms: number): number {
    return Math.ceil(ms / 1000) + AUDIT_KEPT_SECONDS
  }

  answer(ms: number): number {
    return Math.ceil(ms / 1000) + ANSWERS_KEPT_SECONDS
  }
}

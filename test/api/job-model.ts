// What a job must be after each call, said as simply as it can be: the model that the API is held against.

const EDIT_SECONDS = 2
const JUST_PAST_SECONDS = 60

/** Runs every so many seconds, at one second, or never by itself. */
export type Schedule = { readonly every: number } | { readonly at: number } | null

export interface Body {
  readonly schedule: Schedule
  readonly priority: number
  readonly status?: 'RUNNING' | 'STOPPED' | undefined
}

export type Condition = 'none' | 'current' | 'stale' | 'any' | 'absent'

export class JobModel {
  version = 0
  isThere = false
  schedule: Schedule = null
  priority = 0
  /** When a single time really fires: one that had just passed was meant as now. */
  #at = 0
  #moves: { from: number; to: number }[] = []
  #stop: { until: number; code: string } | null = null

  stopAt(second: number): { until: number; code: string } | null {
    return this.#stop !== null && this.#stop.until > second ? this.#stop : null
  }

  /** The first three fires from a second on, if the job were not stopped. */
  fires(from: number): number[] {
    const { schedule } = this
    const moved = this.#moves.map((move) => move.from)
    const tos = this.#moves.map(({ to }) => to).filter((to) => to >= from && to !== Number.POSITIVE_INFINITY)
    const own: number[] = []
    if (schedule !== null && 'at' in schedule && this.#at >= from) own.push(this.#at)
    if (schedule !== null && 'every' in schedule) {
      const first = Math.ceil(from / schedule.every)
      for (let n = 0; n < 4 + moved.length; n++) own.push((first + n) * schedule.every)
    }
    const all = new Set([...own.filter((each) => !moved.includes(each)), ...tos])
    return [...all].sort((a, b) => a - b).slice(0, 3)
  }

  next(now: number): number[] {
    const stop = this.stopAt(now)
    return this.fires(Math.max(now + 1, stop?.until ?? 0)).filter((each) => each < Number.POSITIVE_INFINITY)
  }

  /** The status with which a condition is refused, or null. */
  refusal(condition: Condition): 412 | null {
    const isMet = { none: true, current: this.isThere, stale: false, any: this.isThere, absent: !this.isThere }
    return isMet[condition] ? null : 412
  }

  put(body: Body, now: number): number {
    const from = now + EDIT_SECONDS
    const { schedule } = body
    const isKnown = this.isThere && JSON.stringify(schedule) === JSON.stringify(this.schedule)
    let at = this.#at
    if (!isKnown && schedule !== null && 'at' in schedule) {
      if (schedule.at < from - JUST_PAST_SECONDS) return 422
      at = Math.max(schedule.at, from)
    }
    const before = { at: this.#at, moves: this.#moves, schedule: this.schedule }
    const stopBefore = this.isThere ? this.stopAt(from) : null
    const isEqual = isKnown && body.priority === this.priority
    this.schedule = schedule
    this.#at = at
    if (!isKnown) this.#moves = []
    if (body.status === 'RUNNING' && schedule !== null && this.fires(from).length === 0) {
      this.schedule = before.schedule
      this.#at = before.at
      this.#moves = before.moves
      return 422
    }
    const saved = { until: Number.POSITIVE_INFINITY, code: 'SAVED_STOPPED' }
    const stop = body.status === 'RUNNING' ? null : body.status === 'STOPPED' ? (stopBefore ?? saved) : stopBefore
    const status = this.isThere ? 200 : 201
    if (!(isEqual && stop === stopBefore && this.isThere)) this.version += 1
    this.#stop = stop
    this.priority = body.priority
    this.isThere = true
    return status
  }

  delete(): number {
    this.isThere = false
    this.version += 1
    this.#moves = []
    return 204
  }

  stop(until: number | null, now: number): number {
    if (until !== null && until <= now) return 422
    this.#stop = { until: until ?? Number.POSITIVE_INFINITY, code: 'BY_HAND' }
    this.version += 1
    return 200
  }

  start(now: number): number {
    const from = now + EDIT_SECONDS
    if (this.schedule !== null && this.fires(from).length === 0) return 422
    if (this.stopAt(from) !== null) this.version += 1
    this.#stop = null
    return 200
  }

  reschedule(to: number | null, now: number): number {
    const from = now + EDIT_SECONDS
    const [next] = this.fires(from)
    if (this.stopAt(from) !== null || next === undefined || (to !== null && to < from)) return 422
    const target = to ?? Number.POSITIVE_INFINITY
    this.#moves = this.#moves.map((move) => (move.to === next ? { ...move, to: target } : move))
    this.#moves.push({ from: next, to: target })
    this.#stop = null
    this.version += 1
    return 200
  }
}

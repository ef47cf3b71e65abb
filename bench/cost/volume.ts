// What a month costs by how much is triggered in it: Tickring on one shard that is always awake, and what else a team would run.

import type { Figures } from './figures.ts'
import { OTHERS } from './prices.ts'

const MILLION = 1e6
const SECONDS_A_MONTH = 30 * 86_400
const FULL_PAGE = 24

/** Every second with runs has pages of 24, as where many jobs are due at the same full minutes. */
export const tickringFull = ({ perShardMonthAwake, byPage }: Figures, triggers: number): number =>
  perShardMonthAwake + (triggers / MILLION) * byPage['24']

/**
 * Runs lie as thinly as they can. Up to one a second each is a page of its own; then pages fill up to 24. What a page costs and what a run
 * in it costs follow from pages of one and of 24.
 */
export function tickringThin({ perShardMonthAwake, byPage }: Figures, triggers: number): number {
  const perPage = (byPage['1'] - byPage['24']) / (1 - 1 / FULL_PAGE)
  const perRun = byPage['1'] - perPage
  const pages = Math.max(Math.min(triggers, SECONDS_A_MONTH), triggers / FULL_PAGE)
  return perShardMonthAwake + (pages * perPage + triggers * perRun) / MILLION
}

export const scheduler = (triggers: number): number => (triggers / MILLION) * OTHERS.scheduler.perMillion

export const boxes = (): number => OTHERS.boxes.perMonth

/** From here on Tickring costs less a month than EventBridge Scheduler; null where it never does. */
export function cheaperThanSchedulerFrom(tickring: (triggers: number) => number): number | null {
  const MOST = 1e10
  if (tickring(MOST) >= scheduler(MOST)) return null
  let [low, high] = [1, MOST]
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high)
    if (tickring(middle) < scheduler(middle)) high = middle
    else low = middle
  }
  return high
}

// Every point at which a process may die in the scene: before and after each call of tickers, watchdogs, executors and clients; and pairs of
// them, drawn by chance.

import { createRandom } from '../support/random-cron/random.ts'
import { crashScene } from './crash-scene.ts'
import type { ProcessKind } from './process.ts'
import type { CrashPoint } from './scripted-weather.ts'

const KINDS: readonly ProcessKind[] = ['tick', 'watch', 'execute', 'client']

/** All points of the scene as it goes when no process dies. */
export async function everyPoint(seed: number): Promise<CrashPoint[]> {
  const { calls = { tick: 0, watch: 0, execute: 0, client: 0 } } = await crashScene(seed, [])
  return KINDS.flatMap((kind) =>
    Array.from({ length: calls[kind] }, (_, place) => place + 1).flatMap((call): CrashPoint[] => [
      { kind, call, when: 'before' },
      { kind, call, when: 'after' },
    ]),
  )
}

export function somePairs(points: readonly CrashPoint[], count: number, seed: number): CrashPoint[][] {
  const random = createRandom(seed)
  return Array.from({ length: count }, () => [random.pick(points), random.pick(points)])
}

export const textOf = (points: readonly CrashPoint[]): string =>
  points.map(({ kind, call, when }) => `${when} call ${call} of ${kind}`).join(', ')

// Builds the table of a run index by counting sort: from shapes and their members, and from single (second, job) pairs.

import { NEVER } from '../time/instants.ts'
import { expandShapes } from './expand.ts'
import { type Fleet, jobArray, type RunPairs } from './fleet.ts'
import type { RunTable } from './run-index.ts'

/** From here on a copy of memory is faster than a loop. */
const COPIED_AS_A_BLOCK = 64

/** Counts become starts: entry s is where the runs of second s begin. Answers how many runs there are. */
function sumUp(starts: Int32Array): number {
  let sum = 0
  for (let second = 0; second < starts.length; second++) {
    const count = starts[second]
    starts[second] = sum
    sum += count
  }
  return sum
}

const FEW = 16

/** Where there are many more seconds than runs, the second of each run beside it makes the first run after a time one read. */
function secondsIfFew(starts: Int32Array): Int32Array | null {
  const length = starts.length - 1
  if (starts[length] * FEW > length) return null
  const seconds = new Int32Array(starts[length])
  for (let second = 0; second < length; second++) seconds.fill(second, starts[second], starts[second + 1])
  return seconds
}

/** Any pairs in any order: the worst case, and what tests compare the other way with. */
export function tableFromPairs(from: number, to: number, pairs: RunPairs, jobCount: number): RunTable {
  const { seconds, jobs } = pairs
  const starts = new Int32Array(to - from + 1)
  for (let index = 0; index < seconds.length; index++) starts[seconds[index] - from] += 1
  sumUp(starts)
  const cursor = starts.slice()
  const sorted = jobArray(seconds.length, jobCount)
  for (let index = 0; index < seconds.length; index++) sorted[cursor[seconds[index] - from]++] = jobs[index]
  return { from, to, starts, jobs: sorted, seconds: secondsIfFew(starts), beyond: () => NEVER }
}

/** The longest part of [from, to) with at most `limit` runs, found by halving: memory has a bound whatever the fleet. */
export function tableFromFleet(fleet: Fleet, from: number, to: number, limit: number): RunTable {
  for (let length = to - from; ; length >>= 1) {
    const isOneSecond = length <= 1
    const table = tryTable(fleet, from, from + length, isOneSecond ? Number.POSITIVE_INFINITY : limit)
    if (table !== null) return table
  }
}

function tryTable(fleet: Fleet, from: number, to: number, limit: number): RunTable | null {
  const expansion = expandShapes(fleet.shapes, from, to, limit)
  if (expansion === null) return null
  const { fires, starts: fireStarts } = expansion
  const { starts: memberStarts, jobs: members } = fleet.members
  const pairs = fleet.pairs(from, to, limit)
  const starts = new Int32Array(to - from + 1)
  for (let shape = 0; shape < fleet.shapes.size; shape++) {
    const count = memberStarts[shape + 1] - memberStarts[shape]
    for (let index = fireStarts[shape]; index < fireStarts[shape + 1]; index++) starts[fires[index]] += count
  }
  for (let index = 0; index < pairs.seconds.length; index++) starts[pairs.seconds[index] - from] += 1
  const runs = sumUp(starts)
  if (runs > limit) return null
  const jobs = jobArray(runs, fleet.jobCount)
  const cursor = starts.slice()
  for (let shape = 0; shape < fleet.shapes.size; shape++) {
    const begin = memberStarts[shape]
    const end = memberStarts[shape + 1]
    const block = end - begin < COPIED_AS_A_BLOCK ? null : members.subarray(begin, end)
    for (let index = fireStarts[shape]; index < fireStarts[shape + 1]; index++) {
      const position = cursor[fires[index]]
      cursor[fires[index]] = position + end - begin
      if (block !== null) jobs.set(block, position)
      else for (let member = begin; member < end; member++) jobs[position + member - begin] = members[member]
    }
  }
  for (let index = 0; index < pairs.seconds.length; index++)
    jobs[cursor[pairs.seconds[index] - from]++] = pairs.jobs[index]
  return { from, to, starts, jobs, seconds: secondsIfFew(starts), beyond: (second) => firstBeyond(fleet, second) }
}

function firstBeyond(fleet: Fleet, second: number): number {
  let first = fleet.nextPair(second)
  for (let shape = 0; shape < fleet.shapes.size; shape++) {
    const isUsed = fleet.members.starts[shape + 1] > fleet.members.starts[shape]
    const next = isUsed ? fleet.shapes.next(shape, second - 1) : NEVER
    if (next !== NEVER && (first === NEVER || next < first)) first = next
  }
  return first
}

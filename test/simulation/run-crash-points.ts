// npm run -s sim:crashes: lets processes die at every point of a scene, one by one, and then in pairs.

import { parseArgs } from 'node:util'
import { everyPoint, somePairs, textOf } from './crash-points.ts'
import type { SimulationOptions } from './simulate.ts'
import type { Verdict } from './verdict.ts'
import { simulateAll } from './workers.ts'

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})

const seed = Number(values.seed)
const points = await everyPoint(seed)
const tasks: SimulationOptions[] = [
  ...points.map((point) => [point]),
  ...somePairs(points, Number(values.pairs), seed),
].map((crashes) => ({ seed, crashes }))
const failed: { readonly crashes: string; readonly verdict: Verdict }[] = []
let done = 0
await simulateAll(tasks, {
  onVerdict: (verdict, { crashes = [] }) => {
    done += 1
    if (verdict.violations.length > 0) {
      failed.push({ crashes: textOf(crashes), verdict })
      console.error(`${textOf(crashes)}: ${verdict.violations[0].invariant} ${verdict.violations[0].what}`)
      if (failed.length === 1) for (const line of verdict.story) console.error(`    ${line}`)
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${tasks.length}`)
    return true
  },
})
const total = { singles: points.length, pairs: tasks.length - points.length, failed: failed.length }
console.log(
  values.json
    ? JSON.stringify(total)
    : `${total.singles} single crashes and ${total.pairs} pairs: ${total.failed} failed`,
)
process.exitCode = failed.length === 0 ? 0 : 1

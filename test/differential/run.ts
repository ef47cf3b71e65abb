// Knows the command line of the differential run: node test/differential/run.ts --cases 100000 --seed 1 [--json]
import { parseArgs } from 'node:util'
import { runDifferential } from './differential.ts'
import { reportText } from './table.ts'

const PROGRESS_CASES = 5000

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    // The index of the first case: with --cases 1 it runs one case of a seed again.
    first: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
  },
})
const cases = Number(values.cases)
const seed = Number(values.seed)
const startMs = performance.now()

console.error(`seed ${seed}`)
const report = runDifferential({
  cases,
  seed,
  firstCase: Number(values.first),
  onProgress: (done) => {
    if (done % PROGRESS_CASES !== 0 && done !== cases) return
    console.error(`${done} of ${cases} cases, ${Math.round((performance.now() - startMs) / 1000)} s`)
  },
})
console.log(values.json ? JSON.stringify(report, null, 2) : reportText(report))
process.exitCode = report.unclassified.length > 0 ? 1 : 0

// npm run -s sim:outage: the outage drill, with its figures.

import { outageDrill } from './outage-drill.ts'

const startedMs = performance.now()
const drill = await outageDrill({
  fireOnce: 700,
  doNothing: 200,
  catchUp: 100,
  outageMinutes: 172,
  onProgress: (what) => console.error(`${Math.round((performance.now() - startedMs) / 1000)} s: ${what}`),
})
const { violations, ...figures } = drill
console.log(JSON.stringify({ ...figures, violations: violations.length }, null, 2))
for (const { invariant, what } of violations.slice(0, 10)) console.error(`${invariant}: ${what}`)
process.exitCode = violations.length === 0 ? 0 : 1

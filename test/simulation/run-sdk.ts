// npm run -s sim:sdk: seeds through the real adapters, on each engine that this machine has.

import { parseArgs } from 'node:util'
import { startDynamoDbLocal, startDynoxide, whyNoDynamoDbLocal, whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import { sdkScene } from './sdk-scene.ts'

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } })
const ENGINES = [
  { name: 'dynoxide', whyNot: whyNoDynoxide(), start: startDynoxide },
  { name: 'DynamoDB Local', whyNot: whyNoDynamoDbLocal(), start: startDynamoDbLocal },
]

let failed = 0
for (const { name, whyNot, start } of ENGINES) {
  if (whyNot !== null) {
    console.log(`${name}: skipped, ${whyNot}`)
    continue
  }
  const engine = await start()
  const total = { instants: 0, starts: 0, faults: 0, violations: 0 }
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    const { instants, starts, faults, violations } = await sdkScene(seed, engine.endpoint)
    total.instants += instants
    total.starts += starts
    total.faults += faults
    total.violations += violations.length
    for (const { invariant, what } of violations.slice(0, 5))
      console.error(`${name}, seed ${seed}: ${invariant} ${what}`)
  }
  console.log(`${name}: ${values.seeds} seeds, ${JSON.stringify(total)}`)
  failed += total.violations
  await engine.stop()
}
process.exitCode = failed === 0 ? 0 : 1

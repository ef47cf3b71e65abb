// npm run -s sim:sdk: seeds through the real adapters, on each engine that this machine has.

import { parseArgs } from 'node:util'
import { startDynamoDbLocal, startDynoxide, whyNoDynamoDbLocal, whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import { BAD_MINUTE, FLAKY_STORE, sdkScene } from './sdk-scene.ts'

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } })
const ENGINES = [
  { name: 'dynoxide', whyNot: whyNoDynoxide(), start: startDynoxide },
  { name: 'DynamoDB Local', whyNot: whyNoDynamoDbLocal(), start: startDynamoDbLocal },
]

const PLAYS = [
  { what: 'a bad minute', play: BAD_MINUTE, seeds: Number(values.seeds) },
  { what: 'a flaky store', play: FLAKY_STORE, seeds: Math.ceil(Number(values.seeds) / 10) },
]

let failed = 0
for (const { name, whyNot, start } of ENGINES) {
  if (whyNot !== null) {
    console.log(`${name}: skipped, ${whyNot}`)
    continue
  }
  const engine = await start()
  for (const { what, play, seeds } of PLAYS) {
    const total = { instants: 0, starts: 0, faults: 0, staleReads: 0, violations: 0 }
    for (let seed = 1; seed <= seeds; seed++) {
      const { instants, starts, faults, staleReads, violations } = await sdkScene(seed, engine.endpoint, play)
      total.instants += instants
      total.starts += starts
      total.faults += faults
      total.staleReads += staleReads.length
      total.violations += violations.length
      for (const each of violations.slice(0, 5))
        console.error(`${name}, ${what}, seed ${seed}: ${each.invariant} ${each.what}`)
    }
    console.log(`${name}, ${what}: ${seeds} seeds, ${JSON.stringify(total)}`)
    failed += total.violations + total.staleReads
  }
  await engine.stop()
}
process.exitCode = failed === 0 ? 0 : 1

// npm run -s fuzz: made-up requests against the API, what they came to, and for each fault how to see it again.

import { parseArgs } from 'node:util'
import { fuzz } from './fuzz.ts'

const HELP = `Sends requests made from the OpenAPI document, valid, spoiled and random, to the API on stores in memory.

  npm run -s fuzz -- [--requests N] [--seed N] [--json]

Fails on a 5xx, an exception, an answer that does not fit the document, a request of more than a second, a body that the
document does not take and the API does, and on anything written by a request that was refused.`

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  console.error(`--${name} is ${JSON.stringify(text)}. Use a whole number from 1 on`)
  process.exit(2)
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const verdict = await fuzz(wholeNumber('seed', values.seed), wholeNumber('requests', values.requests))
  const { seed, requests, byStatus, slowest, longestTurn, neverAccepted, faults } = verdict
  if (values.json) console.log(JSON.stringify(verdict))
  else {
    for (const fault of faults) console.log(fault)
    const statuses = Object.entries(byStatus).map(([status, count]) => `${status}: ${count}`)
    console.log(`${requests} requests of seed ${seed}; ${statuses.join(', ')}`)
    console.log(`slowest ${Math.round(slowest.ms)} ms: ${slowest.request.slice(0, 200)}`)
    console.log(`longest turn ${Math.round(longestTurn.ms)} ms: ${longestTurn.request.slice(0, 200)}`)
    if (neverAccepted.length > 0) console.log(`never accepted: ${neverAccepted.join(', ')}`)
    console.log(faults.length === 0 ? 'no faults' : `${faults.length} faults`)
  }
  return faults.length === 0 ? 0 : 1
}

process.exit(await main())

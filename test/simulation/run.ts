// npm run -s sim: many seeds side by side, what they come to in one line or as JSON, and for each that fails how to see it again.

import { parseArgs } from 'node:util'
import { planted } from './mutants/patch.ts'
import { NETS, type Net, type SimulationOptions } from './simulate.ts'
import type { Verdict } from './verdict.ts'
import { simulateAll } from './workers.ts'

const HELP = `Simulates the whole scheduler in virtual time, with faults, and checks twelve invariants.

  npm run -s sim -- [--seeds N] [--from N] [--seed N] [--without NET] [--json]

  --seeds N      how many seeds, from --from on (100, 1)
  --seed N       this one only, with the story of what went wrong
  --without NET  without a safety net: ${NETS.join(', ')}, or each for each of them in turn
  --json         one object: {seeds, hours, instants, faults, lost, doubled, unjustified, violations}`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    without: { type: 'string' },
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

function netsOf(text: string | undefined): (Net | null)[] {
  if (text === undefined) return [null]
  if (text === 'each') return [...NETS]
  const net = NETS.find((each) => each === text)
  if (net !== undefined) return [net]
  console.error(`--without is ${JSON.stringify(text)}. Use one of ${NETS.join(', ')}, or each`)
  process.exit(2)
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP)
    return 0
  }
  const from = wholeNumber('from', values.seed ?? values.from)
  const seeds = values.seed === undefined ? wholeNumber('seeds', values.seeds) : 1
  const nets = netsOf(values.without)
  const tasks = Array.from({ length: seeds }, (_, place) => from + place).flatMap((seed) =>
    nets.map((without): SimulationOptions => ({ seed, without })),
  )
  const verdicts: Verdict[] = []
  const startedMs = performance.now()
  for (const without of nets) {
    await simulateAll(
      tasks.filter((task) => task.without === without),
      {
        ...planted(null, without),
        onVerdict: (verdict) => {
          verdicts.push(verdict)
          tell(verdict, verdicts.length, tasks.length)
          return true
        },
      },
    )
  }
  const total = totalOf(verdicts)
  if (values.json) console.log(JSON.stringify(total))
  else {
    console.log(
      `seeds ${from} to ${from + seeds - 1}: ${total.hours} hours, ${total.instants} instants, ${total.faults} faults; ` +
        `lost ${total.lost}, doubled ${total.doubled}, unjustified ${total.unjustified}, violations ${total.violations}; ` +
        `${Math.round((performance.now() - startedMs) / 1000)} s`,
    )
  }
  return total.lost + total.doubled + total.unjustified + total.violations === 0 ? 0 : 1
}

function tell(verdict: Verdict, done: number, all: number): void {
  const { seed, climate, without, hash, violations, story } = verdict
  const without_ = without === null ? '' : ` --without '${without}'`
  if (values.seed !== undefined) console.error(`seed ${seed}, ${climate}: ${hash}`)
  if (violations.length > 0) {
    console.error(`seed ${seed} (${climate}) failed. To see it again: npm run -s sim -- --seed ${seed}${without_}`)
    for (const { invariant, what } of violations) console.error(`  ${invariant}: ${what}`)
    if (values.seed !== undefined || done === 1) for (const line of story) console.error(`    ${line}`)
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all}${done === all ? '\n' : ''}`)
  else if (done % 100 === 0) console.error(`${done} of ${all}`)
}

function totalOf(verdicts: readonly Verdict[]) {
  const sum = (of: (verdict: Verdict) => number) => verdicts.reduce((total, verdict) => total + of(verdict), 0)
  return {
    seeds: verdicts.length,
    hours: Math.round((sum(({ simulatedSeconds }) => simulatedSeconds) / 3600) * 100) / 100,
    instants: sum(({ instants }) => instants),
    faults: sum(({ faults }) => faults),
    lost: sum(({ counts }) => counts.lost),
    doubled: sum(({ counts }) => counts.doubled),
    unjustified: sum(({ counts }) => counts.unjustified),
    violations: sum(({ counts }) => counts.violations),
  }
}

process.exitCode = await main()

// Knows how to run random cases through our evaluator, the oracle and two libraries, and counts what differs.
import { type CronCase, randomCase } from '../support/random-cron.ts'
import { compareWithLibrary, LIBRARY_DST, type NamedDifference } from './against-library.ts'
import { compareWithOracle } from './against-oracle.ts'
import { cronParser } from './cron-parser.ts'
import { croner } from './croner.ts'
import type { Library } from './library.ts'
import { compileOurs } from './ours.ts'
import { type Comparison, countClass, type DifferentialReport, emptyReport } from './report.ts'

export interface DifferentialOptions {
  cases: number
  seed: number
  firstCase?: number
  onProgress?: (done: number) => void
}

const LIBRARIES: readonly Library[] = [cronParser, croner]

const iso = (second: number | undefined) =>
  second === undefined ? 'nothing' : new Date(second * 1000).toISOString().replace('.000Z', 'Z')

function describe({ index, expression, zone, dst, instantSecond }: CronCase): string {
  return `case ${index}: '${expression}' ${zone} ${dst.gap}/${dst.overlap} from ${iso(instantSecond)}`
}

function runOracle(testCase: CronCase, comparison: Comparison, report: DifferentialReport): void {
  const found = compareWithOracle(testCase, compileOurs(testCase, testCase.dst))
  comparison.compared++
  if (found.length === 0) return
  comparison.disagreed++
  comparison.unclassified++
  const [{ expected, actual }] = found
  const differs = (second: number, index: number) => second !== actual[index]
  const first = expected.some(differs) ? expected.findIndex(differs) : expected.length
  report.unclassified.push(
    `oracle: ${describe(testCase)}: ${found.map(({ check }) => check).join(', ')}: ` +
      `expected ${iso(expected[first])}, got ${iso(actual[first])}`,
  )
}

function runLibrary(testCase: CronCase, library: Library, comparison: Comparison, report: DifferentialReport): void {
  const ours = compileOurs(testCase, LIBRARY_DST)
  const { differences, isQuiet } = compareWithLibrary(testCase, ours, library)
  comparison.compared++
  if (isQuiet) comparison.quiet++
  if (differences.length === 0) return
  comparison.disagreed++
  if (isQuiet) comparison.quietDisagreed++
  const tell = ({ kind, atSecond }: NamedDifference) => `${describe(testCase)}: ${kind} ${iso(atSecond)}`
  const firstOfClass = new Map(differences.toReversed().map((difference) => [difference.className, difference]))
  for (const [className, difference] of firstOfClass) {
    if (className !== undefined) {
      countClass(report, library, className, tell(difference))
      continue
    }
    comparison.unclassified++
    report.unclassified.push(`${library.name}: ${tell(difference)}`)
  }
}

export function runDifferential(options: DifferentialOptions): DifferentialReport {
  const { cases, seed, firstCase = 0, onProgress } = options
  const report = emptyReport(seed, cases, ['oracle', ...LIBRARIES.map(({ name }) => name)])
  const [oracleComparison, ...libraryComparisons] = report.comparisons
  const timed = (comparison: Comparison, work: () => void) => {
    const start = performance.now()
    work()
    comparison.seconds += (performance.now() - start) / 1000
  }
  for (let index = firstCase; index < firstCase + cases; index++) {
    const testCase = randomCase(seed, index)
    try {
      timed(oracleComparison, () => runOracle(testCase, oracleComparison, report))
      LIBRARIES.forEach((library, i) => {
        const comparison = libraryComparisons[i]
        if (testCase.uses.some((feature) => library.lacks.includes(feature))) comparison.skipped++
        else timed(comparison, () => runLibrary(testCase, library, comparison, report))
      })
    } catch (error) {
      report.unclassified.push(`${describe(testCase)}: ${error}`)
    }
    onProgress?.(index - firstCase + 1)
  }
  report.classes.sort((a, b) => a.library.localeCompare(b.library) || b.cases - a.cases)
  return report
}

// Knows what a differential run counts, and keeps the counts while it runs.
import type { Library } from './library.ts'

export interface Comparison {
  name: string
  compared: number
  // Cases with a part of the grammar that the other side does not know.
  skipped: number
  disagreed: number
  unclassified: number
  // Cases whose whole chain is far from any clock change, and how many of them disagree.
  quiet: number
  quietDisagreed: number
  seconds: number
}

interface ClassCount {
  library: string
  name: string
  meaning: string
  cases: number
  example: string
}

export interface DifferentialReport {
  seed: number
  cases: number
  comparisons: Comparison[]
  classes: ClassCount[]
  // Each is a failure: we differ from the oracle, or from a library in a way that no class explains.
  unclassified: string[]
}

export function emptyReport(seed: number, cases: number, names: string[]): DifferentialReport {
  const counts = { compared: 0, skipped: 0, disagreed: 0, unclassified: 0, quiet: 0, quietDisagreed: 0, seconds: 0 }
  return { seed, cases, comparisons: names.map((name) => ({ name, ...counts })), classes: [], unclassified: [] }
}

export function countClass(report: DifferentialReport, library: Library, name: string, example: string): void {
  let count = report.classes.find((entry) => entry.library === library.name && entry.name === name)
  if (count === undefined) {
    const meaning = library.classes.find((entry) => entry.name === name)?.meaning ?? ''
    count = { library: library.name, name, meaning, cases: 0, example }
    report.classes.push(count)
  }
  count.cases++
}

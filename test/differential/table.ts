// Knows how to print the report of a differential run as plain text.
import type { DifferentialReport } from './report.ts'

const MOST_PRINTED = 40

function columns(rows: string[][]): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  '),
  )
}

export function reportText(report: DifferentialReport): string {
  const comparisons = report.comparisons.map((comparison) => [
    comparison.name,
    ...[
      comparison.compared,
      comparison.skipped,
      comparison.disagreed,
      comparison.unclassified,
      comparison.quiet,
      comparison.quietDisagreed,
      Math.round(comparison.seconds),
    ].map(String),
  ])
  const head = ['against', 'compared', 'skipped', 'disagreed', 'unclassified', 'quiet', 'quiet disagreed', 'seconds']
  const classes = report.classes.flatMap(({ library, name, meaning, cases, example }) => [
    `${library}: ${name}: ${cases} cases (right by the rule: ours)`,
    `  ${meaning}`,
    `  ${example}`,
  ])
  const failures = report.unclassified.slice(0, MOST_PRINTED)
  return [
    `seed ${report.seed}, ${report.cases} cases`,
    '',
    ...columns([head, ...comparisons]),
    '',
    ...classes,
    '',
    `${report.unclassified.length} unclassified disagreements`,
    ...failures,
  ].join('\n')
}

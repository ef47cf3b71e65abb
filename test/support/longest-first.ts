// The order of the test files: the longest first, so that all cores have work until the end.

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A file that is not named here takes some seconds at most. */
const LONGEST = [
  'contract/ledger',
  'simulation/simulate',
  'contract/crowd',
  'contract/jobs',
  'simulation/mutants',
  'contract/capacity',
  'local/refused-starts',
  'infra/stack',
  'core/cron/differential',
  'core/run-index/expansion',
  'flow/latency',
  'core/time/zone',
]

const rankOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return place === -1 ? LONGEST.length : place
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}

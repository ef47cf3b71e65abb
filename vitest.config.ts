// What `npm test` runs, in two parts: the rules, whose coverage is counted, and all that meets the world, which is faster where it is not.
// What is long by nature has its own configuration.

import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import LongestFirst from './test/support/longest-first.ts'

const RULES = 'test/{core,flow}/**/*.test.ts'
/** Counting coverage makes these take twice as long, and they cover no line that the others do not. */
const UNCOUNTED = ['test/core/cron/differential.test.ts', 'test/flow/{latency,execute-faults,outage}.test.ts']
const LONG = 'test/**/*.long.test.ts'

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'rules', include: [RULES], exclude: [LONG, ...UNCOUNTED] } },
      {
        extends: true,
        test: {
          name: 'world',
          include: ['test/!(core|flow)/**/*.test.ts', ...UNCOUNTED],
          exclude: [LONG],
          globalSetup: [
            'test/support/backends/engines.ts',
            'test/support/backends/assembled.ts',
            'test/lambda/runtime/install.ts',
          ],
        },
      },
    ],
    reporters: ['default', './test/support/backends/reporter.ts'],
    testTimeout: 60_000,
    // One more than there are cores, because the tests in real time mostly wait.
    maxWorkers: availableParallelism() + 1,
    // All tests in real time of a file begin at once.
    maxConcurrency: 10,
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'v8',
      include: ['shared/core/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      // The rules of the scheduler are proven line by line; what talks to the world has contract and end-to-end tests.
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})

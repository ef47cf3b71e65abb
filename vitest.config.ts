import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/worlds/engines.ts'],
    reporters: ['default', './test/support/worlds/reporter.ts'],
    testTimeout: 30_000,
    // By default one core is left idle, which on two cores doubles the time.
    maxWorkers: '100%',
    coverage: {
      provider: 'v8',
      include: ['shared/core/**/*.ts'],
      reporter: ['text-summary', 'json-summary'],
      // The rules of the scheduler are proven line by line; what talks to the world has contract and end-to-end tests.
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
})

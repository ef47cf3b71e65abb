// The tests that are long by nature. One file at a time: simulations take all cores for themselves, and what waits for the real clock has
// a quiet machine.

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.long.test.ts'],
    globalSetup: [
      'test/support/backends/engines.ts',
      'test/support/backends/assembled.ts',
      'test/lambda/runtime/install.ts',
    ],
    reporters: ['default', './test/support/backends/reporter.ts'],
    testTimeout: 30_000,
    fileParallelism: false,
  },
})

// Twenty kills of a chain on real engines.

import { test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import { expectBackWithinEightSeconds } from './killed-chain.ts'

// The bound is close on a machine that is busy with other things, so two more tries are allowed.
test.skipIf(whyNoDynoxide() !== null)(
  'a chain on the real engines that is killed is back within eight seconds, twenty times over, and nothing is missed',
  { timeout: 180_000, retry: 2 },
  async (context) => {
    await expectBackWithinEightSeconds(context, 5)
  },
)

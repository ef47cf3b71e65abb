// A large crowd.

import { gather } from './crowd.ts'

gather({ runCount: 10_000, batchSize: 500 })

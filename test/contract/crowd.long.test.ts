// A crowd of claimers at one page, and of jobs in one batch.

import { gather } from './crowd.ts'

gather({ runCount: 10_000, batchSize: 500 })

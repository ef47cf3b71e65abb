// A small crowd.

import { gather } from './crowd.ts'

gather({ runCount: 1000, batchSize: 60 })

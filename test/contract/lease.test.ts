// The contest for a lease in small.

import { holdContests } from './lease-contest.ts'

holdContests({ contenders: 12, rounds: 10 })

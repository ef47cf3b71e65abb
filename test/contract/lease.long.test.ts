// The contest for a lease in full.

import { holdContests } from './lease-contest.ts'

holdContests({ contenders: 50, rounds: 10 })

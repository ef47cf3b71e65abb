// A process that simulates what it is asked to, one seed after the other.

import type { SimulationOptions } from './simulate.ts'
import { verdictOf } from './verdict.ts'

process.on('message', (options: SimulationOptions) => {
  void verdictOf(options).then((verdict) => process.send?.(verdict))
})

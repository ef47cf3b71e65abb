// What Tickring costs: plays spans of time on the local engines, counts what AWS would charge for, and prices it.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { totalOf } from './cost/bill.ts'
import { HOP_SECONDS } from './cost/deployment.ts'
import { figuresOf, type Played, perMillionBill } from './cost/figures.ts'
import { openStage } from './cost/play.ts'
import { plot } from './cost/plot.ts'
import { report } from './cost/report.ts'
import * as scenes from './cost/scenes.ts'

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    /** Where to draw dollars over triggers. */
    plot: { type: 'string' },
    /** Seconds that one link serves, where a deployment chooses another number. */
    'hop-seconds': { type: 'string', default: String(HOP_SECONDS) },
  },
})

const stage = await openStage(Number(options['hop-seconds']), (what) => console.error(what))
try {
  const { play } = stage
  const played: Played = {
    awake: await play(scenes.AWAKE),
    asleep: await play(scenes.ASLEEP),
    byPage: {
      '1': await play(scenes.ONE_A_PAGE),
      '24': await play(scenes.FEW_A_PAGE),
      '60': await play(scenes.MANY_A_PAGE),
    },
    serial: await play(scenes.SERIAL),
    fleets: {
      everySecond: await play(scenes.EVERY_SECOND),
      fullMinutes: await play(scenes.FULL_MINUTES),
      hourly: await play(scenes.HOURLY),
    },
  }
  const figures = figuresOf(played)
  if (options.plot !== undefined) writeFileSync(options.plot, plot(figures))
  if (options.json) console.log(JSON.stringify(figures))
  else {
    const serialBusy = totalOf(perMillionBill(await play(scenes.SERIAL_BUSY), played.awake))
    console.log(report(figures, played, serialBusy))
  }
} finally {
  await stage.close()
}

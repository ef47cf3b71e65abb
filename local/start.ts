// What `npm start` runs: the sample jobs on a whole stack of this machine until Ctrl-C. The only file here that reads the clock,
// the environment and signals; what is due and how it looks is decided elsewhere.

import { setTimeout as sleep } from 'node:timers/promises'
import ownHandlers from '../functions/handlers.ts'
import { parseRunId } from '../shared/core/run/run.ts'
import type { Zone } from '../shared/core/time/zone.ts'
import { zoneOf } from '../shared/core/time/zones.ts'
import { saveJobs } from '../shared/flow/manage-jobs.ts'
import { saveHandlerJobs } from '../shared/flow/save-handler-jobs.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import { Demo } from './demo.ts'
import { HELP, readOptions } from './options.ts'
import { noted } from './rig/noted.ts'
import { startStack } from './rig/stack.ts'
import { SAMPLE_JOBS, type SampleJob } from './samples.ts'
import { Show } from './show.ts'
import type { Happening } from './view.ts'

function machineZone(): Zone {
  try {
    return zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone)
  } catch {
    // Some machines have a zone that IANA does not list, such as a bare offset.
    return zoneOf('UTC')
  }
}

const nowSecond = (): number => Math.floor(Date.now() / 1000)

async function untilNextSecond(ended: AbortSignal): Promise<void> {
  try {
    await sleep(1000 - (Date.now() % 1000), undefined, { signal: ended })
  } catch (error) {
    if (!ended.aborted) throw error
  }
}

/** Ctrl-C, a polite kill, a closed terminal and a reader that went away all end it the same way. */
function endOf(): AbortController {
  const controller = new AbortController()
  const end = () => controller.abort()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isReaderGone = error.code === 'EPIPE' || error.code === 'EIO'
    if (!isReaderGone) throw error
    end()
  })
  return controller
}

/** A shell that gets the terminal back after Ctrl-Z must not find it without cursor. */
function pauseOnSuspend(show: Show): void {
  process.on('SIGTSTP', () => {
    show.pause()
    process.kill(process.pid, 'SIGSTOP')
  })
}

async function run(seconds: number | null, isPlain: boolean): Promise<void> {
  const { NO_COLOR, TERM } = process.env
  const zone = machineZone()
  const ending = endOf()
  const ended = ending.signal
  const demo = new Demo(SAMPLE_JOBS, Date.now())
  const show = new Show(process.stdout, { isPlain: isPlain || TERM === 'dumb', hasColour: !NO_COLOR })
  const update = (happenings: readonly Happening[]) => {
    if (!ended.aborted) show.update(demo.view(nowSecond(), zone), happenings)
  }
  const handlers = noted(ownHandlers, ({ job, id }) =>
    update([demo.fired(job.name, parseRunId(id).second, Date.now())]),
  )
  const stack = await startStack({
    handlers,
    line: () => {},
    onTick: (result) => {
      if ('second' in result && result.missed + result.house.missed > 0) {
        update([demo.missed(result.second, result.missed + result.house.missed)])
      }
    },
  })
  await startShards(stack.world)
  await saveHandlerJobs(stack.world, handlers)
  await saveJobs(stack.world, SAMPLE_JOBS.map(bodyOf), { by: 'npm start' })
  stack.rig.start()
  // What takes time to start is not counted.
  if (seconds !== null) setTimeout(() => ending.abort(), seconds * 1000).unref()
  const redraw = () => update([])
  process.stdout.on('resize', redraw)
  pauseOnSuspend(show)
  while (!ended.aborted) {
    redraw()
    await untilNextSecond(ended)
  }
  process.stdout.off('resize', redraw)
  show.end(demo.view(nowSecond(), zone))
  await stack.stop()
}

const bodyOf = ({ name, schedule }: SampleJob) => ({
  name,
  schedules: [schedule],
  target: { type: 'handler', handler: 'echo' },
})

const options = readOptions(process.argv.slice(2))
switch (options.type) {
  case 'run':
    await run(options.seconds, options.isPlain)
    break
  case 'help':
    process.stdout.write(HELP)
    break
  case 'wrong':
    process.stderr.write(`${options.problem}\n\n${HELP}`)
    process.exitCode = 2
    break
  default:
    options satisfies never
}

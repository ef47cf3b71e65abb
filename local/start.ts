// What `npm start` runs: the whole stack on this machine until Ctrl-C. The only file here that reads the clock, the environment and
// signals for it; what is due and how it looks is decided elsewhere.

import { setTimeout as sleep } from 'node:timers/promises'
import { secondOf } from '../shared/core/time/units.ts'
import type { Zone } from '../shared/core/time/zone.ts'
import { zoneOf } from '../shared/core/time/zones.ts'
import { absenceUntil, awayText, countAway, isOver } from './away.ts'
import { CannotStart } from './cannot-start.ts'
import { DataFolder } from './data-folder.ts'
import { FunctionLog } from './function-log.ts'
import { assemblyOptions, type OpenedStack, openStack } from './open-stack.ts'
import { HELP, type RunOptions, readOptions } from './options.ts'
import { readFigures } from './picture/read-figures.ts'
import { RingModel } from './picture/ring-model.ts'
import { Show } from './picture/show.ts'
import type { Happening } from './picture/view.ts'
import { RunsWatcher } from './picture/watch-runs.ts'
import { Progress } from './progress.ts'
import { SourceWatcher } from './reload.ts'
import { assemble } from './template/assembly.ts'

function machineZone(): Zone {
  try {
    return zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone)
  } catch {
    // Some machines have a zone that IANA does not list, such as a bare offset.
    return zoneOf('UTC')
  }
}

const nowSecond = (): number => secondOf(Date.now())

/** Runs of a second have mostly ended by then, so a look finds how late they were. */
const LOOKED_AFTER_MS = 600
/** Looks take a small share of the time, however many runs there are; one that was slow by chance is not waited for long. */
const LOOKING_SHARE = 0.05
const LONGEST_REST_MS = 4000
const AWAY_LOOKS = 40
/** Ctrl-C is answered within three seconds. Engines that take longer go on ending by themselves once this process is gone. */
const RUNS_END_WITHIN_MS = 1500
const ALL_ENDS_WITHIN_MS = 2400
const DISK_LOOKED_AT_EVERY_MS = 5000

async function pauseUntil(ms: number, ended: AbortSignal): Promise<void> {
  try {
    await sleep(Math.max(0, ms - Date.now()), undefined, { signal: ended })
  } catch (error) {
    if (!ended.aborted) throw error
  }
}

/** Ctrl-C, a polite kill, a closed terminal and a reader that went away all end it the same way. */
function endOf(): AbortController {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // Asked twice, it ends at once, whatever it is doing.
      if (controller.signal.aborted) process.exit(130)
      controller.abort()
    })
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const isReaderGone = error.code === 'EPIPE' || error.code === 'EIO'
    if (!isReaderGone) throw error
    controller.abort()
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

async function run(options: RunOptions): Promise<void> {
  const { NO_COLOR, TERM } = process.env
  const { seconds, isPlain, isFresh, data } = options
  const zone = machineZone()
  const ending = endOf()
  const ended = ending.signal
  const folder = new DataFolder(data)
  await folder.take()
  if (isFresh) folder.clear()
  const log = new FunctionLog(folder.file('functions.log'))
  const model = new RingModel()
  const show = new Show(process.stdout, { isPlain: isPlain || TERM === 'dumb', hasColour: !NO_COLOR })
  const update = (happenings: readonly Happening[]) => {
    if (!ended.aborted) show.update(model.view(nowSecond(), zone), happenings)
  }
  const progress = new Progress(
    (text) => process.stdout.write(`${text}\n`),
    () => performance.now(),
  )
  const opened = await openStack(options, folder, progress, {
    onLine: (name, line) => {
      log.write(name, line)
      const figures = readFigures(line)
      if (figures === null) return
      model.began(figures.startLatenessesMs, nowSecond())
      model.failed(figures.failed)
      if (figures.missed > 0) update(model.missed(nowSecond(), figures.missed))
    },
    onError: (name, error) => {
      if (!ended.aborted) log.write(name, error instanceof Error ? (error.stack ?? error.message) : String(error))
    },
  }).catch((error: unknown) => {
    folder.noteStopped()
    throw error
  })
  const { stack, world, adminKey } = opened
  folder.noteRunning(stack.url)
  show.tell([
    `API     ${stack.url}/v1   to read and try: ${stack.url}/docs`,
    `Key     ${adminKey}   (also in ${folder.adminKeyFile})`,
    `Log     ${folder.file('functions.log')}   ready after ${progress.total}`,
  ])
  // What the store does not tell, because it is away or was stopped, stays untold.
  void tellAway(opened, show, ended).catch(() => {})
  stack.begin()
  const watcher = reloadOnSave(opened, options, show, ended)
  // What takes time to start is not counted.
  if (seconds !== null) setTimeout(() => ending.abort(), seconds * 1000).unref()
  const redraw = () => update([])
  process.stdout.on('resize', redraw)
  pauseOnSuspend(show)
  redraw()
  void lookAtRuns(new RunsWatcher(world), model, update, ended)
  const full = await endWhenFull(folder, ending)
  process.stdout.off('resize', redraw)
  watcher.stop()
  show.end(model.view(nowSecond(), zone))
  world.close()
  await Promise.race([stack.stop(RUNS_END_WITHIN_MS), sleep(ALL_ENDS_WITHIN_MS)])
  log.close()
  folder.noteStopped()
  if (full !== null) throw new CannotStart(full)
}

/** Once a second, a little after it; less often where a look takes long. */
async function lookAtRuns(
  watcher: RunsWatcher,
  model: RingModel,
  update: (happenings: readonly Happening[]) => void,
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    await pauseUntil(secondOf(Date.now()) * 1000 + 1000, ended)
    update([])
    await pauseUntil(Date.now() + LOOKED_AFTER_MS, ended)
    if (ended.aborted) return
    const begunMs = performance.now()
    try {
      const { fired, running, ahead } = await watcher.look(nowSecond())
      model.ahead = ahead
      model.running = running
      update(model.fired(fired))
    } catch {
      // The store is away or slow; the next look tells what this one could not.
    }
    const tookMs = performance.now() - begunMs
    await pauseUntil(Date.now() + Math.min(tookMs / LOOKING_SHARE - 1000, LONGEST_REST_MS), ended)
  }
}

/** Resolves when it ends: with the reason where the disk is full, otherwise with null. */
async function endWhenFull(folder: DataFolder, ending: AbortController): Promise<string | null> {
  while (!ending.signal.aborted) {
    await pauseUntil(Date.now() + DISK_LOOKED_AT_EVERY_MS, ending.signal)
    const full = ending.signal.aborted ? null : folder.whyFull()
    if (full === null) continue
    ending.abort()
    return full
  }
  return null
}

/** One line about what was due before this start, once the chain has dealt with it. */
async function tellAway({ world }: OpenedStack, show: Show, ended: AbortSignal): Promise<void> {
  const absence = await absenceUntil(world, nowSecond())
  if (absence === null) return
  for (let look = 0; look < AWAY_LOOKS && !ended.aborted; look++) {
    await pauseUntil(Date.now() + 1000, ended)
    if (await isOver(world, absence)) break
  }
  // What is late by little is sent now, and takes a moment to begin.
  await pauseUntil(Date.now() + 2000, ended)
  if (!ended.aborted) show.note(awayText(absence, await countAway(world, absence)))
}

/** Gives functions their new code when a source of theirs was saved. What does not compile is said, and the old code goes on. */
function reloadOnSave(
  { stack, sources }: OpenedStack,
  options: RunOptions,
  show: Show,
  ended: AbortSignal,
): SourceWatcher {
  let isReloading = false
  let isSavedAgain = false
  const reload = async (): Promise<void> => {
    isSavedAgain = isReloading
    if (isReloading || ended.aborted) return
    isReloading = true
    try {
      const assembly = await assemble(assemblyOptions(options, process.env))
      watcher.watch(assembly.sources)
      const changed = await stack.deploy(assembly)
      if (changed > 0) show.note(`Saved: ${changed} functions run the new code.`)
    } catch (error) {
      show.note(`Saved, and the old code goes on: ${error instanceof Error ? error.message : error}`)
    } finally {
      isReloading = false
      if (isSavedAgain) void reload()
    }
  }
  const watcher = new SourceWatcher(() => void reload())
  watcher.watch(sources)
  return watcher
}

const options = readOptions(process.argv.slice(2))
switch (options.type) {
  case 'run':
    try {
      await run(options)
    } catch (error) {
      if (!(error instanceof CannotStart)) throw error
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    }
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
// Connections that are still open must not keep a start alive that was told to end.
process.exit()

// What `npm start` runs: the sample jobs on a whole stack of this machine until Ctrl-C. The only file here that reads the clock,
// the environment and signals; what is due and how it looks is decided elsewhere.

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import ownHandlers from '../functions/handlers.ts'
import { type Api, makeApi } from '../functions/http/door.ts'
import { apiWorldOf } from '../functions/http/open-world.ts'
import { SYSTEM } from '../shared/core/actor.ts'
import { parseRunId } from '../shared/core/run/run.ts'
import type { Zone } from '../shared/core/time/zone.ts'
import { zoneOf } from '../shared/core/time/zones.ts'
import { installAdminKey, newKeyText } from '../shared/flow/access/keys.ts'
import { saveJob } from '../shared/flow/manage-jobs.ts'
import type { JobsWorld } from '../shared/flow/mutate-job.ts'
import { rearmSwitches } from '../shared/flow/rearm-switches.ts'
import { saveHandlerJobs } from '../shared/flow/save-handler-jobs.ts'
import { startShards } from '../shared/flow/start-shards.ts'
import { type ApiServer, serveApi } from './api/server.ts'
import { isLoopback, localSettings } from './api/settings.ts'
import { DataFolder } from './data-folder.ts'
import { Demo } from './demo.ts'
import { HELP, type RunOptions, readOptions } from './options.ts'
import { noted } from './rig/noted.ts'
import { startStack } from './rig/stack.ts'
import { SAMPLE_JOBS } from './samples.ts'
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

/** A reason to end at once, with what to do about it. */
class CannotStart extends Error {}

/** The key of an earlier start, or a new one; another host than loopback is served with a key that its user knows already. */
function adminKeyOf(folder: DataFolder, host: string): string {
  const known = folder.readAdminKey()
  if (known !== null) return known
  if (!isLoopback(host)) {
    throw new CannotStart(
      `--host ${host} is open to others, and there is no admin key in ${folder.adminKeyFile} yet. Start once without --host, which makes one.`,
    )
  }
  const made = newKeyText({ entropy: randomBytes })
  folder.writeAdminKey(made)
  return made
}

function openFolder({ data, isFresh }: RunOptions): DataFolder {
  try {
    const folder = new DataFolder(data)
    const url = folder.runningAt()
    if (url !== null)
      throw new CannotStart(`already running at ${url}. Stop it first, or use another --data and --port.`)
    if (isFresh) folder.clear()
    return folder
  } catch (error) {
    if (error instanceof CannotStart) throw error
    throw new CannotStart(
      `the folder ${data} cannot be used: ${error instanceof Error ? error.message : error}. Use another with --data.`,
    )
  }
}

async function serve(api: Api, { host, port }: RunOptions): Promise<ApiServer> {
  try {
    return await serveApi(api, host, port)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotStart(`port ${port} of ${host} cannot be used: ${reason}. Use another with --port.`)
  }
}

async function run(options: RunOptions): Promise<void> {
  const { NO_COLOR, TERM } = process.env
  const { seconds, isPlain, host, hasSamples } = options
  const zone = machineZone()
  const ending = endOf()
  const ended = ending.signal
  const folder = openFolder(options)
  const isFirst = !existsSync(folder.storeFile)
  const adminKey = adminKeyOf(folder, host)
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
    storeFile: folder.storeFile,
    line: () => {},
    onTick: (result) => {
      if ('second' in result && result.missed > 0) update([demo.missed(result.second, result.missed)])
    },
  })
  folder.closeStoreFiles()
  await startShards(stack.world)
  await rearmSwitches(stack.world)
  // Hosts name the port, which is known only once it is taken.
  let api: Api = () => Promise.reject(new Error('the API is not open yet'))
  const server = await serve((event) => api(event), options).catch(async (error: unknown) => {
    await stack.stop()
    throw error
  })
  const env = { ...stack.env, ...process.env }
  const world = apiWorldOf(stack.world, localSettings(env, host, server.port))
  await installAdminKey(world, adminKey, SYSTEM)
  await saveHandlerJobs(world, world.directory, handlers)
  if (hasSamples && isFirst) await saveSamples(world)
  api = makeApi(world, { line: () => {}, nowMs: () => Date.now() })
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`
  folder.noteRunning(url)
  show.tell([
    `API     ${url}/v1   to read and try: ${url}/docs`,
    `Key     ${adminKey}   (also in ${folder.adminKeyFile})`,
  ])
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
  await server.stop()
  await stack.stop()
  folder.noteStopped()
}

async function saveSamples(world: JobsWorld): Promise<void> {
  for (const { name, schedule } of SAMPLE_JOBS) {
    const body = { schedules: [schedule], target: { type: 'handler', handler: 'echo' }, tags: { sample: 'yes' } }
    await saveJob(world, { namespace: 'default', name }, body, { by: SYSTEM })
  }
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

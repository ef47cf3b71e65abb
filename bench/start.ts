// What a local start costs: seconds until it is ready and until its first fire, and what it takes while nothing is due.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROUNDS = 3
/** Environments that had nothing to do are ended by then. */
const IDLE_AFTER_MS = 130_000
const IDLE_FOR_MS = 60_000
const TICKS_A_SECOND = 100

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const progress = (what: string): void => console.error(what)

interface Started {
  readonly child: ChildProcess
  /** Seconds until it has printed something that matches. */
  says(pattern: RegExp): Promise<number>
}

function start(data: string, ...args: string[]): Started {
  const script = join(import.meta.dirname, '../local/start.ts')
  const begunMs = performance.now()
  const child = spawn(process.execPath, [script, '--plain', '--port', '0', '--data', data, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => {
    said += text
  })
  const says = async (pattern: RegExp) => {
    while (!pattern.test(said)) await pause(10)
    return (performance.now() - begunMs) / 1000
  }
  return { child, says }
}

async function stop({ child }: Started): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

/** A process and all that it started. */
function treeOf(pid: number): number[] {
  const parents = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      parents.set(parent, [...(parents.get(parent) ?? []), Number(name)])
    } catch {
      // It has ended since.
    }
  }
  const all = [pid]
  for (const each of all) all.push(...(parents.get(each) ?? []))
  return all
}

function usedBy(pids: readonly number[]): { cpuSeconds: number; rssMb: number; pssMb: number; processes: number } {
  let [cpuTicks, rssKb, pssKb] = [0, 0, 0]
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      cpuTicks += Number(fields[11]) + Number(fields[12])
      const memory = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      rssKb += Number(/^Rss: +(\d+)/m.exec(memory)?.[1])
      pssKb += Number(/^Pss: +(\d+)/m.exec(memory)?.[1])
    } catch {
      // It has ended since.
    }
  }
  const mb = (kb: number) => Math.round(kb / 1024)
  return { cpuSeconds: cpuTicks / TICKS_A_SECOND, rssMb: mb(rssKb), pssMb: mb(pssKb), processes: pids.length }
}

const FIRE = /^\d\d:\d\d:\d\d {2}(?!missed)/m

async function startsOf(data: string) {
  const times: { readySeconds: number; firstFireSeconds: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const started = start(data)
    const readySeconds = await started.says(/ready after/)
    times.push({ readySeconds, firstFireSeconds: await started.says(FIRE) })
    await stop(started)
  }
  return times.sort((a, b) => a.firstFireSeconds - b.firstFireSeconds)
}

async function idle(data: string) {
  const started = start(data, '--no-samples')
  await started.says(/ready after/)
  await pause(IDLE_AFTER_MS)
  const pid = started.child.pid ?? 0
  const before = usedBy(treeOf(pid))
  await pause(IDLE_FOR_MS)
  const after = usedBy(treeOf(pid))
  await stop(started)
  const cpuPercent = (100 * (after.cpuSeconds - before.cpuSeconds)) / (IDLE_FOR_MS / 1000)
  return {
    rssMb: after.rssMb,
    pssMb: after.pssMb,
    processes: after.processes,
    cpuPercent: Number(cpuPercent.toFixed(1)),
  }
}

const folders = [mkdtempSync(join(tmpdir(), 'tickring-bench-')), mkdtempSync(join(tmpdir(), 'tickring-bench-'))]
try {
  progress(`starting ${ROUNDS + 1} times`)
  const [cold] = await startsOf(folders[0]).then((all) => all.slice(-1))
  const [best, ...others] = await startsOf(folders[0])
  progress(`idle for ${(IDLE_AFTER_MS + IDLE_FOR_MS) / 1000} s`)
  const figures = { first: cold, warm: { ...best, worst: others.at(-1) }, idle: await idle(folders[1]) }
  console.log(JSON.stringify(figures, null, process.argv.includes('--json') ? undefined : 2))
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

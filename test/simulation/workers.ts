// Processes that simulate side by side, as many as there are cores.

import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { SimulationOptions } from './simulate.ts'
import type { Verdict } from './verdict.ts'

/** Simulations make much that is soon forgotten. */
const YOUNG_HEAP = '--max-semi-space-size=64'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

export interface WorkersOptions {
  readonly most?: number
  /** More arguments for the node that simulates. */
  readonly execArgv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Called with each verdict as it comes; false ends the work early. */
  onVerdict(verdict: Verdict, task: SimulationOptions): boolean
}

/** Simulates all of it, in no order. Throws where a process dies of it. */
export async function simulateAll(tasks: readonly SimulationOptions[], options: WorkersOptions): Promise<void> {
  const queue = [...tasks]
  let isWanted = true
  const work = async () => {
    if (queue.length === 0) return
    const child = fork(WORKER, {
      execArgv: [YOUNG_HEAP, ...(options.execArgv ?? [])],
      env: { ...process.env, ...options.env },
    })
    try {
      for (let task = queue.shift(); task !== undefined && isWanted; task = queue.shift()) {
        const verdict = await ask(child, task)
        if (isWanted) isWanted = options.onVerdict(verdict, task)
      }
    } finally {
      child.kill()
    }
  }
  const most = Math.min(options.most ?? availableParallelism(), tasks.length)
  await Promise.all(Array.from({ length: most }, work))
}

function ask(child: ChildProcess, task: SimulationOptions): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) =>
      reject(new Error(`simulating seed ${task.seed} ended its process with ${code}`))
    child.once('exit', gone)
    child.once('message', (verdict: Verdict) => {
      child.off('exit', gone)
      resolve(verdict)
    })
    child.send(task)
  })
}

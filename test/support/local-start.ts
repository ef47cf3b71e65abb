// `npm start` as a process, with a folder of its own: what it says, where its API is, and how it ends.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const START = fileURLToPath(new URL('../../local/start.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly errors: string
}

/** Of tests that run side by side each must say for itself what is to be cleared away when it is over. */
type Over = (clean: () => void) => void

function dataFolder(over: Over): string {
  const folder = mkdtempSync(join(tmpdir(), 'tickring-'))
  over(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export class LocalStart {
  readonly data: string
  readonly #child: ChildProcess
  readonly ended: Promise<Ended>
  #out = ''
  #errors = ''
  readonly #onOutput: (() => void)[] = []

  constructor(over: Over, args: readonly string[], data = dataFolder(over), env: NodeJS.ProcessEnv = {}) {
    this.data = data
    // In a group of its own, so that all of it can be killed at once.
    this.#child = spawn(process.execPath, [START, '--data', data, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...process.env, ...env },
    })
    this.#child.stdout?.on('data', (text: Buffer) => {
      this.#out += text
      this.#tell()
    })
    this.#child.stderr?.on('data', (text: Buffer) => {
      this.#errors += text
    })
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        resolve({ code, signal, out: this.#out, errors: this.#errors })
        this.#tell()
      })
    })
    over(() => this.kill('SIGKILL'))
  }

  #tell(): void {
    for (const tell of this.#onOutput.splice(0)) tell()
  }

  /** Returns when it has printed something that matches. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#out)
      if (found !== null) return found
      const { exitCode, signalCode } = this.#child
      if (exitCode !== null || signalCode !== null) throw new Error(`it ended: ${this.#out}${this.#errors}`)
      await new Promise<void>((resolve) => this.#onOutput.push(resolve))
    }
  }

  /** All that it has printed so far. */
  get out(): string {
    return this.#out
  }

  async url(): Promise<string> {
    return (await this.says(/^API +(\S+)\/v1[\s\S]*^Key /m))[1]
  }

  get key(): string {
    return readFileSync(join(this.data, 'admin.key'), 'utf8').trim()
  }

  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
    const answer = await fetch(`${await this.url()}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, json: text === '' ? {} : JSON.parse(text) }
  }

  /** The whole group, with the store and the queues. */
  kill(signal: NodeJS.Signals): void {
    try {
      process.kill(-(this.#child.pid ?? 0), signal)
    } catch {
      // It has ended by itself.
    }
  }

  /** The process alone, as Ctrl-C in another terminal or a closed reader would. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  closeReader(): void {
    this.#child.stdout?.destroy()
  }
}

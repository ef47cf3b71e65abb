// What a start keeps on this machine: the store, parameters with the admin key among them, the log, and who is running. Only its owner may
// read it.

import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { CannotStart } from './cannot-start.ts'
import type { KeptParameters } from './engines/parameters.ts'

const OWNER_ONLY = 0o600
/** Files of the store: of dynoxide, and of DynamoDB Local where that runs. */
const STORE_FILES = '{store,shared-local-instance}.db*'
/** Below this the store may not be able to write. */
const LEAST_FREE_BYTES = 32 * 1024 * 1024
/** A start that has not said after this long where it serves has died. */
const STARTS_WITHIN_MS = 120_000
const ANSWERS_WITHIN_MS = 2000

/** One folder after the other: where none can be made, as in /proc, Node's own way of making them all at once never ends. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

interface Running {
  readonly pid: number
  /** Null while it starts. */
  readonly url: string | null
}

export class DataFolder {
  readonly path: string

  /** Throws where it cannot be made, or cannot be written to. */
  constructor(path: string) {
    this.path = path
    try {
      makeFolder(resolve(path))
      chmodSync(path, 0o700)
      const probe = this.file('probe')
      writeFileSync(probe, '')
      rmSync(probe)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CannotStart(`the folder ${path} cannot be used: ${reason}. Use another with --data.`)
    }
  }

  file(name: string): string {
    return join(this.path, name)
  }

  get adminKeyFile(): string {
    return this.file('admin.key')
  }

  get hasStore(): boolean {
    return this.#storeFiles().length > 0
  }

  #storeFiles(): string[] {
    return globSync(STORE_FILES, { cwd: this.path }).map((name) => this.file(name))
  }

  /** Forgets everything: jobs, runs and keys. */
  clear(): void {
    for (const file of this.#storeFiles()) rmSync(file, { force: true })
    rmSync(this.adminKeyFile, { force: true })
    rmSync(this.file('parameters'), { recursive: true, force: true })
  }

  /** The key of before, or null. */
  readAdminKey(): string | null {
    return existsSync(this.adminKeyFile) ? readFileSync(this.adminKeyFile, 'utf8').trim() : null
  }

  writeAdminKey(text: string): void {
    writeFileSync(this.adminKeyFile, `${text}\n`, { mode: OWNER_ONLY })
    chmodSync(this.adminKeyFile, OWNER_ONLY)
  }

  /** SSM's parameters, each a file. The admin key is the one that its user looks for, and has a place of its own. */
  get parameters(): KeptParameters {
    const isAdminKey = (name: string) => basename(name) === 'admin-key'
    const fileOf = (name: string) => join(this.file('parameters'), encodeURIComponent(name))
    return {
      get: (name) => {
        if (isAdminKey(name)) return this.readAdminKey() ?? undefined
        return existsSync(fileOf(name)) ? readFileSync(fileOf(name), 'utf8') : undefined
      },
      set: (name, value) => {
        if (isAdminKey(name)) return this.writeAdminKey(value)
        mkdirSync(this.file('parameters'), { recursive: true, mode: 0o700 })
        writeFileSync(fileOf(name), value, { mode: OWNER_ONLY })
      },
    }
  }

  /** The store's files are made by its engine, which lets others on the machine read them. */
  closeStoreFiles(): void {
    for (const file of this.#storeFiles()) chmodSync(file, OWNER_ONLY)
  }

  /** Why the store could not write, or null. */
  whyFull(): string | null {
    const { bavail, bsize } = statfsSync(this.path)
    if (bavail * bsize >= LEAST_FREE_BYTES) return null
    return `the disk of ${this.path} is full: ${Math.floor((bavail * bsize) / 1024 / 1024)} MB are free. Free some, or use another folder with --data.`
  }

  /** Throws where another start that is alive has this folder. */
  async take(): Promise<void> {
    const other = this.#readRunning()
    if (other !== null && (await this.#isAlive(other))) {
      const where = other.url === null ? 'and starting' : `at ${other.url}`
      throw new CannotStart(`already running ${where}. Stop it first, or use another --data and --port.`)
    }
    this.noteRunning(null)
  }

  #readRunning(): Running | null {
    try {
      return JSON.parse(readFileSync(this.file('running.json'), 'utf8'))
    } catch {
      // There is none, or it was half written when its writer died.
      return null
    }
  }

  /** The process may be gone, and its number another's by now: so it is asked. */
  async #isAlive({ pid, url }: Running): Promise<boolean> {
    try {
      process.kill(pid, 0)
    } catch {
      return false
    }
    if (url === null) return Date.now() - statSync(this.file('running.json')).mtimeMs < STARTS_WITHIN_MS
    try {
      await fetch(`${url}/v1/health`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
      return true
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError'
    }
  }

  noteRunning(url: string | null): void {
    const running: Running = { pid: process.pid, url }
    writeFileSync(this.file('running.json'), JSON.stringify(running), { mode: OWNER_ONLY })
  }

  noteStopped(): void {
    rmSync(this.file('running.json'), { force: true })
  }
}

// What a start keeps on this machine: the store, the admin key, and who is running. Only its owner may read it.

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const OWNER_ONLY = 0o600

export class DataFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
  }

  #file(name: string): string {
    return join(this.path, name)
  }

  get storeFile(): string {
    return this.#file('store.db')
  }

  get adminKeyFile(): string {
    return this.#file('admin.key')
  }

  /** Forgets everything: jobs, runs and keys. */
  clear(): void {
    for (const name of ['store.db', 'store.db-wal', 'store.db-shm', 'admin.key'])
      rmSync(this.#file(name), { force: true })
  }

  /** The key of before, or null. */
  readAdminKey(): string | null {
    return existsSync(this.adminKeyFile) ? readFileSync(this.adminKeyFile, 'utf8').trim() : null
  }

  writeAdminKey(key: string): void {
    writeFileSync(this.adminKeyFile, `${key}\n`, { mode: OWNER_ONLY })
    chmodSync(this.adminKeyFile, OWNER_ONLY)
  }

  /** The store is made by its engine, for whom everybody may read what this process may. */
  closeStoreFiles(): void {
    for (const name of ['store.db', 'store.db-wal', 'store.db-shm']) {
      if (existsSync(this.#file(name))) chmodSync(this.#file(name), OWNER_ONLY)
    }
  }

  /** Where another start that is alive serves this folder, or null. */
  runningAt(): string | null {
    const file = this.#file('running.json')
    if (!existsSync(file)) return null
    try {
      const { pid, url }: { pid: number; url: string } = JSON.parse(readFileSync(file, 'utf8'))
      process.kill(pid, 0)
      return url
    } catch {
      // The process is gone, or the file was half written when it died.
      return null
    }
  }

  noteRunning(url: string): void {
    writeFileSync(this.#file('running.json'), JSON.stringify({ pid: process.pid, url }), { mode: OWNER_ONLY })
  }

  noteStopped(): void {
    rmSync(this.#file('running.json'), { force: true })
  }
}

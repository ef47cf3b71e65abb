// Watches the sources of a stack, and tells when one was saved. Editors save by writing or by renaming, so folders are watched.

import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** One save is often several changes. */
const SETTLED_AFTER_MS = 150

export class SourceWatcher {
  readonly #onSaved: () => void
  #watchers: FSWatcher[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(onSaved: () => void) {
    this.#onSaved = onSaved
  }

  /** These from now on, and no others. */
  watch(sources: readonly string[]): void {
    this.stop()
    for (const [folder, files] of Map.groupBy(sources, dirname)) {
      const names = new Set(files.map((file) => basename(file)))
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name !== null && names.has(name)) this.#settle()
        })
        watcher.on('error', () => watcher.close())
        this.#watchers.push(watcher)
      } catch {
        // A folder that went, or a machine that has no room for more watchers: then its files need another start.
      }
    }
  }

  #settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#onSaved, SETTLED_AFTER_MS).unref()
  }

  stop(): void {
    for (const watcher of this.#watchers) watcher.close()
    this.#watchers = []
  }
}

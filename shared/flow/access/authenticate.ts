// Who asks: the key of a request, looked up at most every few seconds, so that a deleted one is refused soon and a busy one costs no read.

import { opens, parseKey, type StoredKey } from '../../core/access/key.ts'
import type { ApiKeys, Clock } from '../../ports.ts'
import { nowOf } from '../tick-world.ts'

/** A key that was deleted or rotated elsewhere is noticed within this. */
const KNOWN_MS = 5000
const MOST_KNOWN = 10_000
/** That a key is used is written down this often at most. */
const NOTED_EVERY_MS = 60_000
const ANY_SECRET = '0'.repeat(43)

export class Authenticator {
  readonly #world: { readonly apiKeys: ApiKeys; readonly clock: Clock }
  readonly #known = new Map<string, { readonly key: StoredKey | null; readonly readMs: number }>()
  readonly #notedMs = new Map<string, number>()

  constructor(world: { readonly apiKeys: ApiKeys; readonly clock: Clock }) {
    this.#world = world
  }

  /** The key that a text opens, or null. A text that is no key costs the same digest and comparison. */
  async authenticate(text: string): Promise<StoredKey | null> {
    const parts = parseKey(text)
    const key = parts === null ? null : await this.#read(parts.id)
    const isOpen = opens(key, parts?.secret ?? ANY_SECRET, nowOf(this.#world))
    if (key === null || !isOpen) return null
    await this.#note(key)
    return key
  }

  /** What this process changed itself it knows at once. */
  forget(id: string): void {
    this.#known.delete(id)
  }

  async #read(id: string): Promise<StoredKey | null> {
    const nowMs = this.#world.clock.nowMs()
    const known = this.#known.get(id)
    if (known !== undefined && nowMs - known.readMs < KNOWN_MS) return known.key
    const key = await this.#world.apiKeys.read(id)
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(id, { key, readMs: nowMs })
    return key
  }

  async #note({ id, lastUsedAtMs }: StoredKey): Promise<void> {
    const nowMs = this.#world.clock.nowMs()
    const noted = Math.max(lastUsedAtMs ?? 0, this.#notedMs.get(id) ?? 0)
    if (nowMs - noted < NOTED_EVERY_MS) return
    this.#notedMs.set(id, nowMs)
    await this.#world.apiKeys.touch(id, nowMs)
  }
}

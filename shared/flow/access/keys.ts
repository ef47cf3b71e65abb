// Keys of the API: making, rotating and deleting them. Only an admin whose namespaces cover all of a key's has anything to do with it.

import {
  digestOf,
  isAdminOfAll,
  keyIdOf,
  keyText,
  leavesAnAdmin,
  parseKey,
  type StoredKey,
  secretOf,
} from '../../core/access/key.ts'
import { coversPatterns, type Role } from '../../core/access/role.ts'
import type { Actor } from '../../core/actor.ts'
import { type AuditAction, type AuditEntry, NO_NAMESPACE } from '../../core/audit-entry.ts'
import type { ApiKeys, Clock, KeyRing } from '../../ports.ts'
import { notFound, Refusal, tooBusy } from '../refusals.ts'

export interface KeysWorld {
  readonly apiKeys: ApiKeys
  readonly clock: Clock
  newId(): string
  /** So many bytes that cannot be guessed. */
  entropy(count: number): Uint8Array
}

export interface KeyAsking {
  readonly by: Actor
  readonly requestId: string | null
  /** What the key that asks may reach. */
  readonly namespaces: readonly string[]
  readonly isDryRun?: boolean
}

export interface NewKey {
  readonly name: string
  readonly role: Role
  readonly namespaces: readonly string[]
  readonly expiresAt: number | null
}

export interface MadeKey {
  readonly key: StoredKey
  /** Shown once; null where it was shown before. */
  readonly secret: string | null
}

const ID_BYTES = 8
const SECRET_BYTES = 32
const MOST_TRIES = 8

const newKeyId = (world: Pick<KeysWorld, 'entropy'>): string => keyIdOf(world.entropy(ID_BYTES))

/** Null as secret where the key of that id is there already: the same request came before. */
export async function createKey(world: KeysWorld, id: string, wanted: NewKey, asking: KeyAsking): Promise<MadeKey> {
  if (!coversPatterns(asking.namespaces, wanted.namespaces)) {
    throw new Refusal('forbidden', 'this key may not make one that reaches further than itself. Use fewer namespaces')
  }
  const secret = secretOf(world.entropy(SECRET_BYTES))
  return change<MadeKey>(world, asking, 'key.create', id, ({ keys }) => {
    const known = keys.find((key) => key.id === id)
    if (known !== undefined) return { result: { key: known, secret: null } }
    const key: StoredKey = {
      ...wanted,
      namespaces: [...wanted.namespaces],
      id,
      digest: digestOf(secret),
      previous: null,
      createdAtMs: world.clock.nowMs(),
      lastUsedAtMs: null,
    }
    return { put: key, result: { key, secret: keyText(id, secret) } }
  })
}

/** Both secrets open for a while. Null as secret where the digest is not the one before: the same request came already. */
export async function rotateKey(
  world: KeysWorld,
  id: string,
  { overlapSeconds, fromDigest }: { readonly overlapSeconds: number; readonly fromDigest: string | null },
  asking: KeyAsking,
): Promise<MadeKey> {
  const secret = secretOf(world.entropy(SECRET_BYTES))
  return change<MadeKey>(world, asking, 'key.rotate', id, ({ keys }) => {
    const old = visible(keys, id, asking)
    if (fromDigest !== null && old.digest !== fromDigest) return { result: { key: old, secret: null } }
    const until = Math.ceil(world.clock.nowMs() / 1000) + overlapSeconds
    const key = { ...old, digest: digestOf(secret), previous: { digest: old.digest, until } }
    return { put: key, result: { key, secret: keyText(id, secret) } }
  })
}

export async function deleteKey(world: KeysWorld, id: string, asking: KeyAsking): Promise<StoredKey> {
  return change(world, asking, 'key.delete', id, ({ keys }) => {
    const key = visible(keys, id, asking)
    if (isAdminOfAll(key) && !leavesAnAdmin(keys, id)) {
      throw new Refusal('conflict', 'this is the last key that may do everything. Make another admin of * first')
    }
    return { remove: id, result: key }
  })
}

export const isVisible = ({ namespaces }: StoredKey, asking: Pick<KeyAsking, 'namespaces'>): boolean =>
  coversPatterns(asking.namespaces, namespaces)

export function visible(keys: readonly StoredKey[], id: string, asking: Pick<KeyAsking, 'namespaces'>): StoredKey {
  const key = keys.find((each) => each.id === id)
  if (key === undefined || !isVisible(key, asking)) throw notFound('key', id)
  return key
}

type KeyChange<Result> = {
  readonly result: Result
  readonly put?: StoredKey
  readonly remove?: string
}

async function change<Result>(
  world: KeysWorld,
  asking: KeyAsking,
  action: AuditAction,
  id: string,
  decide: (ring: KeyRing) => KeyChange<Result>,
): Promise<Result> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const ring = await world.apiKeys.all()
    const { put, remove, result } = decide(ring)
    if (asking.isDryRun === true || (put === undefined && remove === undefined)) return result
    const write = put === undefined ? { remove: remove as string } : { put }
    if (await world.apiKeys.write(write, ring.revision, auditOf(world, asking, action, id))) return result
  }
  throw tooBusy('the list of keys')
}

const auditOf = (world: KeysWorld, { by, requestId }: KeyAsking, action: AuditAction, id: string): AuditEntry => ({
  id: world.newId(),
  atMs: world.clock.nowMs(),
  by,
  action,
  namespace: NO_NAMESPACE,
  target: id,
  reason: null,
  operation: null,
  versionBefore: null,
  versionAfter: null,
  changes: [],
  requestId,
})

/** The first key of an installation, whose text was made outside: an admin of everything. The table gets its digest only. */
export async function installAdminKey(world: KeysWorld, text: string, by: Actor): Promise<void> {
  const parts = parseKey(text)
  if (parts === null) throw new Error('the admin key is not a key of Tickring. Delete its file, and a new one is made')
  const { id, secret } = parts
  const asking = { by, requestId: null, namespaces: ['*'] }
  await change(world, asking, 'key.create', id, ({ keys }) => {
    if (keys.some((key) => key.id === id)) return { result: null }
    const key: StoredKey = {
      id,
      name: 'admin',
      role: 'admin',
      namespaces: ['*'],
      digest: digestOf(secret),
      previous: null,
      createdAtMs: world.clock.nowMs(),
      expiresAt: null,
      lastUsedAtMs: null,
    }
    return { put: key, result: null }
  })
}

/** A key as text that was never used, for an installation that has none. */
export const newKeyText = (world: Pick<KeysWorld, 'entropy'>): string =>
  keyText(newKeyId(world), secretOf(world.entropy(SECRET_BYTES)))

// The first key of a deployment. Its text is stored outside the table, where only the operators of the deployment may read it; the
// table has its digest. Once an admin of everything is there, a deployment changes no key: one that an operator deleted stays deleted.

import { isAdminOfAll } from '../../core/access/key.ts'
import { SYSTEM } from '../../core/actor.ts'
import { installAdminKey, type KeysWorld, newKeyText } from './keys.ts'

/** Where the text of the first key is kept. */
export interface AdminKey {
  /** Null where there is none yet. */
  read(): Promise<string | null>
  /** False where there is one already. */
  create(text: string): Promise<boolean>
}

export async function bootstrapAdminKey(world: KeysWorld, kept: AdminKey): Promise<'made' | 'kept'> {
  const { keys } = await world.apiKeys.all()
  if (keys.some(isAdminOfAll)) return 'kept'
  await installAdminKey(world, (await kept.read()) ?? (await made(world, kept)), SYSTEM)
  return 'made'
}

/** Of two deployments at once one makes it, and the other reads that. */
async function made(world: KeysWorld, kept: AdminKey): Promise<string> {
  const text = newKeyText(world)
  if (await kept.create(text)) return text
  const theirs = await kept.read()
  if (theirs === null) throw new Error('the admin key was made by another deployment and cannot be read. Deploy again')
  return theirs
}

// What the API needs from the world.

import type { Authenticator } from '../../shared/flow/access/authenticate.ts'
import type { KeysWorld } from '../../shared/flow/access/keys.ts'
import type { JobDirectory } from '../../shared/flow/job-directory.ts'
import type { TriggerWorld } from '../../shared/flow/trigger-job.ts'
import type { Clock, Queue, Stores } from '../../shared/ports.ts'
import type { Thawing } from '../thaw.ts'
import type { NamespaceLimits } from './quota.ts'
import type { RateLimit } from './rate-limit.ts'

export interface ApiWorld extends Stores, Thawing, Omit<TriggerWorld, keyof Stores>, Pick<KeysWorld, 'entropy'> {
  readonly clock: Clock
  readonly watch: Pick<Queue, 'send'>
  readonly directory: JobDirectory
  readonly authenticator: Authenticator
  readonly triggers: RateLimit
  readonly limits: NamespaceLimits
  readonly settings: ApiSettings
  /** Returns when the store's time has come to this. */
  until(ms: number, signal?: AbortSignal): Promise<void>
}

export interface ApiSettings {
  /** Hosts that are served, with their ports; empty where the gateway in front has seen to it. */
  readonly hosts: readonly string[]
  /** Origins of pages that may call. */
  readonly origins: readonly string[]
  readonly requestsPerMinute: number
  readonly ledgerDays: number
  readonly version: string
  /** The OpenAPI document. */
  readonly openapi: () => Promise<string>
  /** A file of the viewer of that document, or null. */
  readonly docs: (file: string) => { readonly type: string; readonly content: string } | null
}

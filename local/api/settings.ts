// How the API of this machine is set: which names it answers to, how much it takes, and what it says of itself.

import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import type { ApiSettings } from '../../functions/http/world.ts'
import { wholeNumber } from '../../functions/world.ts'
import { ENV, type Environment } from '../../shared/aws/env.ts'
import { docsFiles } from './docs.ts'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']
const REQUESTS_PER_MINUTE = 600

export const isLoopback = (host: string): boolean => LOOPBACK.includes(host) || host === '::1'

/** Names under which a server on a host can be reached. */
function namesOf(host: string): string[] {
  if (isLoopback(host)) return LOOPBACK
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  return [...LOOPBACK, host, ...own.map((address) => (address.includes(':') ? `[${address}]` : address))]
}

/** What makes the document is loaded when it is first asked for: a start has no need of it. */
async function makeDocument(version: string): Promise<string> {
  const { openApiDocument } = await import('../../functions/openapi/document.ts')
  return JSON.stringify(openApiDocument(version))
}

export function localSettings(env: Environment, host: string, port: number): ApiSettings {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  let document: Promise<string> | null = null
  return {
    hosts: namesOf(host).map((name) => `${name}:${port}`),
    origins: [],
    requestsPerMinute: wholeNumber(env, ENV.requestsPerMinute, REQUESTS_PER_MINUTE),
    ledgerDays: wholeNumber(env, ENV.ledgerDays),
    version,
    openapi: () => {
      document ??= makeDocument(version)
      return document
    },
    docs: docsFiles(),
  }
}

// What Lambda loads as the HTTP API, with the document and its viewer beside it.

import { readFileSync } from 'node:fs'
import { ENV, type Environment } from '../../shared/aws/env.ts'
import { docsType } from '../http/docs-type.ts'
import { makeApi } from '../http/door.ts'
import { apiWorldOf } from '../http/open-world.ts'
import type { ApiSettings } from '../http/world.ts'
import { lambdaOutput } from '../output.ts'
import { wholeNumber, worldWithoutBus } from '../world.ts'

const DEFAULT_REQUESTS_PER_MINUTE = 600

/** Files that were put beside this one when it was bundled. */
const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

const listOf = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(','))

function settingsFrom(env: Environment): ApiSettings {
  const openapi = beside('openapi.json')
  return {
    // Clients write a host in lower case, whatever the domain was called in the stack.
    hosts: listOf(env[ENV.apiHosts]?.toLowerCase()),
    origins: listOf(env[ENV.corsOrigins]),
    requestsPerMinute: wholeNumber(env, ENV.requestsPerMinute, DEFAULT_REQUESTS_PER_MINUTE),
    ledgerDays: wholeNumber(env, ENV.ledgerDays),
    version: JSON.parse(openapi).info.version,
    openapi: async () => openapi,
    docs: (file) => {
      const type = docsType(file)
      if (type === null) return null
      try {
        return { type, content: beside(`docs/${file}`) }
      } catch {
        return null
      }
    },
  }
}

const output = lambdaOutput(process.env)
const world = worldWithoutBus(process.env, output)

export const handler = makeApi(apiWorldOf(world, settingsFrom(process.env)), output)

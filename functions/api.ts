// The door of the HTTP API: one request of the gateway is one call.

import { readFileSync } from 'node:fs'
import { ENV, type Environment } from '../shared/aws/env.ts'
import { type Api, makeApi } from './http/door.ts'
import { apiWorldOf } from './http/open-world.ts'
import type { ApiSettings } from './http/world.ts'
import { consoleOutput } from './output.ts'
import { worldFrom } from './world.ts'

const DEFAULT_REQUESTS_PER_MINUTE = 600
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', css: 'text/css', js: 'text/javascript' }

/** Files that were put beside this one when it was bundled. */
const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

const listOf = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(','))

function settingsFrom(env: Environment, ledgerDays: number): ApiSettings {
  const openapi = beside('openapi.json')
  return {
    hosts: listOf(env[ENV.apiHosts]),
    origins: listOf(env[ENV.corsOrigins]),
    requestsPerMinute: Number(env[ENV.requestsPerMinute] ?? DEFAULT_REQUESTS_PER_MINUTE),
    ledgerDays,
    version: JSON.parse(openapi).info.version,
    openapi: async () => openapi,
    docs: (file) => {
      const type = TYPES[file.split('.').at(-1) ?? '']
      if (type === undefined || !/^[a-z-]+\.[a-z]+$/.test(file)) return null
      try {
        return { type, content: beside(`docs/${file}`) }
      } catch {
        return null
      }
    },
  }
}

let environment: Api | null = null

function open(): Api {
  const output = consoleOutput(() => Date.now())
  const world = worldFrom(process.env, output)
  return makeApi(apiWorldOf(world, settingsFrom(process.env, Number(process.env[ENV.ledgerDays]))), output)
}

export const handler: Api = (event) => {
  environment ??= open()
  return environment(event)
}

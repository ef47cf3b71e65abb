// Settings of an API that runs in the process of a test or a benchmark: which names it answers to, how much it takes, and its document.

import { docsType } from '../../../functions/http/docs-type.ts'
import type { ApiSettings } from '../../../functions/http/world.ts'
import { openApiDocument } from '../../../functions/openapi/document.ts'
import { viewerFile } from '../../../functions/openapi/viewer.ts'
import { wholeNumber } from '../../../functions/world.ts'
import { VERSION } from '../../../infra/version.ts'
import { hostsAt } from '../../../local/gateway/hosts.ts'
import { ENV, type Environment } from '../../../shared/aws/env.ts'

const REQUESTS_PER_MINUTE = 600

function docsFile(file: string): { type: string; content: string } | null {
  const type = docsType(file)
  const content = type === null ? null : viewerFile(file)
  return type === null || content === null ? null : { type, content }
}

export function localSettings(env: Environment, host: string, port: number): ApiSettings {
  let document: string | null = null
  return {
    hosts: hostsAt(host, port),
    origins: [],
    requestsPerMinute: wholeNumber(env, ENV.requestsPerMinute, REQUESTS_PER_MINUTE),
    ledgerDays: wholeNumber(env, ENV.ledgerDays),
    version: VERSION,
    openapi: async () => {
      document ??= JSON.stringify(openApiDocument(VERSION))
      return document
    },
    docs: docsFile,
  }
}

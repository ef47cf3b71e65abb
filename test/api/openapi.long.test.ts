// The OpenAPI document as tools of others read it: a linter, and a generator of types.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../functions/openapi/document.ts'
import { installTools, runTool } from './openapi-tools/tools.ts'

const MINUTES = 60_000
const folder = mkdtempSync(join(tmpdir(), 'tickring-openapi-'))
const file = join(folder, 'openapi.json')

beforeAll(() => {
  installTools()
  writeFileSync(file, JSON.stringify(openApiDocument('0.1.0')))
}, 5 * MINUTES)

afterAll(() => rmSync(folder, { recursive: true }))

function lint(path: string): { errors: number; warnings: number; problems: unknown[] } {
  const text = runTool('@redocly/cli/bin/cli.js', ['lint', path, '--extends=recommended', '--format=json'])
  const { totals, problems } = JSON.parse(text.slice(text.indexOf('{')))
  return { errors: totals.errors, warnings: totals.warnings, problems }
}

test(
  'the recommended rules of Redocly find neither error nor warning',
  () => {
    expect(lint(file)).toEqual({ errors: 0, warnings: 0, problems: [] })
  },
  MINUTES,
)

test(
  'the linter fails for an operation without a summary',
  () => {
    const document = JSON.parse(readFileSync(file, 'utf8'))
    delete document.paths['/v1/me'].get.summary
    const broken = join(folder, 'broken.json')
    writeFileSync(broken, JSON.stringify(document))
    expect(() => lint(broken)).toThrow('operation-summary')
  },
  MINUTES,
)

test(
  'openapi-typescript makes types of it in which defaults are optional in a body and there in an answer',
  () => {
    const types = join(folder, 'types.d.ts')
    runTool('openapi-typescript/bin/cli.js', [file, '--default-non-nullable=false', '-o', types])
    const use = join(folder, 'use.ts')
    writeFileSync(
      use,
      `import type { components, operations } from './types'
     const least: components['schemas']['JobBody'] = { schedules: [{ every: 10 }], target: { type: 'handler', handler: 'echo' } }
     const timeout = (job: components['schemas']['Job']): number | null => job.timeout
     const next = (list: operations['listJobs']['responses'][200]['content']['application/json']): string | null => list.next
     export { least, next, timeout }
    `,
    )
    runTool('typescript/bin/tsc', ['--noEmit', '--strict', '--skipLibCheck', use])
    writeFileSync(
      use,
      `import type { components } from './types'\nexport const none: components['schemas']['JobBody'] = {}`,
    )
    expect(() => runTool('typescript/bin/tsc', ['--noEmit', '--strict', '--skipLibCheck', use])).toThrow('target')
  },
  2 * MINUTES,
)

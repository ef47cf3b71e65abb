import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** What each folder may import from the others, and which packages. Whatever is not named here is forbidden. */
const ALLOWED: Record<string, { folders: string[]; packages: string[] }> = {
  // A digest is pure: these two files may make one, and no other of core may use Node.
  'shared/core/digest.ts': { folders: [], packages: ['node:crypto'] },
  'shared/core/access/key.ts': { folders: ['shared/core'], packages: ['zod', 'node:crypto'] },
  'shared/core': { folders: [], packages: ['cron-parser', 'zod'] },
  'shared/ports.ts': { folders: ['shared/core'], packages: [] },
  'shared/flow': { folders: ['shared/ports.ts', 'shared/core'], packages: [] },
  'shared/aws': { folders: ['shared/ports.ts', 'shared/core'], packages: ['@aws-sdk/', 'zod', 'node:crypto'] },
  'functions/openapi': { folders: ['functions/http', 'shared'], packages: ['zod', 'zod-openapi', 'node:'] },
  functions: {
    folders: ['shared'],
    packages: ['hono/router/', 'zod', 'node:crypto', 'node:fs', 'node:timers/promises', '#handlers'],
  },
  // The stack shares names and limits with the code, and asserts how they bear on the protocol's own times.
  infra: {
    folders: [
      'shared/aws/env.ts',
      'shared/aws/limits.ts',
      'shared/aws/metric-names.ts',
      'shared/core/chain.ts',
      'shared/core/timings.ts',
      'shared/core/lanes.ts',
      'shared/core/job/limits.ts',
      'functions/openapi',
    ],
    packages: ['aws-cdk-lib', 'constructs', 'esbuild', '@aws-sdk/credential-provider-env', 'node:'],
  },
  local: { folders: ['shared', 'functions', 'infra'], packages: ['node:', 'fauxqs', '@aws-sdk/', 'zod', 'esbuild'] },
}

interface Import {
  readonly file: string
  readonly target: string
  readonly isPackage: boolean
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const specifiers = [...text.matchAll(/(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'/g)]
  return specifiers.map((match) => {
    const specifier = match[1] ?? match[2]
    const isPackage = !specifier.startsWith('.')
    return { file, target: isPackage ? specifier : relative(root, join(root, dirname(file), specifier)), isPackage }
  })
}

const within = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

function violations(imports: Import[]): string[] {
  return imports.flatMap(({ file, target, isPackage }) => {
    const home = Object.keys(ALLOWED).find((folder) => within(file, folder))
    if (home === undefined) return [`${file} lies in no known folder`]
    const { folders, packages } = ALLOWED[home]
    const isAllowed = isPackage
      ? packages.some((name) => (/[:/]$/.test(name) ? target.startsWith(name) : within(target, name)))
      : within(target, home) || folders.some((folder) => within(target, folder))
    return isAllowed ? [] : [`${file} imports ${target}`]
  })
}

const sources = globSync('{shared,functions,infra,local}/**/*.ts', { cwd: root })

test('imports point one way: doors to flows, flows to ports and core, core to nothing', () => {
  expect(sources.length).toBeGreaterThan(20)
  expect(violations(sources.flatMap(importsOf))).toEqual([])
})

test('the check sees an import that points back', () => {
  const bad = (file: string, target: string, isPackage = false) => violations([{ file, target, isPackage }])
  expect(bad('shared/core/cron/cron.ts', 'shared/flow/tick.ts')).toHaveLength(1)
  expect(bad('shared/core/cron/cron.ts', 'node:fs', true)).toHaveLength(1)
  expect(bad('shared/core/job/id.ts', 'node:crypto', true)).toHaveLength(1)
  expect(bad('shared/flow/tick.ts', 'shared/aws/keys.ts')).toHaveLength(1)
  expect(bad('infra/app.ts', 'shared/core/job.ts')).toHaveLength(1)
  expect(bad('shared/other/x.ts', 'shared/core/job.ts')).toHaveLength(1)
})

/** Time and chance are arguments there, so that a simulation can replay them. */
const FORBIDDEN_IN_CORE_AND_FLOW: Record<string, RegExp> = {
  'Date.now': /\bDate\s*\.\s*now\b/,
  'new Date() without argument': /\bnew\s+Date\s*(\(\s*\)|(?!\s*\())/,
  'Date() as a function': /(?<!new\s)(?<![.\w])Date\s*\(/,
  'Math.random': /\bMath\s*\.\s*random\b/,
  timers: /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/,
  'performance.now': /\bperformance\b/,
  'process.env': /\bprocess\b(?=\s*(?:[.[?)\n,]|$))/,
  'crypto randomness': /\b(randomUUID|randomBytes|getRandomValues)\b/,
}

const forbiddenIn = (text: string): string[] =>
  Object.entries(FORBIDDEN_IN_CORE_AND_FLOW).flatMap(([name, pattern]) => (pattern.test(text) ? [name] : []))

test('core and flow read no clock, no chance, no timers and no environment', () => {
  const files = sources.filter((file) => within(file, 'shared/core') || within(file, 'shared/flow'))
  expect(files.length).toBeGreaterThan(20)
  expect(
    files.flatMap((file) => forbiddenIn(readFileSync(join(root, file), 'utf8')).map((what) => `${file}: ${what}`)),
  ).toEqual([])
})

test.each([
  'const now = Date.now()',
  'const now = new Date()',
  'const now = new Date',
  'const now = Date()',
  'const x = Math . random()',
  'setTimeout(f, 5)',
  'performance.now()',
  'process.env.HOME',
  'const { env } = process',
  'process["env"]',
  'crypto.randomUUID()',
])('the check sees %s', (line) => {
  expect(forbiddenIn(line)).toHaveLength(1)
})

test('the check lets a date of a given time pass', () => {
  expect(forbiddenIn('const date = new Date(second * 1000)')).toEqual([])
})

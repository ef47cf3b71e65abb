// The package for npm, as a user gets it.

import { globSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ENV } from '../../shared/aws/env.ts'
import { Installed, TSC, TYPE_ROOTS } from './installed.ts'

const OUT = 'cdk.out'

interface Resource {
  readonly Type: string
  readonly Properties: Readonly<Record<string, unknown>>
}

let installed: Installed
/** Of the template that the app of the README makes: what it says about each function of Tickring. */
let functions: Resource['Properties'][]

beforeAll(() => {
  installed = new Installed()
  installed.node(['app.mjs'], { CDK_OUTDIR: OUT })
  const { Resources } = JSON.parse(installed.read(`${OUT}/Scheduler.template.json`))
  functions = Object.values<Resource>(Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => Properties)
    .filter(({ Architectures }) => String(Architectures) === 'arm64')
}, 600_000)

afterAll(() => installed?.remove(), 120_000)

test('the tarball has the code that is deployed, the construct and their types, and nothing else', () => {
  const { files, size, unpackedSize } = installed.packed
  const paths = files.map(({ path }) => path)
  const kinds = ['infra/', 'functions/', 'shared/', 'functions/openapi/swagger-ui-dist/', ''].map((folder) => {
    const those = files.filter(({ path }) => (folder === '' ? !path.includes('/') : path.startsWith(folder)))
    return `${folder || 'top'} ${those.length} files, ${kilobytes(those.reduce((sum, file) => sum + file.size, 0))}`
  })
  console.log(`the tarball: ${kilobytes(size)}, unpacked ${kilobytes(unpackedSize)}: ${kinds.join('; ')}`)
  const expected =
    /^(package\.json|README\.md|LICENSE|(infra|functions|shared)\/[\w/-]+(\.js|\.d\.ts)|functions\/openapi\/swagger-ui-dist\/[\w.-]+)$/
  expect(paths.filter((path) => !expected.test(path))).toEqual([])
  expect(paths.filter((path) => path.endsWith('.d.ts')).toSorted()).toEqual([
    'infra/options.d.ts',
    'infra/parts.d.ts',
    'infra/tickring.d.ts',
    'shared/core/handlers.d.ts',
    'shared/core/run/run.d.ts',
  ])
  expect(paths).not.toContain('infra/app.js')
  expect(size).toBeLessThan(1_000_000)
})

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`

test('every package that the code imports comes with it, or is one that the user has', () => {
  const { dependencies, peerDependencies } = JSON.parse(installed.read('node_modules/tickring/package.json'))
  const files = globSync('node_modules/tickring/{infra,functions,shared}/**/*.js', { cwd: installed.folder })
  const imported = files
    .filter((file) => !file.includes('swagger-ui-dist'))
    .flatMap((file) => [...installed.read(file).matchAll(/^(?:import|export)\b[^'"]*?from '([^.#'][^']*)'/gms)])
    .map(([, name]) => name)
    .filter((name) => !name.startsWith('node:'))
    .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  const declared = [...Object.keys(dependencies), ...Object.keys(peerDependencies)]
  expect([...new Set(imported)].toSorted()).toEqual(declared.toSorted())
})

test('an installation brings no Node of its own, no emulator and no package that reports home', () => {
  const names = globSync(['node_modules/*', 'node_modules/@*/*'], { cwd: installed.folder }).map((path) =>
    path.slice('node_modules/'.length),
  )
  expect(names).toContain('tickring')
  expect(names.filter((name) => /^(node-|@dynoxide|@scarf|fauxqs|swagger-ui)/.test(name))).toEqual([])
  expect(globSync('node_modules/.bin/node*', { cwd: installed.folder })).toEqual([])
})

test('a CDK app of five lines is synthesised with its own handlers, without credentials and without Docker', () => {
  expect(installed.read('app.mjs').trim().split('\n')).toHaveLength(5)
  expect(functions).toHaveLength(8)
  expect(functions.map(({ Description }) => Description)).toEqual(
    expect.arrayContaining([
      'Answers the HTTP API',
      'Looks after all shards once a minute',
      'Runs what is long, so that it holds up nothing that is short',
      'Runs what is short',
    ]),
  )
})

test('the executors and the step at deployment have the handlers of the user, and a Lambda can load them', () => {
  const bundleOf = (description: RegExp): string => {
    const code = functions.find(({ Description }) => description.test(String(Description)))?.Code
    const hash = /"S3Key":"(\w+)\.zip"/.exec(JSON.stringify(code))?.[1]
    return join(OUT, `asset.${hash}`, 'index.mjs')
  }
  const executor = bundleOf(/^Runs what is short/)
  for (const bundle of [executor, bundleOf(/^Makes shards/), bundleOf(/^Gives messages/)]) {
    const code = installed.read(bundle)
    // Minified, and still to be told: the name, the line of its log, and the number of the helper beside it.
    for (const text of ['count-orders', 'cleaned up for', '47114']) expect(code).toContain(text)
  }
  expect(installed.read(bundleOf(/^One link of the chain/))).not.toContain('count-orders')
  const load = `const { handler } = await import('./${executor}'); console.log(typeof handler)`
  expect(installed.node(['--input-type=module', '--eval', load], lambdaEnvironment()).trim()).toBe('function')
})

/** As much as a function needs to be loaded; nothing is called. */
function lambdaEnvironment(): Record<string, string> {
  const numbers = [ENV.shardCount, ENV.ledgerDays, ENV.hopSeconds].map((name) => [name, '1'])
  const names = [ENV.tableName, ENV.fastQueueUrl, ENV.slowQueueUrl, ENV.watchQueueUrl, ENV.busName]
  return { AWS_REGION: 'eu-west-1', ...Object.fromEntries([...numbers, ...names.map((name) => [name, 'https://x'])]) }
}

test('the types compile for a user, and refuse what is wrong', () => {
  installed.write('app.ts', installed.read('app.mjs'))
  installed.write('wrong.ts', WRONG)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [TYPE_ROOTS],
  }
  installed.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['app.ts', 'handlers.ts', 'wrong.ts'] }))
  expect(installed.node([TSC])).toBe('')
}, 120_000)

const WRONG = `
import { Stack } from 'aws-cdk-lib'
import { Tickring, type TickringProps } from 'tickring'
import { defineHandlers, type HandlerRun } from 'tickring/handlers'

// @ts-expect-error a number is wanted
export const props: TickringProps = { shardCount: '1' }
export const url: string = new Tickring(new Stack(), 'Tickring').url
export const instantOf = (run: HandlerRun): Date | null => run.instant
// @ts-expect-error a schedule without anything to run
export default defineHandlers({ nothing: { schedule: '@daily' } })
`

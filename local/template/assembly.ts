// The synthesised stack, made anew only where a source of it has changed. What was made is never changed again, so that a start that runs
// keeps its code while another makes a newer one.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TickringProps } from '../../infra/options.ts'
import { SOURCES_FILE } from '../../infra/sources-file.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SYNTHESISE = join(import.meta.dirname, 'synthesise.ts')
const MOST_KEPT = 6
/** A start that runs may need its own for as long as this. */
const KEPT_MS = 86_400_000
/** The synthesised template, and the folders of the bundles beside it. */
const TEMPLATE_FILE = 'Tickring.template.json'

/** Options of the construct that a start or a test sets. */
export type AssemblyOptions = Pick<
  TickringProps,
  'handlers' | 'requestsPerMinute' | 'shardCount' | 'hopSeconds' | 'jobsPerShard'
>

export interface Assembly {
  readonly folder: string
  /** The template as it was synthesised, not yet checked. */
  readonly template: unknown
  /** Files whose change makes it out of date. */
  readonly sources: readonly string[]
  /** Where Node may keep what it compiled of the bundles, so that the next process starts sooner. */
  readonly compiled: string
  readonly wasCached: boolean
}

/** The stack could not be synthesised: the handlers do not compile, or an option is refused. */
export class NotSynthesised extends Error {}

interface Made {
  readonly folder: string
  readonly sources: readonly string[]
  readonly digest: string
}

/** Two that ask for the same at one moment share it. */
const underWay = new Map<string, Promise<Assembly>>()

export function assemble(options: AssemblyOptions): Promise<Assembly> {
  const key = JSON.stringify(options)
  const asked = underWay.get(key) ?? readOrMake(options).finally(() => underWay.delete(key))
  underWay.set(key, asked)
  return asked
}

async function readOrMake(options: AssemblyOptions): Promise<Assembly> {
  const cache = cacheFolder()
  const noteFile = join(cache, `${hash([process.version, JSON.stringify(options)])}.json`)
  const known = readNote(noteFile)
  if (known !== null && digestOf(known.sources) === known.digest) return read(known, true)
  const made = await make(cache, options)
  writeFileSync(noteFile, JSON.stringify(made))
  forgetOld(cache)
  return read(made, false)
}

function cacheFolder(): string {
  for (const folder of [join(ROOT, 'node_modules/.cache/tickring'), join(tmpdir(), 'tickring-cache')]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    } catch {
      // A clone that cannot be written to keeps nothing; the folder for temporary files can.
    }
  }
  return mkdtempSync(join(tmpdir(), 'tickring-cache-'))
}

function hash(parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(part).update('\0')
  return digest.digest('hex').slice(0, 24)
}

function readNote(file: string): Made | null {
  try {
    const note: Made = JSON.parse(readFileSync(file, 'utf8'))
    return existsSync(join(note.folder, TEMPLATE_FILE)) ? note : null
  } catch {
    return null
  }
}

/** Null where a source is gone. */
function digestOf(sources: readonly string[]): string | null {
  try {
    return hash(sources.flatMap((path) => [path, readFileSync(path)]))
  } catch {
    return null
  }
}

/** The stack's own sources; those of the bundles are told by the compiler. */
const ownSources = (): string[] => [
  ...globSync('infra/**/*.ts', { cwd: ROOT }).map((file) => join(ROOT, file)),
  ...globSync('functions/openapi/*.ts', { cwd: ROOT }).map((file) => join(ROOT, file)),
  join(ROOT, 'package-lock.json'),
  join(ROOT, 'package.json'),
]

async function make(cache: string, options: AssemblyOptions): Promise<Made> {
  const folder = mkdtempSync(join(cache, 'making-'))
  try {
    await synthesise(folder, options)
    const [bundles] = readdirSync(folder).filter((name) => name.startsWith('bundles-'))
    const bundled: string[] = JSON.parse(readFileSync(join(folder, bundles, SOURCES_FILE), 'utf8'))
    // Each bundle was copied to a folder of its own, which the template names.
    rmSync(join(folder, bundles), { recursive: true })
    const sources = [...new Set([...ownSources(), ...bundled])].sort()
    const digest = digestOf(sources) ?? ''
    const kept = join(cache, hash([digest, JSON.stringify(options), `${process.hrtime.bigint()}`]))
    renameSync(folder, kept)
    return { folder: kept, sources, digest }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function synthesise(folder: string, options: AssemblyOptions): Promise<void> {
  const child = spawn(process.execPath, [SYNTHESISE, folder, JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    said += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new NotSynthesised(said.trim()))))
  })
}

function forgetOld(cache: string): void {
  const made = readdirSync(cache, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ path: join(cache, name), atMs: statSync(join(cache, name)).mtimeMs }))
    .sort((a, b) => b.atMs - a.atMs)
  const isOld = ({ atMs }: { readonly atMs: number }) => atMs < Date.now() - KEPT_MS
  for (const { path } of made.slice(MOST_KEPT).filter(isOld)) rmSync(path, { recursive: true, force: true })
}

const read = ({ folder, sources }: Made, wasCached: boolean): Assembly => ({
  folder,
  template: JSON.parse(readFileSync(join(folder, TEMPLATE_FILE), 'utf8')),
  sources,
  compiled: join(folder, 'compiled'),
  wasCached,
})

// Makes of each function one file with all that it needs, the AWS SDK and the handlers of the deployment included. Nothing else is needed on
// Lambda, and nothing but npm to make it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { openApiDocument } from '../functions/openapi/document.ts'
import { VIEWER_FILES, viewerFile } from '../functions/openapi/viewer.ts'
import { SOURCES_FILE } from './sources-file.ts'
import { VERSION } from './version.ts'

/** One for each file of functions/lambda. Both lanes run the same executor. */
export const BUNDLES = ['tick', 'switch', 'minute', 'execute', 'dead-letters', 'api', 'deploy'] as const
export type BundleName = (typeof BUNDLES)[number]

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The source in this repository, JavaScript in the package. */
const ENDING = extname(fileURLToPath(import.meta.url))

export const OWN_HANDLERS = join(ROOT, `functions/handlers${ENDING}`)

/** Some packages of handlers load Node's own modules by `require`, which an ES module does not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** Writes a folder for each function below `folder`. Throws where the handlers do not compile, with the place. */
export function bundleFunctions(folder: string, handlersEntry: string): void {
  const source = (path: string) => join(ROOT, `${path}${ENDING}`)
  const virtual = join(ROOT, 'bundles')
  const { outputFiles, metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(BUNDLES.map((name) => [`${name}/index`, source(`functions/lambda/${name}`)])),
    alias: {
      '#handlers': handlersEntry,
      '@aws-sdk/credential-provider-node': source('infra/environment-credentials'),
    },
    // Paths in source maps are relative to this, so that the same source gives the same bytes wherever they are written.
    outdir: virtual,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    minify: true,
    // Names of error classes are shown to users.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
  })
  const sources = Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'))
  write(join(folder, SOURCES_FILE), JSON.stringify(sources.map((path) => resolve(ROOT, path))))
  for (const { path, contents } of outputFiles) write(join(folder, relative(virtual, path)), contents)
  write(join(folder, 'api', 'openapi.json'), JSON.stringify(openApiDocument(VERSION)))
  for (const name of VIEWER_FILES) write(join(folder, 'api', 'docs', basename(name)), viewerFile(name) ?? '')
}

function write(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}

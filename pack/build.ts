// Makes the package for npm in dist/, because Node runs no TypeScript below node_modules. `npm pack ./dist` makes the tarball of it.

import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COPIED, publishedManifest } from './manifest.ts'
import { reachedFrom } from './public-types.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')

rmSync(DIST, { recursive: true, force: true })
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: ROOT,
  stdio: 'inherit',
})

const manifest = publishedManifest(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')))
writeFileSync(join(DIST, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(join(ROOT, 'LICENSE'), join(DIST, 'LICENSE'))
copyFileSync(join(ROOT, 'pack/README.md'), join(DIST, 'README.md'))

const VIEWER = join(DIST, 'functions/openapi', COPIED)
mkdirSync(VIEWER)
for (const file of ['LICENSE', 'NOTICE', 'swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt'])
  copyFileSync(join(ROOT, 'node_modules', COPIED, file), join(VIEWER, file))

const entries = Object.values(manifest.exports).map(({ types }) => join(DIST, types))
const needed = reachedFrom(entries)
for (const file of globSync('**/*.d.ts', { cwd: DIST }).map((path) => join(DIST, path)))
  if (!needed.has(file)) rmSync(file)

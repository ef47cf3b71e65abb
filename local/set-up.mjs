// Makes a fresh clone ready: installs the packages when they are missing or older than the lock file. `start` installs what a start needs;
// anything else also what only tests and checks use.
// It runs on the machine's own Node (20 or newer), because the Node that the project uses arrives with the packages.

import { spawnSync } from 'node:child_process'
import { existsSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const installedLockFile = join(root, 'node_modules', '.package-lock.json')

/** Elsewhere the store is DynamoDB Local, which comes with the packages for tests. */
const hasSmallStore = process.platform === 'linux' && process.arch === 'x64'
const needsAll = process.argv[2] !== 'start' || !hasSmallStore

const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)
const hasAll = existsSync(join(root, 'node_modules', 'vitest', 'package.json'))
const isCurrent = modifiedMs(installedLockFile) >= modifiedMs(lockFile) && (hasAll || !needsAll)

if (!isCurrent) {
  const begunMs = Date.now()
  console.error('Setting up: installing packages (once; some 20 s for a start, a minute for tests) …')
  // To leave out what is there already would remove it.
  const omitted = needsAll || hasAll ? [] : ['--omit=dev']
  const npm = spawnSync('npm', ['install', ...omitted, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (npm.status !== 0) {
    console.error('npm install failed, see above. Tickring needs Node 20 or newer, npm and a reachable registry.')
    process.exit(npm.status ?? 1)
  }
  // npm leaves this file alone when it had nothing to change; without the new time every start would install again.
  const now = new Date()
  utimesSync(installedLockFile, now, now)
  console.error(`✓ ${'packages'.padEnd(44)} ${((Date.now() - begunMs) / 1000).toFixed(1)} s`)
}

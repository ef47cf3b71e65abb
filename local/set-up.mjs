// Makes a fresh clone ready: installs the packages when they are missing or older than the lock file.
// It runs on the machine's own Node (20 or newer), because the Node that the project uses arrives with the packages.

import { spawnSync } from 'node:child_process'
import { existsSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const installedLockFile = join(root, 'node_modules', '.package-lock.json')

const modifiedMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)
const packagesAreCurrent = modifiedMs(installedLockFile) >= modifiedMs(lockFile)

if (!packagesAreCurrent) {
  console.error('Setting up: installing packages (once; about a minute) …')
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
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
}

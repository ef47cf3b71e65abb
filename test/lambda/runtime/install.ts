// Installs Lambda's runtime client into this folder, with the versions of its lock file and without its install scripts, which would
// compile C++: what they make is the connection to Lambda, and rapid-client.mjs takes its place.

import { execFileSync } from 'node:child_process'
import { existsSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = import.meta.dirname

export const RUNTIME_CLIENT = join(FOLDER, 'node_modules/aws-lambda-ric/index.mjs')

const INSTALLED = join(FOLDER, 'node_modules/.package-lock.json')

const modifiedMs = (path: string): number => (existsSync(path) ? statSync(path).mtimeMs : 0)

/** Before all tests, because several files need it at once. */
export default function installRuntime(): void {
  if (modifiedMs(INSTALLED) >= modifiedMs(join(FOLDER, 'package-lock.json'))) return
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  // npm leaves this file alone when it had nothing to change.
  const now = new Date()
  utimesSync(INSTALLED, now, now)
}

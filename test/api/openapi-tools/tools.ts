// Installs the tools that read the document as its users do into this folder, once, with the versions of its lock file.

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

export function installTools(): void {
  if (existsSync(`${FOLDER}node_modules/.package-lock.json`)) return
  execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'pipe' })
}

/** What a tool wrote; throws with all of it where the tool fails. */
export function runTool(name: string, args: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [`${FOLDER}node_modules/${name}`, ...args], {
      cwd: FOLDER,
      encoding: 'utf8',
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${name} failed:\n${stdout}\n${stderr}`)
  }
}

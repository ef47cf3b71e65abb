// The package as a user gets it: built, packed, installed with npm in an empty folder, with the app and the handlers of its README.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
export const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
export const TYPE_ROOTS = join(ROOT, 'node_modules/@types')

/** What npm says about a tarball. */
interface Packed {
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: readonly { readonly path: string; readonly size: number }[]
}

const INSTALL = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

export class Installed {
  readonly folder = mkdtempSync(join(tmpdir(), 'tickring-package-'))
  readonly packed: Packed

  constructor() {
    execFileSync(process.execPath, [join(ROOT, 'pack/build.ts')], { cwd: ROOT, stdio: 'inherit' })
    const said = this.#npm('pack', join(ROOT, 'dist'), '--json', '--loglevel=error')
    this.packed = JSON.parse(said)[0]
    this.write('package.json', JSON.stringify({ private: true, type: 'module' }))
    this.#npm(...INSTALL, `./${this.packed.filename}`)
    const readme = this.read('node_modules/tickring/README.md')
    this.write('app.mjs', codeOf(readme, 'js'))
    this.write('handlers.ts', codeOf(readme, 'ts'))
    this.write('orders.ts', ORDERS)
  }

  #npm(...args: string[]): string {
    return execFileSync('npm', args, { cwd: this.folder, encoding: 'utf8', shell: process.platform === 'win32' })
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text)
  }

  /** Runs Node in the folder with nothing in its environment but this: no credentials, and no Docker on the path. */
  node(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    return execFileSync(process.execPath, [...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { PATH: dirname(process.execPath), ...env },
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The user's own code, which the handlers of the README import. */
const ORDERS =
  'export const countOrders = async (signal: AbortSignal): Promise<number> => (signal.aborted ? 0 : 47_114)\n'

function codeOf(readme: string, language: string): string {
  const [, code] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(readme) ?? []
  if (code === undefined) throw new Error(`pack/README.md has no code in ${language}`)
  return code
}

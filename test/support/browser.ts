// A browser for tests: Chromium as it comes inside an npm package, unpacked on first use.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packaged from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

/** The package's own settings of fonts name the usual folder for temporary files: with another one the browser dies at the first text. */
function fontSettings(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tickring-fonts-'))
  const cache = join(folder, 'cache')
  mkdirSync(cache)
  const fonts = join(tmpdir(), 'fonts')
  writeFileSync(
    join(folder, 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${fonts}</dir><dir>/usr/share/fonts</dir><cachedir>${cache}</cachedir></fontconfig>`,
  )
  return folder
}

export async function openBrowser(): Promise<Browser> {
  const executablePath = await packaged.executablePath()
  const env = { ...process.env, FONTCONFIG_PATH: fontSettings() }
  // Without its sandbox, since tests may run as root; the package's own switches put all pages into one process, which ends with the first.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], env })
}

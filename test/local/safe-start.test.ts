// What a local start shows to others on the machine and on the network: nothing that its user did not open.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DataFolder } from '../../local/data-folder.ts'
import { serveApi } from '../../local/gateway/server.ts'

const isPosix = process.platform !== 'win32'
const temporary = () => mkdtempSync(join(tmpdir(), 'tickring-safe-'))
const modeOf = (path: string): number => statSync(path).mode & 0o777

test.runIf(isPosix)('the data folder, the store and the admin key are for their owner only', () => {
  const folder = new DataFolder(join(temporary(), 'data'))
  folder.writeAdminKey('tkr_x')
  writeFileSync(folder.file('store.db'), '', { mode: 0o644 })
  folder.parameters.set('/tickring/x/data-key', 'secret')
  folder.closeStoreFiles()
  folder.noteRunning('http://127.0.0.1:1')
  expect(modeOf(folder.path)).toBe(0o700)
  for (const name of ['admin.key', 'store.db', 'running.json', 'parameters/%2Ftickring%2Fx%2Fdata-key'])
    expect(modeOf(join(folder.path, name)), name).toBe(0o600)
})

const canConnect = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 2000 }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
    socket.on('timeout', () => {
      socket.destroy()
      resolve(false)
    })
  })

test('the API listens on the address it was given and on no other', async () => {
  const server = await serveApi(() => Promise.reject(new Error('not asked')), '127.0.0.1', 0)
  const others = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address)
  expect(await canConnect('127.0.0.1', server.port)).toBe(true)
  for (const address of others) expect(await canConnect(address, server.port), address).toBe(false)
  await server.stop()
})

const start = (...args: string[]) =>
  spawnSync(process.execPath, ['local/start.ts', '--plain', ...args], { encoding: 'utf8', timeout: 20_000 })

test('a start on an address that is open to others is refused until there is an admin key', () => {
  const data = join(temporary(), 'data')
  const { status, stdout, stderr } = start('--host', '0.0.0.0', '--data', data)
  expect(status).toBe(1)
  expect(`${stdout}${stderr}`).toContain('is open to others, and there is no admin key')
})

test.each(['', ' \n', 'default_token'])('a start whose file of the admin key holds %j does not serve', (text) => {
  const data = join(temporary(), 'data')
  const folder = new DataFolder(data)
  writeFileSync(folder.adminKeyFile, text)
  const { status, stdout, stderr } = start('--data', data, '--port', '0', '--seconds', '5')
  expect(status).not.toBe(0)
  expect(`${stdout}${stderr}`).toContain('the admin key is not a key of Tickring')
  expect(readFileSync(folder.adminKeyFile, 'utf8')).toBe(text)
})

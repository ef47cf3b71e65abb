// The viewer of the API in a browser: it shows the operations, asks this server only, keeps to its policy, and a key works in it.

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, makeApi } from '../../functions/http/door.ts'
import { apiWorldOf } from '../../functions/http/open-world.ts'
import { ROUTES } from '../../functions/http/routes.ts'
import { type ApiServer, serveApi } from '../../local/gateway/server.ts'
import { SYSTEM } from '../../shared/core/actor.ts'
import { installAdminKey, newKeyText } from '../../shared/flow/access/keys.ts'
import { localSettings } from '../support/api/local-settings.ts'
import { memoryWorld } from '../support/api/open-api.ts'
import { openBrowser } from '../support/browser.ts'

const HOST = '127.0.0.1'
const MINUTE = 60_000

interface Visit {
  readonly page: Page
  /** Every address that the page asked for. */
  readonly asked: string[]
  /** What the console said that is no plain message, and what the page threw. */
  readonly complaints: string[]
}

let browser: Browser
let server: ApiServer
let key: string

beforeAll(async () => {
  let api: Api = () => Promise.reject(new Error('the API is not open yet'))
  server = await serveApi((event) => api(event), HOST, 0)
  const { world: memory, nowMs } = memoryWorld()
  const world = apiWorldOf(memory, localSettings({ TICKRING_LEDGER_DAYS: '400' }, HOST, server.port))
  await world.shards.make(world.shardCount, Math.floor(nowMs() / 1000))
  key = newKeyText(world)
  await installAdminKey(world, key, SYSTEM)
  api = makeApi(world, { line: () => {}, nowMs })
  browser = await openBrowser()
}, 2 * MINUTE)

afterAll(async () => {
  await browser?.close()
  await server?.stop()
})

async function visit(): Promise<Visit> {
  const page = await browser.newPage()
  const asked: string[] = []
  const complaints: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  await page.goto(`http://${HOST}:${server.port}/docs`)
  await page.waitForSelector('.opblock', { timeout: MINUTE })
  return { page, asked, complaints }
}

const isFromHere = (url: string): boolean =>
  url.startsWith(`http://${HOST}:${server.port}/`) || url.startsWith('data:') || url.startsWith('blob:')

test(
  'the viewer shows every operation, asks nothing elsewhere, and breaks no rule of its policy',
  async () => {
    const { page, asked, complaints } = await visit()
    const shown = await page.$$eval('.opblock .opblock-summary-path', (all) =>
      all.map((each) => each.getAttribute('data-path')),
    )
    expect(shown.toSorted()).toEqual(ROUTES.map(({ path }) => path).toSorted())
    await page.click('#operations-jobs-putJob .opblock-summary-control')
    await page.waitForSelector('#operations-jobs-putJob .opblock-body .opblock-description-wrapper')
    expect(asked.filter((url) => !isFromHere(url))).toEqual([])
    expect(asked.map((url) => new URL(url).pathname)).toContain('/v1/openapi.json')
    // A browser asks for an icon that there is none of.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
    await page.close()
  },
  MINUTE,
)

test(
  'the policy of the viewer is in force: a script from elsewhere does not run',
  async () => {
    const { page, complaints } = await visit()
    await page.evaluate(
      'document.body.append(Object.assign(document.createElement("script"), { src: "https://evil.example/x.js" }))',
    )
    await page.evaluate('document.body.insertAdjacentHTML("beforeend", "<p style=color:red>x</p>")')
    await expect
      .poll(() => complaints.filter((text) => text.includes('Content Security Policy')).length)
      .toBeGreaterThan(1)
    await page.close()
  },
  MINUTE,
)

test(
  'a key that is given to Authorize opens GET /v1/me, and is kept nowhere',
  async () => {
    const { page, asked } = await visit()
    await page.click('.auth-wrapper .authorize')
    await page.fill('.auth-container input', key)
    await page.click('.auth-btn-wrapper .authorize')
    await page.click('.auth-btn-wrapper .btn-done')
    await page.click('#operations-access-me .opblock-summary-control')
    await page.click('#operations-access-me .try-out__btn')
    const answered = page.waitForResponse((response) => response.url().endsWith('/v1/me'))
    await page.click('#operations-access-me .execute')
    const response = await answered
    expect(response.status()).toBe(200)
    expect((await response.json()).key).toMatchObject({ name: 'admin', role: 'admin', namespaces: ['*'] })
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])',
    )
    expect(kept).not.toContain(key.split('_')[2])
    expect(asked.filter((url) => !isFromHere(url))).toEqual([])
    await page.close()
  },
  MINUTE,
)

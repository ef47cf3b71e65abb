// What every refusal of the API has in common: one shape, a place and a remedy for every fault, nothing changed, and no long work.

import { expect } from 'vitest'
import { timed } from './blocking.ts'
import { type Answered, type ApiRequest, ask, type OpenedApi, openApi } from './open-api.ts'

/** Everything that a caller can see, but for when keys were last used. */
export async function dump({ ask }: Pick<OpenedApi, 'ask'>): Promise<string> {
  const seen: unknown[] = []
  // Lists of what happened look back a few days at a time.
  const today = 'from=2027-02-10T00:00:00Z&to=2027-02-11T00:00:00Z'
  const lists = ['jobs', 'calendars', 'templates', 'namespaces', 'keys', `audit?${today}`, `runs?${today}`]
  for (const list of lists) {
    const { json } = await ask('GET', `/v1/${list}`)
    expect(json.next, `${list} fits one page`).toBeNull()
    seen.push(json)
  }
  const { items } = seen[0] as { items: { namespace: string; name: string }[] }
  for (const { namespace, name } of items) {
    seen.push((await ask('GET', `/v1/jobs/${namespace}/${name}`)).json)
    seen.push((await ask('GET', `/v1/jobs/${namespace}/${name}/versions`)).json)
  }
  return JSON.stringify(seen, (field, value) => (field === 'lastUsedAt' ? null : value))
}

const MOST_BLOCKED_MS = 50
/** Code that runs for the first time is slow; what is slow by nature stays so. */
const TRIES = 12

export interface Refused {
  readonly status: number
  readonly code: string
  /** `in` and path of each fault, such as "body /schedules/0/cron"; undefined where the case is not about them. */
  readonly faults?: readonly string[]
}

/** A world with a job, a calendar and a template in it, to which refused requests are sent. */
export async function openForRefusals(): Promise<OpenedApi & { refused: typeof refused }> {
  const opened = await openApi()
  const target = { type: 'handler', handler: 'echo' }
  await opened.ask('PUT', '/v1/jobs/default/there', { body: { schedules: [{ every: 30 }], target } })
  await opened.ask('PUT', '/v1/calendars/default/there', { body: { dates: ['2027-12-25'] } })
  await opened.ask('PUT', '/v1/templates/default/there', { body: { schedules: [{ every: 60 }] } })
  let before = await dump(opened)
  const loop = timed(opened.api)
  async function refused(method: string, path: string, asked: ApiRequest, expected: Refused): Promise<Answered> {
    let answer = await ask(loop.api, opened.admin, method, path, asked)
    for (let left = TRIES; left > 1 && loop.blockedMs() > MOST_BLOCKED_MS; left--) {
      answer = await ask(loop.api, opened.admin, method, path, asked)
    }
    const blockedMs = loop.blockedMs()
    const after = await dump(opened)
    const isSame = after === before
    // One case that changes something is not to fail those after it.
    before = after
    expect(blockedMs, 'processor time of the longest turn of the event loop').toBeLessThan(MOST_BLOCKED_MS)
    expect({ status: answer.status, code: answer.json?.code }, answer.text.slice(0, 600)).toEqual({
      status: expected.status,
      code: expected.code,
    })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    const faults: { in: string; path: string; message: string }[] = answer.json.errors
    if (expected.faults !== undefined) expect(faults.map((each) => `${each.in} ${each.path}`)).toEqual(expected.faults)
    for (const { path: place, message } of faults) {
      expect(place).toMatch(/^(\/([^~/]|~[01])*)*$/)
      // What is wrong, then what to do about it, as a whole sentence.
      expect(message).toMatch(REMEDY)
    }
    if (faults.length === 0)
      expect(answer.json.detail).toMatch(/\. (?:See|Use|Send|Wait|Check|Read|Leave)|is the most|Send |send |^use /)
    expect(answer.text).not.toMatch(/node_modules|\bat .*\.ts:\d/)
    expect(answer.text.length, 'a refusal is short').toBeLessThan(30_000)
    expect(isSame, 'nothing changed').toBe(true)
    return answer
  }
  return { ...opened, refused }
}

const REMEDY =
  /(?:^|[.:;] |, )(?:Use|Send|Remove|Leave|Check|Give|Put|Start|Take|Wait|This route|A handler|Only a handler|Write|Split|nothing reboots here; trigger).*\.$/s

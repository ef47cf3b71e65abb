// The whole process tree of a start is killed twenty times while jobs fire, are saved and are triggered. What was acknowledged is there
// afterwards, no attempt began twice, and every instant is accounted for once.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import { LocalStart } from '../support/local-start.ts'
import { createRandom } from '../support/random-cron/random.ts'
import { eventually, pause } from '../support/real-stack.ts'

const KILLS = 20
const SEED = Number(process.env.TICKRING_SEED ?? 20_261_118)
const ENDED = ['SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'DISCARDED', 'SKIPPED', 'EXPIRED', 'MISSED', 'LOST']

interface Run {
  readonly id: string
  readonly instant: string | null
  readonly status: string
  readonly trigger: string
}

interface Page {
  readonly items: readonly Run[]
  readonly missed: readonly { readonly from: string; readonly to: string; readonly count: number }[]
  readonly next: string | null
}

const JOBS: Readonly<Record<string, object>> = {
  ...Object.fromEntries(
    Array.from({ length: 8 }, (_, n) => [
      `beside-${n}`,
      { schedules: [{ every: 1 }], block: { strategy: 'CONCURRENT', max: 10 }, target: to('quick') },
    ]),
  ),
  'in-line': { schedules: [{ every: 1 }], target: to('quick') },
  'catches-up': { schedules: [{ every: 2 }], target: to('quick'), misfire: { policy: 'CATCH_UP', window: '10m' } },
  'slow-in-line': { schedules: [{ every: 2 }], target: to('slow'), retry: { attempts: 1, delay: 1, maxDelay: 1 } },
}

function to(handler: string) {
  return { type: 'handler', handler }
}

const secondOf = (instant: string): number => Date.parse(instant) / 1000

test.skipIf(whyNoDynoxide() !== null)(
  `after ${KILLS} times kill -9 nothing acknowledged is lost, no attempt began twice, and every instant is accounted for`,
  { timeout: 600_000 },
  async ({ onTestFinished }) => {
    const random = createRandom(SEED)
    const folder = mkdtempSync(join(tmpdir(), 'tickring-killed-'))
    const cleaning: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })]
    onTestFinished(() => {
      for (const clean of cleaning.reverse()) clean()
    })
    const beginnings = join(folder, 'beginnings.txt')
    const handlers = join(folder, 'handlers.ts')
    writeFileSync(beginnings, '')
    writeFileSync(
      handlers,
      `import { appendFileSync } from 'node:fs'
import { defineHandlers } from ${JSON.stringify(resolve('shared/core/handlers.ts'))}
const begin = ({ id, attempt }) => appendFileSync(${JSON.stringify(beginnings)}, id + ' ' + attempt + '\\n')
export default defineHandlers({
  quick: (run) => begin(run),
  slow: async (run) => { begin(run); await new Promise((resolve) => setTimeout(resolve, 700)) },
})
`,
    )
    const begin = () => {
      const args = ['--plain', '--no-samples', '--port', '0', '--handlers', handlers]
      const more = { TICKRING_REQUESTS_PER_MINUTE: '1000000' }
      return new LocalStart((clean) => cleaning.push(clean), args, join(folder, 'data'), more)
    }

    const acknowledgedJobs: string[] = []
    const acknowledgedRuns: string[] = []
    /** Saves and triggers until the start is gone; only what was answered counts. */
    const act = async (started: LocalStart, life: number) => {
      for (let n = 0; ; n++) {
        const name = `made-${life}-${n}`
        try {
          const { status } = await started.ask('PUT', `/v1/jobs/kept/${name}`, { schedules: [], target: to('quick') })
          if (status === 201) acknowledgedJobs.push(name)
          const { status: answered, json } = await started.ask('POST', `/v1/jobs/kept/${name}/trigger`, {})
          if (answered === 202) acknowledgedRuns.push(String(json.id))
        } catch {
          return
        }
        await pause(30)
      }
    }

    for (let life = 0; life < KILLS; life++) {
      const started = begin()
      await started.url()
      if (life === 0) {
        for (const [name, body] of Object.entries(JOBS))
          expect((await started.ask('PUT', `/v1/jobs/due/${name}`, { timeout: 3, ...body })).status).toBe(201)
      }
      const acting = act(started, life)
      await pause(random.between(1500, 4500))
      started.kill('SIGKILL')
      await started.ended
      await acting
    }

    const last = begin()
    await last.url()
    const read = async (path: string) => (await last.ask('GET', path)).json as unknown
    // What is due in these seconds is on time again.
    await pause(5000)
    const until = Math.floor(Date.now() / 1000)

    const runsOf = async (name: string): Promise<Omit<Page, 'next'>> => {
      const items: Run[] = []
      const missed: Page['missed'][number][] = []
      const to = new Date(until * 1000).toISOString()
      for (let cursor: string | null = ''; cursor !== null; ) {
        const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const page = (await read(`/v1/jobs/due/${name}/runs?limit=100&to=${to}${more}`)) as Page
        items.push(...page.items)
        missed.push(...page.missed)
        cursor = page.next
      }
      return { items, missed }
    }
    const isOver = async () => {
      for (const name of Object.keys(JOBS)) {
        const open = (await runsOf(name)).items.filter(({ status }) => !ENDED.includes(status))
        if (open.length > 0) return false
      }
      return true
    }
    const settlingMs = Date.now()
    await eventually(isOver, 300_000)
    console.log(
      `seed ${SEED}: ${acknowledgedJobs.length} jobs and ${acknowledgedRuns.length} runs were acknowledged; all ended ${Math.round((Date.now() - settlingMs) / 1000)} s after the last start`,
    )

    expect(acknowledgedRuns.length).toBeGreaterThan(KILLS)
    for (const name of acknowledgedJobs) expect(await read(`/v1/jobs/kept/${name}`)).toMatchObject({ version: 1 })
    for (const id of acknowledgedRuns)
      await eventually(async () => ENDED.includes(((await read(`/v1/runs/${id}`)) as Run).status), 60_000)

    const begun = readFileSync(beginnings, 'utf8').trim().split('\n')
    expect(begun.length).toBeGreaterThan(100)
    expect(new Set(begun).size, 'no attempt of a run began twice').toBe(begun.length)

    for (const [name, body] of Object.entries(JOBS)) {
      const { every } = (body as { schedules: [{ every: number }] }).schedules[0]
      const { activeFrom } = (await read(`/v1/jobs/due/${name}`)) as { activeFrom: string }
      const { items, missed } = await runsOf(name)
      const first = Math.ceil(secondOf(activeFrom) / every) * every
      const due = Math.ceil((until - first) / every)
      const ran = items.map(({ instant }) => secondOf(instant as string))
      expect(new Set(ran).size, `${name}: one entry an instant`).toBe(ran.length)
      const counted = missed.reduce((sum, { count }) => sum + count, 0)
      expect(ran.length + counted, `${name}: every instant is accounted for`).toBe(due)
    }
    last.signal('SIGINT')
    expect((await last.ended).code).toBe(0)
  },
)

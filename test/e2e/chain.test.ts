// The chain on real engines in real time. What only waits runs side by side.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import type { StoredJob } from '../../shared/core/job/stored.ts'
import { formatInstant } from '../../shared/core/time/instant.ts'
import { stopJob } from '../../shared/flow/manage-jobs.ts'
import { asking, body, range } from '../support/job-body.ts'
import { beginStack as begin, untilSecond } from '../support/real-stack.ts'
import { saveBody } from '../support/save.ts'
import { expectAll } from './killed-chain.ts'

const firstOf = (job: StoredJob) => job.versions[0].activeFrom

describe.skipIf(whyNoDynoxide() !== null).concurrent('on the real engines', () => {
  test('every second for ten seconds is sent ten times, never early', async (context) => {
    const rig = await begin(context)
    const { job } = await saveBody(rig.stack.world, body('each'), asking)
    const first = firstOf(job)
    await untilSecond(first + 11)
    expectAll(rig, 'each', first, first + 9)
    expect(rig.errors).toEqual([])
  }, 40_000)

  test('a machine whose clock is an hour off fires on the second by the store’s time', async (context) => {
    const rig = await begin(context, {
      clock: { wallMs: () => Date.now() + 3_600_000, steadyMs: () => performance.now() },
    })
    const { job } = await saveBody(rig.stack.world, body('each'), asking)
    const first = firstOf(job)
    expect(Math.abs(first - Date.now() / 1000)).toBeLessThan(5)
    await untilSecond(first + 8)
    const seconds = rig.seconds('each')
    expect(seconds.slice(0, 6)).toEqual(range(first, first + 5))
    // The store says its time in whole seconds, so a clock held to it may be a second off.
    const earliest = Math.min(...rig.started.map(({ atMs, second }) => atMs - second * 1000))
    expect(earliest).toBeGreaterThan(-1100)
  }, 40_000)

  test('two deliveries of every event make one chain', async (context) => {
    const rig = await begin(context, { deliveries: () => [100, 180] })
    const { job } = await saveBody(rig.stack.world, body('each'), asking)
    const first = firstOf(job)
    await untilSecond(first + 9)
    expectAll(rig, 'each', first, first + 7)
    expect(rig.lines.some((line) => line.includes('refusedTicks'))).toBe(true)
  }, 40_000)

  test('a stop lets no instant pass from its time on, and a one-time job a second ahead fires', async (context) => {
    const rig = await begin(context)
    const { world } = rig.stack
    const { job } = await saveBody(world, body('stopped'), asking)
    const at = formatInstant(Math.floor(Date.now() / 1000) + 1)
    const { job: once } = await saveBody(world, body('once', { schedules: [{ at }] }), asking)
    await untilSecond(firstOf(job) + 4)
    const { job: stopped } = await stopJob(world, job.definition, { code: 'BY_HAND', reason: 'stop' }, asking)
    const end = stopped.versions[1].activeFrom
    await untilSecond(end + 4)
    expect(rig.seconds('stopped')).toEqual(range(firstOf(job), end - 1))
    expect(rig.seconds('once')).toEqual([firstOf(once)])
  }, 40_000)

  test.runIf(process.platform === 'linux')('everything listens on loopback only', async (context) => {
    const { stack } = await begin(context)
    const listening = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    const ports = Object.values(stack.endpoints).map((endpoint) =>
      Number(new URL(endpoint).port).toString(16).toUpperCase().padStart(4, '0'),
    )
    for (const port of ports) {
      const locals = listening
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${port}`))
        .map(([, local]) => local)
      expect(locals).toEqual([`0100007F:${port}`])
    }
  })
})

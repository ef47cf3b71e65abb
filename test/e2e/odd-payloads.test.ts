// Jobs whose payloads hold what a queue may refuse, on real engines in real time: each runs as it was saved, and so do those beside it.

import { expect, test } from 'vitest'
import { whyNoDynoxide } from '../../local/engines/dynamodb.ts'
import { asking, body, range } from '../support/job-body.ts'
import { beginStack, untilSecond } from '../support/real-stack.ts'
import { saveBody } from '../support/save.ts'

const ODD = {
  emoji: 'done 🎉',
  'no-character': 'a\uFFFEb\uFFFFc',
  control: 'bell \u0007, escape \u001b, delete \u007f',
  large: '🎉'.repeat(16_000),
}

test.skipIf(whyNoDynoxide() !== null)(
  'a job of every second misses no run because another’s payload holds an emoji or what is no character',
  { timeout: 60_000 },
  async (context) => {
    const received = new Map<string, unknown>()
    const real = await beginStack(context, {
      handlers: { keep: (run) => void received.set(run.job.name, run.payload) },
    })
    const { world } = real.stack
    await saveBody(world, body('plain'), asking)
    for (const [name, text] of Object.entries(ODD)) {
      await saveBody(world, body(name, { target: { type: 'handler', handler: 'keep' }, payload: { text } }), asking)
    }
    const from = Math.floor(Date.now() / 1000) + 4
    await untilSecond(from + 12)
    for (const name of ['plain', ...Object.keys(ODD)]) {
      const seconds = real.seconds(name).filter((second) => second >= from && second < from + 10)
      expect({ name, seconds }).toEqual({ name, seconds: range(from, from + 9) })
    }
    expect(Object.fromEntries(received)).toEqual(
      Object.fromEntries(Object.entries(ODD).map(([name, text]) => [name, { text }])),
    )
    expect(real.lines.filter((line) => line.includes('sent again'))).toEqual([])
    const shard = await world.shards.read(0)
    expect(shard?.watermark).toBeGreaterThan(from + 8)
  },
)

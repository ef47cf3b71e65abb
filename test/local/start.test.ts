// `npm start` as a process: what comes out of it where there is no terminal, and how it ends.

import { expect, test } from 'vitest'
import { LocalStart } from '../support/local-start.ts'

const PLAIN = ['--plain', '--port', '0']

test.concurrent('the heartbeat fires, and never twice for the same second', async ({ onTestFinished }) => {
  const { code, out, errors } = await new LocalStart(onTestFinished, [...PLAIN, '--seconds', '9']).ended
  const fires = out.match(/^\d\d:\d\d:\d\d {2}\S+/gm) ?? []
  expect(errors).toBe('')
  expect(code).toBe(0)
  expect(out).toContain('market-open    at 09:30 on Monday through Friday, America/New_York')
  expect(fires.filter((fire) => fire.endsWith('  heartbeat')).length).toBeGreaterThanOrEqual(1)
  expect(new Set(fires).size).toBe(fires.length)
})

test.concurrent.for(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it with exit code 0 and a last line',
  async (signal, { onTestFinished }) => {
    const started = new LocalStart(onTestFinished, [...PLAIN, '--seconds', '60'])
    await started.says(/Ctrl-C ends/)
    started.signal(signal)
    const { code, out } = await started.ended
    expect(code).toBe(0)
    expect(out).toMatch(/(No run fired|late)\.\n$/)
  },
)

test.concurrent('a reader that goes away ends it quietly', async ({ onTestFinished }) => {
  const started = new LocalStart(onTestFinished, [...PLAIN, '--seconds', '60'])
  await started.says(/Ctrl-C ends/)
  started.closeReader()
  const { code, errors } = await started.ended
  expect(errors).toBe('')
  expect(code).toBe(0)
})

test.concurrent('an unknown flag says which there are and ends with exit code 2', async ({ onTestFinished }) => {
  const { code, out, errors } = await new LocalStart(onTestFinished, ['--colour']).ended
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(errors).toContain('--colour is not a flag.')
  expect(errors).toContain('--seconds N')
})

test.concurrent('help is no error', async ({ onTestFinished }) => {
  const { code, out } = await new LocalStart(onTestFinished, ['--help']).ended
  expect(code).toBe(0)
  expect(out).toContain('--plain')
})

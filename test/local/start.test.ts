// `npm start` as a process that is asked for nothing, or for something that there is not.

import { expect, test } from 'vitest'
import { LocalStart } from '../support/local-start.ts'

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

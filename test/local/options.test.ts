// The flags of `npm start`.

import { expect, test } from 'vitest'
import { readOptions } from '../../local/options.ts'

const USUAL = {
  type: 'run',
  seconds: null,
  isPlain: false,
  port: 4620,
  host: '127.0.0.1',
  data: '.tickring',
  isFresh: false,
  hasSamples: true,
  handlers: null,
  hasAwsLatency: false,
  seed: 1,
}

test('without flags it runs until it is ended', () => {
  expect(readOptions([])).toEqual(USUAL)
})

test('seconds and plain are read in any order and spelling', () => {
  const expected = { ...USUAL, seconds: 6, isPlain: true }
  expect(readOptions(['--seconds', '6', '--plain'])).toEqual(expected)
  expect(readOptions(['--plain', '--seconds=6'])).toEqual(expected)
})

test.each(['0', '-1', '1.5', 'x', '86401', '9999999'])('%s is no number of seconds', (seconds) => {
  expect(readOptions([`--seconds=${seconds}`])).toMatchObject({ type: 'wrong' })
})

test('seconds without a number are wrong', () => {
  expect(readOptions(['--seconds'])).toMatchObject({ type: 'wrong' })
})

test.each(['--ring', '-x', 'plain', '--plain=yes', '--help=me'])('%s is no flag', (flag) => {
  expect(readOptions([flag])).toEqual({ type: 'wrong', problem: `${flag} is not a flag.` })
})

test('help wins', () => {
  expect(readOptions(['--plain', '--help'])).toEqual({ type: 'help' })
})

test('where it serves and what it keeps can be said', () => {
  const args = ['--port', '0', '--host=::1', '--data', '/tmp/x', '--fresh', '--no-samples']
  const expected = { ...USUAL, port: 0, host: '::1', data: '/tmp/x', isFresh: true, hasSamples: false }
  expect(readOptions(args)).toEqual(expected)
})

test('handlers, latencies and their seed can be said', () => {
  const expected = { ...USUAL, handlers: 'mine.ts', hasAwsLatency: true, seed: 7 }
  expect(readOptions(['--handlers', 'mine.ts', '--latency=aws', '--seed=7'])).toEqual(expected)
  expect(readOptions(['--latency', 'none'])).toEqual(USUAL)
})

test.each([
  '--latency=slow',
  '--latency',
  '--handlers=',
  '--seed=x',
  '--port=65536',
  '--port=x',
  '--port',
  '--host=',
  '--data=',
])('%s is refused with what it takes', (flag) => {
  expect(readOptions([flag])).toMatchObject({ type: 'wrong', problem: expect.stringContaining('takes') })
})

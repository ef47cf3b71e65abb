import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { InputError } from '../../../shared/core/errors.ts'
import { jobIdOf } from '../../../shared/core/job/id.ts'
import { formatRunId, parseRunId } from '../../../shared/core/run/run.ts'
import { canBecome, isTerminal, NEXT_STATUSES, STATUSES } from '../../../shared/core/run/status.ts'

describe('the life of a run', () => {
  test('ends in one of nine states, which never change', () => {
    expect(STATUSES.filter(isTerminal)).toEqual([
      'SUCCEEDED',
      'FAILED',
      'TIMED_OUT',
      'CANCELLED',
      'DISCARDED',
      'SKIPPED',
      'EXPIRED',
      'MISSED',
      'LOST',
    ])
    expect(canBecome('SUCCEEDED', 'FAILED')).toBe(false)
  })

  test('can come to its end from every state that is none', () => {
    for (const status of STATUSES.filter((each) => !isTerminal(each))) {
      expect(NEXT_STATUSES[status].some(isTerminal)).toBe(true)
    }
    expect(canBecome('QUEUED', 'RUNNING')).toBe(true)
    expect(canBecome('RUNNING', 'RUNNING')).toBe(true)
    expect(canBecome('WAITING', 'SUCCEEDED')).toBe(false)
  })

  test('is drawn in docs/state-machine.md as the table has it', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../docs/state-machine.md'), 'utf8')
    const diagram = /<!-- run -->\s*```mermaid([\s\S]*?)```/.exec(text)?.[1] ?? ''
    const drawn = [...diagram.matchAll(/^\s*([A-Z_]+) --> ([A-Z_]+)\b/gm)].map(([, from, to]) => `${from} ${to}`)
    const legal = STATUSES.flatMap((from) => NEXT_STATUSES[from].map((to) => `${from} ${to}`))
    expect(drawn.sort()).toEqual(legal.sort())
    const ends = [...diagram.matchAll(/^\s*([A-Z_]+) --> \[\*\]/gm)].map(([, from]) => from)
    expect(ends.sort()).toEqual(STATUSES.filter(isTerminal).sort())
  })
})

describe('the id of a run', () => {
  const jobId = jobIdOf('default', 'a')

  test('is read as it was written', () => {
    for (const suffix of ['', 'm3kTMd8', 'b12', 'r5-x', 'dA']) {
      const id = { jobId, second: 1_800_000_000, suffix }
      expect(parseRunId(formatRunId(id))).toEqual(id)
    }
    expect(formatRunId({ jobId, second: 5, suffix: '' })).toBe(`${jobId}.5`)
  })

  test.each([
    '',
    'x',
    `${'a'.repeat(11)}`,
    `${'a'.repeat(11)}.-5`,
    `${'a'.repeat(11)}.5.`,
    `${'a'.repeat(11)}.5.a#b`,
    `${'a'.repeat(12)}.5`,
    `${'a'.repeat(11)}.05`,
    `${'a'.repeat(11)}.5.x`,
    `${'a'.repeat(11)}.5.m`,
  ])('%j is none', (text) => {
    expect(() => parseRunId(text)).toThrow(InputError)
  })
})

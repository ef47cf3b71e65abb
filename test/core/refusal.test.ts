import { describe, expect, test } from 'vitest'
import type { PageEntry } from '../../shared/core/pages/entry.ts'
import { decideRefusal } from '../../shared/core/refusal.ts'

const NOW = 1_790_000_000

describe('a message that a queue will never take', () => {
  const decide = (found: PageEntry | null, attempt = 1) => decideRefusal(found, attempt, NOW)
  const held: PageEntry = { status: 'RUNNING', attempt: 2, token: 'x', deadlineSecond: NOW - 4 }

  test('ends what no executor has claimed, and what its executor left behind', () => {
    expect(decide(null)).toEqual({ do: 'END', attempt: 1 })
    expect(decide({ status: 'QUEUED', attempt: 1 }, 2)).toEqual({ do: 'END', attempt: 1 })
    expect(decide({ status: 'WAITING', attempt: 3 }, 3)).toEqual({ do: 'END', attempt: 3 })
    expect(decide({ ...held, deadlineSecond: NOW - 5 })).toEqual({ do: 'END', attempt: 2 })
  })

  test('leaves what an executor has, and what is about a later attempt than it', () => {
    expect(decide(held)).toEqual({ do: 'LEAVE' })
    expect(decide({ status: 'QUEUED', attempt: 2 })).toEqual({ do: 'LEAVE' })
    expect(decide({ status: 'WAITING', attempt: 2 })).toEqual({ do: 'LEAVE' })
  })

  test('repeats what follows an end', () => {
    const ended: PageEntry = { status: 'FAILED', attempt: 1, startOffsetMs: 0, durationMs: 0 }
    expect(decide(ended)).toEqual({ do: 'REPEAT', ended })
  })
})

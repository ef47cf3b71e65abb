import { describe, expect, test } from 'vitest'
import {
  type ClaimRequest,
  deadlineOf,
  decideClaim,
  isDead,
  isNobodys,
  lockDeadlineOf,
  mayStart,
} from '../../shared/core/claim.ts'
import type { PageEntry } from '../../shared/core/pages/entry.ts'

const NOW = 1_790_000_000
const NO_RETRY = { attempts: 0, delay: 5, maxDelay: 300 }
const FIRST: ClaimRequest = { attempt: 1, notBefore: null, isListed: false }
const LISTED: ClaimRequest = { ...FIRST, isListed: true }

describe('a claim', () => {
  const claim = (deadlineSecond: number) => ({ status: 'RUNNING', attempt: 1, token: 'x', deadlineSecond }) as const

  test('ends ten seconds after the longest time its run may take', () => {
    const deadline = deadlineOf(NOW, 60, 'fast')
    expect(deadline).toBe(NOW + 70)
    expect([isDead(claim(deadline), deadline + 4), isDead(claim(deadline), deadline + 5)]).toEqual([false, true])
  })

  test('of the slow lane ends after twenty seconds, unless it is renewed', () => {
    expect(deadlineOf(NOW, 840, 'slow')).toBe(NOW + 20)
  })

  test('that was stalled for five seconds starts nothing any more', () => {
    expect([mayStart(NOW, NOW + 4), mayStart(NOW, NOW + 5)]).toEqual([true, false])
  })

  test('started at its last moment, a run ends before anyone may take it over or have its lock', () => {
    for (const timeout of [1, 60, 840]) {
      let lastStart = NOW
      while (mayStart(NOW, lastStart + 1)) lastStart += 1
      expect(lastStart + timeout).toBeLessThan(deadlineOf(NOW, timeout, 'fast'))
      expect(lastStart + timeout).toBeLessThan(lockDeadlineOf(NOW, timeout))
    }
  })
})

describe('a message', () => {
  const dead: PageEntry = { status: 'RUNNING', attempt: 1, token: 'x', deadlineSecond: NOW - 5 }
  const decide = (found: PageEntry | null, asked = FIRST, retry = NO_RETRY) => decideClaim(found, asked, retry, NOW)

  test('claims what no executor has claimed', () => {
    expect(decide(null)).toEqual({ do: 'CLAIM', attempt: 1 })
    expect(decide({ status: 'WAITING', attempt: 1 }, LISTED)).toEqual({ do: 'CLAIM', attempt: 1 })
    expect(decide({ status: 'QUEUED', attempt: 3 }, { ...FIRST, attempt: 3 })).toEqual({ do: 'CLAIM', attempt: 3 })
  })

  test('leaves what an executor has claimed, and what is about a later attempt than it', () => {
    expect(decide({ ...dead, deadlineSecond: NOW - 4 })).toEqual({ do: 'LEAVE' })
    expect(decide({ status: 'QUEUED', attempt: 2 })).toEqual({ do: 'LEAVE' })
  })

  test('that is not from the list of open runs leaves what waits in line', () => {
    expect(decide({ status: 'WAITING', attempt: 1 })).toEqual({ do: 'LEAVE' })
  })

  test('takes over from the dead while there are attempts, and then says that the run is lost', () => {
    expect(decide(dead, FIRST, { ...NO_RETRY, attempts: 1 })).toEqual({ do: 'CLAIM', attempt: 2 })
    expect(decide(dead)).toEqual({ do: 'LOSE', attempt: 1 })
  })

  test('that comes early is put back', () => {
    const early = { ...FIRST, attempt: 2, notBefore: NOW + 30 }
    expect(decide({ status: 'QUEUED', attempt: 2 }, early)).toEqual({ do: 'PUT_BACK', inSeconds: 30 })
    expect(decide({ status: 'QUEUED', attempt: 2 }, { ...early, notBefore: NOW })).toEqual({ do: 'CLAIM', attempt: 2 })
  })

  test('about a run that has ended repeats what follows its end', () => {
    const ended = { status: 'FAILED', attempt: 1, startOffsetMs: 1, durationMs: 2 } as const
    expect(decide(ended)).toEqual({ do: 'REPEAT', ended })
  })
})

test('a run is nobody’s where no executor has claimed it, it has not ended and no message will bring it back', () => {
  const claim = (deadlineSecond: number): PageEntry => ({ status: 'RUNNING', attempt: 1, token: 'x', deadlineSecond })
  const nobodys: (PageEntry | null)[] = [null, { status: 'QUEUED', attempt: 1 }, claim(NOW - 5)]
  const somebodys: PageEntry[] = [
    claim(NOW - 4),
    { status: 'WAITING', attempt: 1 },
    { status: 'QUEUED', attempt: 2 },
    { status: 'LOST', attempt: 1, startOffsetMs: 0, durationMs: 0 },
  ]
  expect(nobodys.filter((entry) => !isNobodys(entry, NOW))).toEqual([])
  expect(somebodys.filter((entry) => isNobodys(entry, NOW))).toEqual([])
})

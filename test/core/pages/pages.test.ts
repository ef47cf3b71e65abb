import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOfId, jobIdOf, pageBitsOf } from '../../../shared/core/job/id.ts'
import { DEEPEST, depthFor, pageOf } from '../../../shared/core/pages/depth.ts'
import {
  decodeEntry,
  ENTRIES_A_WRITE,
  encodeEntry,
  type PageEntry,
  TOKEN_LENGTH,
} from '../../../shared/core/pages/entry.ts'
import { packPages, partitionOf, prefixOf, splitByLane } from '../../../shared/core/pages/page.ts'
import { STATUSES } from '../../../shared/core/run/status.ts'

const SECOND = 1_800_000_000
const runOf = (index: number) => {
  const jobId = jobIdOf('default', `job-${index}`)
  return { jobId, second: SECOND, pageBits: pageBitsOf(hashOfId(jobId)) }
}
const runs = (count: number) => Array.from({ length: count }, (_, index) => runOf(index))

describe('the depth of a second', () => {
  test.each([
    [0, 0],
    [1, 0],
    [24, 0],
    [25, 1],
    [48, 1],
    [49, 2],
    [400, 5],
    [401, 3],
    [768, 3],
    [769, 4],
    [10_000, 7],
    [25_000, 9],
    [1e9, DEEPEST],
  ])('of %i runs is %i', (count, depth) => {
    expect(depthFor(count)).toBe(depth)
  })

  test('ten thousand runs at once are 128 messages', () => {
    expect(packPages(runs(10_000), SECOND, depthFor(10_000))).toHaveLength(128)
  })
})

describe('pages', () => {
  test('hold every run once, in the page that its hash says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 10 }), (count, depth) => {
        const pages = packPages(runs(count), SECOND, depth)
        expect(
          pages
            .flatMap((page) => page.runs)
            .map(({ jobId }) => jobId)
            .sort(),
        ).toEqual(
          runs(count)
            .map(({ jobId }) => jobId)
            .sort(),
        )
        for (const page of pages) {
          expect(page.page).toBeLessThan(2 ** depth)
          for (const run of page.runs) expect(pageOf(run.pageBits, depth)).toBe(page.page)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('have prefixes of their depth, and partitions of at most five bits', () => {
    expect([prefixOf(0, 0), prefixOf(1, 3), prefixOf(7, 3)]).toEqual(['', '001', '111'])
    expect([partitionOf(0, 0), partitionOf(1, 3), partitionOf(0b1011_0011, 8)]).toEqual(['', '001', '10110'])
    expect(pageOf(0xffffffff, 8)).toBe(255)
  })

  test('travel by lane without changing their key', () => {
    const [page] = packPages(runs(6), SECOND, 0)
    const slow = new Set([page.runs[1].jobId, page.runs[4].jobId])
    const parcels = splitByLane(page, ({ jobId }) => (slow.has(jobId) ? 'slow' : 'fast'))
    expect(parcels.map(({ lane, runs: { length } }) => [lane, length])).toEqual([
      ['fast', 4],
      ['slow', 1],
      ['slow', 1],
    ])
    expect(parcels.every((parcel) => parcel.page === page.page && parcel.depth === page.depth)).toBe(true)
    expect(splitByLane(page, () => 'slow')).toHaveLength(6)
    expect(splitByLane(page, () => 'fast')).toHaveLength(1)
  })
})

const entry: fc.Arbitrary<PageEntry> = fc.oneof(
  fc.record({
    status: fc.constant('RUNNING' as const),
    attempt: fc.integer({ min: 1, max: 101 }),
    token: fc.stringMatching(/^[0-9A-Za-z]{8}$/),
    deadlineSecond: fc.integer({ min: SECOND, max: SECOND + 30 * 86_400 }),
  }),
  fc.record({
    status: fc.constantFrom('WAITING' as const, 'QUEUED' as const),
    attempt: fc.integer({ min: 1, max: 101 }),
  }),
  fc.record({
    status: fc.constantFrom(
      ...STATUSES.filter((status) => status !== 'RUNNING' && status !== 'WAITING' && status !== 'QUEUED'),
    ),
    attempt: fc.integer({ min: 1, max: 101 }),
    startOffsetMs: fc.integer({ min: -5000, max: 30 * 86_400_000 }),
    durationMs: fc.integer({ min: 0, max: 840_000 }),
  }),
)

describe('an entry', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(entry, (each) => {
        expect(decodeEntry(encodeEntry(each, SECOND), SECOND)).toEqual(each)
      }),
    )
  })

  test.each(['R1', 'R1.tok', 'S1', 'W1junk', 'R1.tok.zz.9', '', 'X1', 'R', 'R0.abc.5', '1', 'S-1.0.0'])(
    'that is none (%j) stops its reader',
    (text) => {
      expect(() => decodeEntry(text, SECOND)).toThrow(
        `a page of second ${SECOND} holds ${JSON.stringify(text)}, which is no entry`,
      )
    },
  )

  test('of 24 runs, claimed or ended, with keys and all, is within the kilobyte of one write unit', () => {
    const keys = 'pkPAGE#255#30000000#11111'.length + 'sk1800000000#11111111'.length + 'ttlN'.length + 10
    const largest: PageEntry[] = [
      { status: 'RUNNING', attempt: 9, token: 'x'.repeat(TOKEN_LENGTH), deadlineSecond: SECOND + 900 },
      { status: 'SUCCEEDED', attempt: 9, startOffsetMs: 900_000, durationMs: 840_000 },
      { status: 'FAILED', attempt: 99, startOffsetMs: 86_400_000, durationMs: 840_000 },
    ]
    for (const each of largest) {
      const bytes = keys + 24 * (11 + encodeEntry(each, SECOND).length)
      expect(bytes).toBeLessThan(1024)
    }
  })

  test('a write names at most 96 of them, and its expressions stay within four kilobytes', () => {
    const claim = (index: number) => `#n${index}=:v${index},`.length + `attribute_not_exists(#n${index}) AND `.length
    const length = Array.from({ length: ENTRIES_A_WRITE }, (_, index) => claim(index)).reduce((sum, each) => sum + each)
    expect(length + 'SET '.length).toBeLessThan(4096)
  })
})

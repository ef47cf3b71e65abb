import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileCron } from '../../../shared/core/cron/cron.ts'
import { InputError } from '../../../shared/core/errors.ts'
import { expandShapes } from '../../../shared/core/run-index/expand.ts'
import { ShapeTable } from '../../../shared/core/run-index/shape-table.ts'
import { Every } from '../../../shared/core/schedule/every.ts'
import { between, type Instants, NEVER } from '../../../shared/core/time/instants.ts'
import { randomCase } from '../../support/random-cron.ts'
import { at } from '../../support/time.ts'

const caseNumber = fc.integer({ min: 0, max: 1_000_000 })

/** Some random expressions never fire, which is an error of its own; the properties are about the others. */
function compileCase(index: number) {
  const { expression, zone, dst, instantSecond } = randomCase(77, index)
  try {
    return { cron: compileCron(expression, { zone, dst }), instant: instantSecond }
  } catch (error) {
    fc.pre(!(error instanceof InputError && error.code === 'cron.never-fires'))
    throw error
  }
}

function expandOne(
  shape: ConstructorParameters<typeof Every> | ReturnType<typeof compileCron>,
  from: number,
  to: number,
): number[] {
  const table = new ShapeTable()
  table.intern(Array.isArray(shape) ? new Every(...shape) : shape)
  const expansion = expandShapes(table, from, to, 1_000_000)
  if (expansion === null) return expect.fail('too many')
  return Array.from(expansion.fires.subarray(0, expansion.starts[1]), (fire) => from + fire).sort((a, b) => a - b)
}

function chain(instants: Instants, from: number, to: number): number[] {
  const found: number[] = []
  between(instants, from, to, found)
  return found
}

describe('for any expression, zone, DST rule and time', () => {
  test('the expansion of a window is what repeated next() gives', () => {
    fc.assert(
      fc.property(caseNumber, fc.integer({ min: 1, max: 30 * 3600 }), (index, length) => {
        const { cron, instant } = compileCase(index)
        const from = instant - (index % 40_000)
        const to = cron.next(from) - from < 60 ? from + Math.min(length, 5000) : from + length
        expect(expandOne(cron, from, to)).toEqual(chain(cron, from, to))
      }),
      { numRuns: 3000 },
    )
  })

  test('windows cut anywhere join to the same instants', () => {
    fc.assert(
      fc.property(caseNumber, fc.integer({ min: 1, max: 7200 }), (index, cut) => {
        const { cron, instant } = compileCase(index)
        const [from, to] = [instant - 3600, instant + 3600]
        const halves = [
          ...expandOne(cron, from, from + cut),
          ...expandOne(cron, from + cut, Math.max(to, from + cut + 1)),
        ]
        expect(halves.filter((second) => second < to)).toEqual(expandOne(cron, from, to))
      }),
      { numRuns: 1000 },
    )
  })

  test('previous(next(t)) = t for an instant t', () => {
    fc.assert(
      fc.property(caseNumber, (index) => {
        const { cron, instant } = compileCase(index)
        const t = cron.next(instant)
        fc.pre(t !== NEVER)
        const after = cron.next(t)
        if (after !== NEVER) expect(cron.previous(after)).toBe(t)
        expect(cron.previous(t + 1)).toBe(t)
        expect(cron.next(cron.previous(t))).toBe(cron.previous(t) === NEVER ? cron.next(NEVER) : t)
      }),
      { numRuns: 3000 },
    )
  })

  test('a restart at any moment changes nothing', () => {
    fc.assert(
      fc.property(caseNumber, fc.double({ min: 0, max: 1, noNaN: true }), (index, share) => {
        const { cron, instant } = compileCase(index)
        const first = cron.next(instant)
        const second = first === NEVER ? NEVER : cron.next(first)
        fc.pre(second !== NEVER)
        const restartedAt = first + Math.floor((second - first - 1) * share)
        expect(cron.next(restartedAt)).toBe(second)
      }),
      { numRuns: 3000 },
    )
  })

  test('next only goes forward', () => {
    fc.assert(
      fc.property(caseNumber, (index) => {
        const { cron, instant } = compileCase(index)
        let t = instant
        for (let step = 0; step < 20 && t !== NEVER; step++) {
          const next = cron.next(t)
          if (next !== NEVER) expect(next).toBeGreaterThan(t)
          t = next
        }
      }),
      { numRuns: 2000 },
    )
  })
})

test('an interval expands as its next() says, from any window', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100_000 }),
      fc.nat(1e9),
      fc.nat(1e9),
      fc.integer({ min: 1, max: 5000 }),
      (interval, anchor, from, length) => {
        expect(expandOne([interval, anchor], from, from + length)).toEqual(
          chain(new Every(interval, anchor), from, from + length),
        )
      },
    ),
    { numRuns: 500 },
  )
})

test('a job every second fills a window longer than an hour', () => {
  expect(expandOne([1, 0], 100, 5100)).toEqual(Array.from({ length: 5000 }, (_, second) => 100 + second))
})

test('a window in the year 9998 expands like one of today', () => {
  const from = at('9998-03-29T00:00:00Z')
  const cron = compileCron('*/30 2 * * *', { zone: 'Europe/Brussels' })
  expect(expandOne(cron, from, from + 7200)).toEqual(chain(cron, from, from + 7200))
})

test('a table with more shapes than it was made for finds every one of them again', () => {
  const table = new ShapeTable()
  const crons = Array.from({ length: 1440 }, (_, index) => compileCron(`${index % 60} ${Math.floor(index / 60)} * * *`))
  const numbers = crons.map((cron) => table.intern(cron))
  expect(crons.map((cron) => table.intern(cron))).toEqual(numbers)
  expect(table.size).toBe(1440)
  expect(table.intern(compileCron('0 0 * * *', { zone: 'Asia/Tokyo' }))).toBe(1440)
  expect(table.intern(compileCron('0 0 * * *', { dst: { gap: 'skip', overlap: 'last' } }))).toBe(1441)
  for (const [index, cron] of crons.entries())
    expect(table.next(numbers[index], 1_800_000_000)).toBe(cron.next(1_800_000_000))
})

test('an expansion beyond its limit is given up', () => {
  const table = new ShapeTable()
  table.intern(compileCron('* * * * * *'))
  expect(expandShapes(table, 0, 7200, 3600)).toBeNull()
  expect(expandShapes(table, 0, 7200, 7200)?.starts[1]).toBe(7200)
})

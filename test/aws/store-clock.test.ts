import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { thaw } from '../../functions/thaw.ts'
import { StoreClock } from '../../shared/aws/store-clock.ts'

const NOON = Date.UTC(2026, 0, 1, 12)

/** A machine whose wall clock is off by so much; time passes when told. */
function machine(offMs: number) {
  const world = { ms: NOON, steadyRate: 1 }
  const clock = new StoreClock({
    wallMs: () => world.ms + offMs,
    steadyMs: () => (world.ms - NOON) * world.steadyRate + 77,
  })
  const answer = (storeMs = world.ms, asked = clock.moment()) => clock.observe(Math.floor(storeMs / 1000) * 1000, asked)
  return { world, clock, answer }
}

describe('the store’s clock', () => {
  test('is the machine’s before anything is known', () => {
    expect(machine(5000).clock.nowMs()).toBe(NOON + 5000)
  })

  test.each([3_600_000, -3_600_000, 10_000, -10_000])(
    'is within a second of the store’s where the machine is off by %i ms',
    (offMs) => {
      const { world, clock, answer } = machine(offMs)
      for (let step = 0; step < 200; step++) {
        world.ms += 137
        if (step % 5 === 0) answer()
        if (step > 0) expect(Math.abs(clock.nowMs() - world.ms)).toBeLessThanOrEqual(1000)
      }
      expect(Math.sign(clock.skewMs())).toBe(Math.sign(offMs))
    },
  )

  test('is the machine’s own where that is right', () => {
    const { world, clock, answer } = machine(0)
    world.ms += 400
    answer()
    world.ms += 300
    expect(clock.nowMs()).toBe(world.ms)
    expect(clock.nowSecond()).toBe(Math.floor(world.ms / 1000))
  })

  test('never goes back when answers overtake one another', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ passed: fc.integer({ min: 0, max: 2000 }), late: fc.integer({ min: 0, max: 2500 }) }), {
          minLength: 1,
          maxLength: 40,
        }),
        (steps) => {
          const { world, clock, answer } = machine(-3_600_000)
          answer()
          let last = clock.nowMs()
          for (const { passed, late } of steps) {
            world.ms += passed
            answer(world.ms - late)
            expect(clock.nowMs()).toBeGreaterThanOrEqual(last)
            last = clock.nowMs()
          }
        },
      ),
    )
  })

  test('follows the store where the machine’s steady clock runs too fast', () => {
    const { world, clock, answer } = machine(3_600_000)
    world.steadyRate = 1.5
    for (let step = 0; step < 400; step++) {
      world.ms += 300
      const asked = clock.moment()
      world.ms += 200
      answer(world.ms, asked)
      expect(clock.nowMs() - world.ms).toBeLessThanOrEqual(6500)
    }
  })
})

describe('an answer that lies unread while its process is frozen', () => {
  const cutToSeconds = (ms: number) => Math.floor(ms / 1000) * 1000

  test('does not set the clock back by as long as that lasted', () => {
    const { world, clock, answer } = machine(-3_600_000)
    answer()
    for (const frozenMs of [800, 3000, 5000, 15_000, 40_000]) {
      world.ms += 300
      const [asked, dateMs] = [clock.moment(), cutToSeconds(world.ms)]
      world.ms += frozenMs
      clock.observe(dateMs, asked)
      expect(Math.abs(clock.nowMs() - world.ms)).toBeLessThanOrEqual(1000)
    }
  })

  test('is not what a new environment sets its clock by: it asks again, and decides nothing where that answer is late as well', async () => {
    const late = ({ world, clock }: ReturnType<typeof machine>) => {
      const [asked, dateMs] = [clock.moment(), world.ms]
      world.ms += 40_000
      clock.observe(dateMs, asked)
    }
    const soon = machine(-3_600_000)
    let asked = 0
    await thaw(soon.clock, async () => {
      asked += 1
      if (asked === 1) late(soon)
      else soon.answer()
    })
    expect(soon.clock.nowMs()).toBe(soon.world.ms)
    const never = machine(-3_600_000)
    await expect(thaw(never.clock, async () => late(never))).rejects.toThrow('too late')
  })

  test('does not hide that the steady clock stood still meanwhile', () => {
    const local = { wall: 1_000_000, steady: 500 }
    const clock = new StoreClock({ wallMs: () => local.wall, steadyMs: () => local.steady })
    clock.observe(1_000_000)
    const asked = clock.moment()
    local.wall += 60_000
    clock.observe(1_001_000, asked)
    expect(clock.wasFrozen()).toBe(true)
  })
})

describe('an environment that was frozen for a minute', () => {
  /** The wall clock ran on; the steady clock stood still or ran on as well. */
  const frozen = (steadyPassedMs: number) => {
    const local = { wall: 1_000_000, steady: 500 }
    const clock = new StoreClock({ wallMs: () => local.wall, steadyMs: () => local.steady })
    clock.observe(1_000_000)
    local.wall += 60_000
    local.steady += steadyPassedMs
    return clock
  }

  test('asks the store for its time where its steady clock stood still, and is not a minute behind', async () => {
    const clock = frozen(0)
    expect(clock.nowMs()).toBe(1_001_000)
    await thaw(clock, async () => clock.observe(1_060_000))
    expect(clock.nowMs()).toBe(1_060_000)
  })

  test('decides nothing by its own time where the store does not answer', async () => {
    let asked = 0
    const ask = () => {
      asked += 1
      return Promise.reject(new Error('away'))
    }
    await expect(thaw(frozen(0), ask)).rejects.toThrow('away')
    expect(asked).toBe(2)
  })

  test('asks nothing where its steady clock ran on', async () => {
    let asked = 0
    await thaw(frozen(60_000), async () => (asked += 1))
    expect(asked).toBe(0)
  })
})

test('an environment that has just started asks the store for its time, because its own clock may be wrong', async () => {
  const { clock, answer } = machine(-3_600_000)
  await thaw(clock, async () => answer())
  expect(clock.nowMs()).toBe(NOON)
  await thaw(clock, () => Promise.reject(new Error('asked again')))
})

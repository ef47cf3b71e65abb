import { expect, test } from 'vitest'
import { isSwitchNeedless, onceFromOf, sendsSwitch, sleepUntilOf, switchDelaySeconds } from '../../shared/core/chain.ts'
import { newShard } from '../../shared/core/shard.ts'
import { NEVER } from '../../shared/core/time/instants.ts'

const SHARD = { ...newShard(1000), leaseUntil: 1006, auditedThrough: 980 }

test('one-time jobs matter from the audit on, or from the first gap that is not worked off', () => {
  expect(onceFromOf(SHARD)).toBe(980)
  const gap = (from: number) => ({ from, to: from + 50, openedAt: 990, afterJob: null })
  expect(onceFromOf({ ...SHARD, backlog: [gap(700), gap(400)] })).toBe(399)
})

test('a switch is sent whenever the fence passes a multiple of five seconds', () => {
  expect(sendsSwitch(1000, 1004)).toBe(false)
  expect(sendsSwitch(1004, 1005)).toBe(true)
  expect(sendsSwitch(1004, 1017)).toBe(true)
})

test('a switch is needless once the chain went on, and while the shard sleeps', () => {
  expect(isSwitchNeedless(SHARD, 996)).toBe(false)
  expect(isSwitchNeedless(SHARD, 995)).toBe(true)
  expect(isSwitchNeedless({ ...SHARD, sleepUntil: 2000 }, 1000)).toBe(true)
})

test('a switch that is still needed comes back after the lease, or soon where that is over', () => {
  expect(switchDelaySeconds(SHARD, 1002)).toBe(5)
  expect(switchDelaySeconds(SHARD, 1006)).toBe(7)
})

test('a shard sleeps only where nothing is due for two and a half minutes', () => {
  expect(sleepUntilOf(1150, 1000)).toBeNull()
  expect(sleepUntilOf(1151, 1000)).toBe(1151)
  expect(sleepUntilOf(NEVER, 1000)).toBe(1000 + 86_400)
})

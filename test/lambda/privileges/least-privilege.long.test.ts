// Every function may do what it does, and no more. Functions run as they are deployed; proxies in front of the engines write down what each
// asks for, and IAM's own rules judge it by the policies of the template.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FunctionName } from '../../../shared/aws/limits.ts'
import { writeHandlers } from '../handlers-file.ts'
import { type LambdaScheduler, startLambdaScheduler, synthesiseHere } from '../lambda-scheduler.ts'
import { BadWeather } from './bad-weather.ts'
import { Crew } from './crew.ts'
import { FIRST_CODE } from './deployments.ts'
import { isAllowed, kindsOf } from './judge.ts'
import { type AccessRequest, requestsOf } from './requests.ts'
import { play } from './scenario.ts'
import { Uses } from './uses.ts'

let scheduler: LambdaScheduler
let requests: AccessRequest[]
let uses: Uses

beforeAll(async () => {
  scheduler = await startLambdaScheduler(synthesiseHere({ handlers: writeHandlers(FIRST_CODE) }))
  const weather = new BadWeather()
  scheduler.weather.fateOf = (call) => weather.fateOf(call)
  const crew = new Crew(scheduler)
  uses = new Uses(scheduler)
  try {
    await play(scheduler, crew, weather, uses)
  } finally {
    crew.stop()
  }
  requests = scheduler.calls.flatMap(requestsOf)
}, 900_000)

afterAll(() => scheduler.stop())

const NAMES: readonly FunctionName[] = ['tick', 'switch', 'minute', 'fast', 'slow', 'dead', 'api', 'deploy']

test.each(NAMES)('all that the function %s does is allowed', async (name) => {
  const mine = kindsOf(requests.filter(({ by }) => by === name))
  expect(mine.length).toBeGreaterThan(0)
  const refused: AccessRequest[] = []
  for (const each of mine) if (!(await isAllowed(scheduler.functions[name].policy, each))) refused.push(each)
  expect(refused).toEqual([])
})

test.each(NAMES)('all that the function %s is allowed it does', (name) => {
  expect(uses.unusedBy(name)).toEqual([])
})

test('the judge refuses a key of another kind, a request that mixes kinds, and one that names no key', async () => {
  const { policy } = scheduler.functions.switch
  const asked = (leadingKeys: string[]) => {
    const [known] = requests.filter(({ by, action }) => by === 'switch' && action === 'dynamodb:GetItem')
    return isAllowed(policy, { ...known, leadingKeys })
  }
  expect(await asked(['SHARD#0000'])).toBe(true)
  expect(await asked(['KEY'])).toBe(false)
  expect(await asked(['SHARD#0000', 'KEY'])).toBe(false)
  expect(await asked([])).toBe(false)
})

// What happens in a scheduler in some months, told in minutes.

import { SYSTEM } from '../../../shared/core/actor.ts'
import { eventually } from '../../support/real-stack.ts'
import { type LambdaScheduler, startLambdaScheduler } from '../lambda-scheduler.ts'
import type { BadWeather } from './bad-weather.ts'
import type { Crew } from './crew.ts'
import { deployAgain, deployFirst } from './deployments.ts'
import { tourOfApi, tourOfRuns } from './tour-of-api.ts'
import type { Uses } from './uses.ts'
import { CATCH_UP, makeLongLine, makeSlow, saveFinite, saveWork, stopWork } from './work.ts'

export async function play(scheduler: LambdaScheduler, crew: Crew, weather: BadWeather, uses: Uses): Promise<void> {
  const begunMs = Date.now()
  const say = (what: string) => console.log(`${((Date.now() - begunMs) / 1000).toFixed(0)} s: ${what}`)
  await beforeTheFirstDeployment(scheduler)
  await deployFirst(scheduler)
  await tourOfApi(crew)
  say('the API was toured')
  await crew.rig.runMinuteRule()
  for (const executor of ['fast', 'slow', 'dead'] as const) {
    await work(crew, executor, uses)
    say(`${executor} has worked`)
  }
  await tourOfRuns(crew)
  say('runs were looked at')
  await refusedByTicker(crew, weather)
  say('the ticker ended what queues refused')
  await finite(crew, uses)
  say('jobs ended by themselves')
  await editOfCalendar(scheduler, crew)
  say('an edit reached many jobs')
  await asleep(crew, weather, uses)
  say('the minute rule ended what queues refused')
  await deployAgain(scheduler, crew)
  say('the code was deployed again')
}

/** The minute rule may come before the first deployment is through. */
async function beforeTheFirstDeployment(scheduler: LambdaScheduler): Promise<void> {
  const early = await startLambdaScheduler(scheduler.stack)
  await (await early.start('minute')).invoke({})
  await early.stop()
  scheduler.calls.push(...early.calls)
}

/** A stretch without ticks in the middle of it: then there is a gap to fill and an audit that lags. */
async function work(crew: Crew, executor: 'fast' | 'slow' | 'dead', uses: Uses): Promise<void> {
  crew.changeExecutor(executor)
  await saveWork(crew, executor)
  await makeLongLine(crew, executor, 200)
  await crew.wait(5)
  crew.jump(700)
  // How long it takes until all has happened depends on the machine.
  for (let rounds = 0; rounds < 8 && uses.unusedBy(executor).length > 0; rounds++) {
    await makeSlow(crew, executor)
    await crew.wait(8)
  }
  await stopWork(crew, executor)
}

async function refusedByTicker(crew: Crew, weather: BadWeather): Promise<void> {
  await makeLongLine(crew, 'refused', 20_000)
  await crew.save('plain-refused', 'echo', { schedules: [{ every: 1 }] })
  await crew.wait(5)
  crew.pauseExecutors(true)
  weather.refused = 'tick'
  crew.jump(100)
  await crew.wait(10)
  weather.refused = null
  crew.pauseExecutors(false)
  await stopWork(crew, 'refused')
}

/** The ticker stops jobs after their last instant, and deletes them an hour later. When it comes to that depends on the machine. */
async function finite(crew: Crew, uses: Uses): Promise<void> {
  await saveFinite(crew)
  for (let hours = 0; hours < 10 && uses.unusedBy('tick').length > 0; hours++) {
    await crew.wait(10)
    crew.jump(3700)
    await crew.rig.runMinuteRule()
  }
}

const MANY = 210

/** A request that broke off before its edit reached any job: the minute rule carries it on, a bunch at a time. */
async function editOfCalendar({ stores }: LambdaScheduler, crew: Crew): Promise<void> {
  await crew.ask('PUT /v1/calendars/default/many', { dates: ['2099-12-24'] })
  const target = { type: 'handler', handler: 'echo' }
  const items = Array.from({ length: MANY }, (_, n) => ({
    put: {
      namespace: 'default',
      name: `edited-${n}`,
      schedules: [n % 2 === 0 ? { at: '2099-01-01T00:00:00Z' } : { cron: '0 0 1 1 *' }],
      calendars: ['default/many'],
      payload: { text: 'z'.repeat(1100) },
      target,
      ...CATCH_UP,
    },
  }))
  await crew.ask('POST /v1/jobs/batch', { items })
  const audit = {
    id: 'edit',
    atMs: crew.nowMs(),
    by: SYSTEM,
    action: 'calendar.put',
    namespace: 'default',
    target: 'default/many',
    reason: null,
    operation: null,
    versionBefore: 1,
    versionAfter: 2,
    changes: [],
    requestId: null,
  } as const
  const value = { description: '', dates: ['2099-12-31'] }
  await stores.calendars.write({ namespace: 'default', name: 'many', value, expectedVersion: 1, audit })
  await stores.pendingEdits.put({ namespace: 'default', name: 'many', afterJob: null })
  for (let minutes = 0; minutes < 2; minutes++) await crew.rig.runMinuteRule()
}

/** A chain that sleeps with runs to come back to: one on a page that no executor ran, one to be tried again, many in line, on both lanes. */
async function asleep(crew: Crew, weather: BadWeather, uses: Uses): Promise<void> {
  const then = [{ on: 'failure', job: 'default/follower-asleep' }]
  await makeLongLine(crew, 'asleep', 20_000)
  const retry = { attempts: 3, delay: 3000, maxDelay: 3000 }
  await crew.save('long-asleep', 'hold', { schedules: [{ every: 1 }], timeout: 120, payload: { ms: 20_000 } })
  await crew.save('again-asleep', 'fail', { schedules: [{ every: 2 }], retry, then, ...CATCH_UP })
  await crew.wait(8)
  crew.pauseExecutors(true)
  await crew.save('plain-asleep', 'echo', { schedules: [{ every: 1 }] })
  await crew.wait(5)
  await stopWork(crew, 'asleep')
  for (let sleeps = 0; sleeps < 3; sleeps++) {
    await eventually(() => crew.isAsleep(), 30_000)
    crew.jump(400)
    if (sleeps === 2) weather.refused = 'minute'
    await crew.rig.runMinuteRule()
  }
  for (let rounds = 0; rounds < 5 && uses.unusedBy('minute').length > 0; rounds++) {
    crew.jump(4000)
    await crew.rig.runMinuteRule()
  }
  weather.refused = null
  crew.pauseExecutors(false)
}

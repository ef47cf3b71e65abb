// Three deployments of one stack, each with other code.

import { eventually } from '../../support/real-stack.ts'
import type { LambdaEnvironment } from '../environment.ts'
import { writeHandlers } from '../handlers-file.ts'
import { type LambdaScheduler, synthesiseHere } from '../lambda-scheduler.ts'
import type { Crew } from './crew.ts'

const HANDLERS = `
  echo: ({ payload }) => payload,
  hold: async ({ payload, signal }) => {
    await new Promise((resolve) => { setTimeout(resolve, payload.ms); signal.addEventListener('abort', resolve) })
  },
  fail: ({ attempt, payload }) => { if (attempt <= (payload.times ?? 9)) throw new Error('was to fail') },
`
const THREE = [1, 2, 3]
const beside = (name: string, fields: string) => `'${name}': { run: () => null, ${fields} },\n`
const night = (letter: string, fields = '') =>
  `schedule: '0 2 * * *', payload: { text: '${letter}'.repeat(2000) }, ${fields}`

const nightly = (letter: string, fields = '') =>
  THREE.map((n) => beside(`nightly-${n}`, night(letter, fields))).join('')

/** With large payloads, which lie apart, and an end, after which the job is to be deleted. */
const ENDING = `endAt: '2090-01-01T00:00:00Z', deleteAfter: '1d', misfire: { policy: 'CATCH_UP', window: '1h' },`
/** Is over soon after the first deployment, and edited by the second when it has long stopped by itself. */
const SOON = new Date(Date.now() + 60_000).toISOString().replace(/\.\d+/, '')
const ENDS_SOON = `endAt: '${SOON}', deleteAfter: '300d',`
const brief = (priority: number) => beside('brief', `schedule: 'every 1s', priority: ${priority}, ${ENDS_SOON}`)

export const FIRST_CODE = HANDLERS + brief(1) + nightly('a', ENDING)
const SECOND_CODE =
  HANDLERS + brief(2) + nightly('b', `${ENDING} calendars: ['default/used'], template: 'default/used',`)
/** The nightly jobs have gone; jobs that were due once by hand are the code's now, and one is due soon. */
const THIRD_CODE =
  HANDLERS + THREE.map((n) => beside(`taken-${n}`, night('c'))).join('') + beside('soon', `schedule: 'every 60s',`)

const deploy = async (environment: Promise<LambdaEnvironment>) => (await environment).invoke({})

export const deployFirst = (scheduler: LambdaScheduler) => deploy(scheduler.start('deploy'))

export async function deployAgain(scheduler: LambdaScheduler, crew: Crew): Promise<void> {
  const once = { schedules: [{ at: '2099-01-01T00:00:00Z' }] }
  for (const n of THREE) await crew.save(`taken-${n}`, 'echo', once)
  await deploy(scheduler.start('deploy', synthesiseHere({ handlers: writeHandlers(SECOND_CODE) })))
  await eventually(() => crew.isAsleep(), 60_000)
  await deploy(scheduler.start('deploy', synthesiseHere({ handlers: writeHandlers(THIRD_CODE) })))
  await eventually(async () => !(await crew.isAsleep()), 30_000)
  // A chain that sleeps is woken by a request, too.
  await crew.ask('DELETE /v1/jobs/default/soon?force=true')
  await eventually(() => crew.isAsleep(), 60_000)
  crew.restartApi()
  await crew.ask('GET /v1/jobs/default/toured')
  await crew.save('waker', 'echo', { schedules: [{ every: 1 }] })
  await eventually(async () => !(await crew.isAsleep()), 30_000)
}

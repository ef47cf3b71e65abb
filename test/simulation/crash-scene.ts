// A short scene in which everything that processes do happens at least once: pages and single runs, locks of every kind, retries, long
// runs, what follows a run, stops, runs by hand, and every way to change a job. A script says who dies in it, and where.

import { rescheduleJob, startJob } from '../../shared/flow/manage-jobs.ts'
import { createRandom } from '../support/random-cron/random.ts'
import { asking, byHand, Client } from './client.ts'
import type { Body } from './fleet.ts'
import { Recorder } from './recorder.ts'
import { type CrashPoint, ScriptedWeather } from './scripted-weather.ts'
import { drain, type Simulated } from './simulate.ts'
import { SimStack } from './stack.ts'
import { SimTime } from './time.ts'

const START = Date.parse('2027-02-10T10:00:20Z') / 1000
const SECONDS = 24
const iso = (second: number): string => new Date(second * 1000).toISOString()

const job = (name: string, acts: string, ms: number, part: object): Body => ({
  name,
  target: { type: 'handler', handler: 'act' },
  payload: { acts, ms },
  timeout: 5,
  ...part,
})

/** The jobs of the scene, which begins at a second. */
export const castAt = (start: number): Body[] => [
  job('follower', 'quick', 10, { schedules: [{ every: 86_400 }], block: { strategy: 'CONCURRENT', max: 9 } }),
  job('often', 'quick', 10, { schedules: [{ every: 2 }], block: { strategy: 'CONCURRENT', max: 50 } }),
  job('serial', 'takes', 3000, { schedules: [{ every: 4 }], block: { strategy: 'SERIAL' }, retry: { attempts: 1 } }),
  job('cover', 'takes', 4000, { schedules: [{ every: 5 }], block: { strategy: 'COVER' } }),
  job('discard', 'takes', 4000, { schedules: [{ every: 6 }], block: { strategy: 'DISCARD' } }),
  job('fails', 'throws', 10, {
    schedules: [{ every: 9 }],
    retry: { attempts: 1, delay: 1, maxDelay: 2 },
    then: [{ on: 'failure', job: 'default/follower' }],
  }),
  job('refused', 'refused', 10, {
    schedules: [{ every: 7 }],
    retry: { attempts: 1 },
    then: [{ on: 'failure', job: 'default/follower' }],
  }),
  job('long', 'takes', 7000, { schedules: [{ every: 11 }], timeout: 70, retry: { attempts: 1 } }),
  job('once', 'quick', 10, { schedules: [{ at: iso(start + 14) }], history: { keepDetail: true } }),
  job('stopping', 'hangs', 4000, {
    schedules: [{ every: 8 }, { kind: 'stop', every: 10 }, { kind: 'restart', every: 21 }],
  }),
]

export async function crashScene(seed: number, points: readonly CrashPoint[]): Promise<Simulated> {
  const random = createRandom(seed)
  const time = new SimTime(START * 1000)
  const recorder = new Recorder(time.nowMs)
  const weather = new ScriptedWeather(points)
  const stack = new SimStack({ time, recorder, random, weather, shardCount: 1, hopSeconds: 1, visibilityMs: 15_000 })
  const client = new Client(stack, random, { start: START, seconds: SECONDS, hasRetries: true }, [])
  const at = (second: number) => (START + second) * 1000
  recorder.add({ op: 'phase', phase: 'storm' }, 'world')
  stack.start()
  time.at(at(1), () => void saveAll(client))
  const { ask } = client
  time.at(at(12), () => void ask('trigger', 'serial', byHand('a'), { key: 'a' }))
  time.at(at(13), () => void client.stop('discard', { queued: 'cancel' }))
  time.at(at(15), () => void ask('reschedule', 'often', (world, of) => rescheduleJob(world, of, START + 19, asking)))
  time.at(at(16), () => void ask('start', 'discard', (world, of) => startJob(world, of, asking)))
  time.at(at(17), () => void client.save(job('cover', 'quick', 10, { schedules: [{ every: 3 }] })))
  time.at(at(18), () => void client.remove('fails'))
  await time.run(at(SECONDS))
  weather.isOver = true
  recorder.add({ op: 'phase', phase: 'calm' }, 'world')
  recorder.add({ op: 'phase', phase: 'drain' }, 'world')
  for (const { name } of castAt(START)) time.at(time.nowMs(), () => void client.stop(name))
  await drain(stack)
  recorder.add({ op: 'phase', phase: 'end' }, 'world')
  stack.stop()
  return {
    seed,
    climate: 'crash points',
    history: { shardCount: 1, events: recorder.events },
    hash: recorder.digest(),
    faults: recorder.faults,
    simulatedSeconds: SECONDS,
    calls: weather.calls,
  }
}

async function saveAll(client: Client): Promise<void> {
  for (const body of castAt(START)) await client.save(body)
}

// One ticker is frozen when the next event is long on its way, with the last answer of the store in hand. Users see nothing of that.

import { expect, test } from 'vitest'
import { createRandom } from '../support/random-cron/random.ts'
import { Client } from './client.ts'
import { perSecond } from './fleet.ts'
import { eventsOf, nameOf } from './invariants/view.ts'
import type { Process, Strike } from './process.ts'
import { Recorder } from './recorder.ts'
import { ScriptedWeather } from './scripted-weather.ts'
import { SimStack } from './stack.ts'
import { SimTime } from './time.ts'

const START = Date.parse('2027-02-10T10:00:00Z') / 1000
const [FROZEN_AT, FROZEN_SECONDS, SECONDS] = [20, 40, 150]
/** Saving takes a while, and what comes last may be under way. */
const [FROM, TO] = [10, SECONDS - 2]
const ON_TIME_MS = 2000

/** Good weather, but for one ticker that is frozen at the last call of a link. */
class OneFrost extends ScriptedWeather {
  readonly #isTime: () => boolean
  #isOver = false
  /** Before the link that sent it has ended: so every ticker has its turn. */
  override deliveriesMs = (): number[] => [1]

  constructor(isTime: () => boolean) {
    super([])
    this.#isTime = isTime
  }

  override strike({ kind }: Process, call: string): Strike | null {
    if (this.#isOver || kind !== 'tick' || call !== 'shards.moveAudited' || !this.#isTime()) return null
    this.#isOver = true
    return { fault: 'pause', when: 'after', ms: FROZEN_SECONDS * 1000 }
  }
}

test('a ticker that was frozen for 40 s ends no chain that it is given next: every run starts on its second', async () => {
  const random = createRandom(1)
  const time = new SimTime(START * 1000)
  const recorder = new Recorder(time.nowMs)
  const weather = new OneFrost(() => time.nowMs() >= (START + FROZEN_AT) * 1000)
  const stack = new SimStack({ time, recorder, random, weather, shardCount: 2, hopSeconds: 1, visibilityMs: 540_000 })
  const client = new Client(stack, random, { start: START, seconds: SECONDS, hasRetries: true }, [])
  stack.start()
  const bodies = Array.from({ length: 4 }, (_, place) => perSecond(place))
  time.at((START + 1) * 1000, () => void Promise.all(bodies.map((body) => client.save(body))))
  await time.run((START + SECONDS) * 1000)
  stack.stop()
  const history = { shardCount: 2, events: recorder.events }
  expect(eventsOf(history, 'fault')).toHaveLength(1)
  const starts = eventsOf(history, 'start')
    .map(({ runId, ms }) => ({ second: nameOf(runId).second - START, lateMs: ms - nameOf(runId).second * 1000 }))
    .filter(({ second }) => second >= FROM && second < TO)
  expect(starts.filter(({ lateMs }) => lateMs > ON_TIME_MS)).toEqual([])
  expect(starts).toHaveLength(bodies.length * (TO - FROM))
})

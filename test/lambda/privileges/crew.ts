// A scheduler at work: the tests' rig around functions under Lambda's runtime client, with the time of the store moved on by the
// test where waiting would take hours.

import { type Environment, REAL_TIME } from '../../../local/host/pool.ts'
import { ENV } from '../../../shared/aws/env.ts'
import type { FunctionName } from '../../../shared/aws/limits.ts'
import { pause } from '../../support/real-stack.ts'
import { Rig } from '../../support/rig/rig.ts'
import type { LambdaEnvironment } from '../environment.ts'
import { type ApiAnswer, type ApiAsked, askApi, type LambdaScheduler } from '../lambda-scheduler.ts'

export class Crew {
  readonly scheduler: LambdaScheduler
  readonly rig: Rig
  /** The function that serves both lanes. All executors are one bundle; each is to meet everything that can happen to one. */
  executor: FunctionName = 'fast'
  #api: Promise<LambdaEnvironment> | null = null
  readonly #delivery: NodeJS.Timeout

  constructor(scheduler: LambdaScheduler) {
    this.scheduler = scheduler
    this.rig = new Rig({
      time: REAL_TIME,
      queues: scheduler.queues,
      executors: 3,
      hasMinuteRule: false,
      makeExecutor: () => this.#make(this.executor),
      makeDeadLetters: () => this.#make('dead'),
      makeTick: () => this.#make('tick'),
      makeSwitch: () => this.#make('switch'),
      makeMinute: () => this.#make('minute'),
    })
    this.#delivery = setInterval(() => {
      for (const { Detail } of scheduler.events.splice(0)) this.rig.takeEvent({ detail: JSON.parse(Detail) })
    }, 20)
    this.rig.start()
  }

  #make<Event, Result>(name: FunctionName): Environment<Event, Result> {
    const starting = this.scheduler.start(name)
    return {
      handle: async (event) => (await starting).invoke<Result>(event ?? {}),
      kill: () => void starting.then((environment) => environment.kill()),
    }
  }

  /** Other environments serve the lanes from now on. */
  changeExecutor(name: FunctionName): void {
    this.executor = name
    for (const pool of [this.rig.executors.fast, this.rig.executors.slow]) pool.kill()
  }

  /** The next request is served by an environment that knows nothing yet. */
  restartApi(): void {
    this.#api = null
  }

  async isAsleep(): Promise<boolean> {
    return ((await this.scheduler.stores.shards.read(0))?.sleepUntil ?? null) !== null
  }

  /** As an admin; what does not succeed is thrown. */
  async ask(request: string, body?: unknown, more: Omit<ApiAsked, 'body'> & { readonly status?: number } = {}) {
    this.#api ??= this.scheduler.start('api')
    const { functions, parameters } = this.scheduler
    const key = parameters.get(functions.deploy.environment[ENV.adminKeyParameter]) ?? ''
    const answer: ApiAnswer = await askApi(await this.#api, functions.api, key, request, { ...more, body })
    const isWanted = more.status === undefined ? answer.status < 300 : answer.status === more.status
    if (!isWanted) throw new Error(`${request}: ${answer.status} ${JSON.stringify(answer.json)}`)
    return answer
  }

  save(name: string, handler: string, more: object = {}) {
    const body = { schedules: [{ cron: '0 0 1 1 *' }], target: { type: 'handler', handler }, ...more }
    return this.ask(`PUT /v1/jobs/default/${name}`, body)
  }

  async trigger(name: string): Promise<string> {
    return (await this.ask(`POST /v1/jobs/default/${name}/trigger`, {})).json.id
  }

  /** The store's time, as functions see it. */
  nowMs(): number {
    return Date.now() + this.scheduler.weather.aheadMs
  }

  at(seconds: number): string {
    return new Date(this.nowMs() + seconds * 1000).toISOString().replace(/\.\d+/, '')
  }

  jump(seconds: number): void {
    this.scheduler.weather.aheadMs += seconds * 1000
  }

  wait(seconds: number): Promise<unknown> {
    return pause(seconds * 1000)
  }

  pauseExecutors(isPaused: boolean): void {
    for (const lane of ['fast', 'slow'] as const) this.rig.pollers[lane].isPaused = isPaused
  }

  stop(): void {
    clearInterval(this.#delivery)
    this.rig.stop()
  }
}

// Plays a scene on dynoxide and fauxqs in driven time and says what it used.

import { startStore } from '../../local/engines/dynamodb.ts'
import { countCapacity } from '../../test/support/engines/capacity.ts'
import { enginesAt, type RealEngines } from '../../test/support/engines/for-scheduler.ts'
import { START, TestScheduler } from '../../test/support/test-scheduler.ts'
import { fill } from '../fill.ts'
import { BUS_DELIVERY_MS, HANDLER_MS, memoryMbFor } from './deployment.ts'
import { type CountedStore, Meter } from './meter.ts'
import type { Scene } from './scenes.ts'
import { storedBytes } from './stored.ts'
import type { Usage } from './usage.ts'

export interface Stage {
  play(scene: Scene): Promise<Usage>
  close(): Promise<void>
}

export async function openStage(hopSeconds: number, progress: (what: string) => void): Promise<Stage> {
  const store = await startStore()
  const engines = await enginesAt(store.endpoint)
  const counted = countCapacity(engines.client)
  return {
    play: (scene) => play(scene, engines, counted, hopSeconds, progress),
    close: async () => {
      await engines.stop()
      await store.stop()
    },
  }
}

async function play(
  scene: Scene,
  { client, make }: RealEngines,
  counted: CountedStore,
  hopSeconds: number,
  progress: (what: string) => void,
): Promise<Usage> {
  progress(`${scene.to - scene.from} s: ${scene.name} …`)
  const { tableName, ...engines } = await make()
  await fill({ client, tableName }, scene.bodies, START, progress)
  const memoryMb = memoryMbFor(scene.jobsPerShard)
  const meter = new Meter(counted, memoryMb)
  const scheduler: TestScheduler = new TestScheduler({
    engines,
    hopSeconds,
    deliveries: () => [BUS_DELIVERY_MS],
    handlers: ({ time }) => ({ echo: () => time.until(time.nowMs() + HANDLER_MS) }),
    see: (world) => meter.see(() => scheduler, world, memoryMb.tick),
    seeExecutor: (world) => meter.see(() => scheduler, world, memoryMb.fast),
  })
  meter.attach(scheduler)
  scheduler.rig.start()
  try {
    await scheduler.run(scene.from)
    if (scene.isCold === true) scheduler.rig.ticks.kill()
    const before = await storedBytes(client, tableName)
    meter.begin(scheduler)
    await scheduler.run(scene.to)
    const usage = meter.read(scheduler, 0)
    const [error] = scheduler.errors
    if (error !== undefined) throw new Error(`${scene.name}: a function failed`, { cause: error })
    return { ...usage, storedBytes: (await storedBytes(client, tableName)) - before }
  } finally {
    await scheduler.close()
  }
}

// The page depths of any past second. The page of a run is found by the depth of its second.

import { hourOf } from '../core/time/units.ts'
import type { Stores } from '../ports.ts'

export type DepthsWorld = Pick<Stores, 'shards'>

/** In the shard item while it is recent, in its minute's item afterwards. */
export class Depths {
  readonly #world: DepthsWorld
  readonly #shard: number
  #recent: Promise<ReadonlyMap<number, number>> | null = null
  readonly #hours = new Map<number, Promise<ReadonlyMap<number, number>>>()

  constructor(world: DepthsWorld, shard: number) {
    this.#world = world
    this.#shard = shard
  }

  /** Undefined for a second that was a gap, or was not opened yet. */
  async at(second: number): Promise<number | undefined> {
    this.#recent ??= this.#world.shards.read(this.#shard).then((item) => item?.depths ?? new Map())
    const recent = (await this.#recent).get(second)
    return recent ?? (await this.#ofHour(hourOf(second))).get(second)
  }

  async ofMinute(minute: number): Promise<Map<number, number>> {
    const found = new Map<number, number>()
    for (let second = minute * 60; second < (minute + 1) * 60; second++) {
      const depth = await this.at(second)
      if (depth !== undefined) found.set(second, depth)
    }
    return found
  }

  /** Whether nothing was opened in a whole hour, as far as its minutes and the shard item tell. */
  async isIdleHour(hour: number): Promise<boolean> {
    this.#recent ??= this.#world.shards.read(this.#shard).then((item) => item?.depths ?? new Map())
    const isRecent = [...(await this.#recent).keys()].some((second) => hourOf(second) === hour)
    return !isRecent && (await this.#ofHour(hour)).size === 0
  }

  #ofHour(hour: number): Promise<ReadonlyMap<number, number>> {
    const known = this.#hours.get(hour)
    if (known !== undefined) return known
    const read = this.#world.shards
      .minutes(this.#shard, hour)
      .then((minutes) => new Map(minutes.flatMap(({ depths }) => [...depths])))
    this.#hours.set(hour, read)
    return read
  }
}

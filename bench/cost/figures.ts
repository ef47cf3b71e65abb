// From what scenes used to what is asked: dollars a million triggers, a shard's month and a fleet's. The names are those of the command's JSON.

import { type Bill, billOf, SERVICES, type Service, totalOf } from './bill.ts'
import { ALARM_METRICS } from './deployment.ts'
import { add, millionOf, monthOf, onTopOf, type Usage } from './usage.ts'

/** What each scene used. */
export interface Played {
  readonly awake: Usage
  readonly asleep: Usage
  readonly byPage: Readonly<Record<'1' | '24' | '60', Usage>>
  /** At 24 a page, with locks. */
  readonly serial: Usage
  readonly fleets: Readonly<Record<'everySecond' | 'fullMinutes' | 'hourly', Usage>>
}

/** Of one service: a shard's month awake and asleep, and a million triggers at 24 a page without locks. */
export interface ServiceLine {
  readonly awake: number
  readonly asleep: number
  readonly perMillion: number
}

export interface Figures {
  readonly perMillionTriggers: number
  readonly perMillionTriggersSerial: number
  readonly perShardMonthAwake: number
  readonly perShardMonthAsleep: number
  readonly byPage: Readonly<Record<'1' | '24' | '60', number>>
  readonly services: Readonly<Record<Service, ServiceLine>>
  readonly fleets: Readonly<Record<'everySecond' | 'fullMinutes' | 'hourly', number>>
}

const monthBill = (usage: Usage): Bill => billOf(monthOf(usage), ALARM_METRICS)

export const perMillionBill = (usage: Usage, awake: Usage): Bill => billOf(millionOf(onTopOf(usage, awake)))

const mapValues = <Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  map: (value: From) => To,
): Record<Key, To> =>
  Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, map(value)])) as Record<Key, To>

export function figuresOf({ awake: idle, asleep, byPage, serial, fleets }: Played): Figures {
  // A shard that is awake has the metrics of one that fires.
  const awake = { ...idle, metrics: add(idle, byPage['24']).metrics }
  const awakeBill = monthBill(awake)
  const asleepBill = monthBill(asleep)
  const millionBill = perMillionBill(byPage['24'], awake)
  const perMillion = (usage: Usage) => totalOf(perMillionBill(usage, awake))
  return {
    perMillionTriggers: totalOf(millionBill),
    perMillionTriggersSerial: perMillion(serial),
    perShardMonthAwake: totalOf(awakeBill),
    perShardMonthAsleep: totalOf(asleepBill),
    byPage: mapValues(byPage, perMillion),
    services: Object.fromEntries(
      SERVICES.map((name): [Service, ServiceLine] => [
        name,
        { awake: awakeBill[name], asleep: asleepBill[name], perMillion: millionBill[name] },
      ]),
    ) as Figures['services'],
    fleets: mapValues(fleets, (usage) => totalOf(monthBill(usage))),
  }
}

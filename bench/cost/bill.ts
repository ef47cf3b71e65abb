// What usage costs, service by service, in dollars.

import { FUNCTIONS, LEDGER_DAYS } from './deployment.ts'
import { PRICES } from './prices.ts'
import type { Usage } from './usage.ts'

export const SERVICES = ['lambda', 'bus', 'sqs', 'table', 'storage', 'logs', 'metrics', 'alarms'] as const
export type Service = (typeof SERVICES)[number]
export type Bill = Readonly<Record<Service, number>>

const MILLION = 1e6
const GB = 1e9
/** What is written is charged in every month in which it is kept. */
const MONTHS_KEPT = LEDGER_DAYS / 30

export function billOf(usage: Usage, alarmMetrics = 0): Bill {
  const { lambda, bus, sqs, table, watching } = PRICES
  const functions = FUNCTIONS.map((name) => usage.functions[name])
  const calls = functions.reduce((sum, each) => sum + each.calls, 0)
  const gbSeconds = functions.reduce((sum, each) => sum + each.gbSeconds, 0)
  const gbMonths = (usage.storedBytes / GB) * MONTHS_KEPT
  return {
    lambda: (calls * lambda.perMillionRequests) / MILLION + gbSeconds * lambda.perGbSecond,
    bus: (usage.busEvents * bus.perMillionEvents) / MILLION,
    sqs: ((usage.queueRequests + usage.emptyPolls) * sqs.perMillionRequests) / MILLION,
    table: (usage.writeUnits * table.perMillionWriteUnits + usage.readUnits * table.perMillionReadUnits) / MILLION,
    storage: gbMonths * (table.perGbMonth + table.perGbMonthOfBackup),
    logs: (usage.logBytes / GB) * watching.perGbOfLogs,
    metrics: usage.metrics.length * watching.perMetricMonth,
    alarms: alarmMetrics * watching.perAlarmMetricMonth,
  }
}

export const totalOf = (bill: Bill): number => SERVICES.reduce((sum, service) => sum + bill[service], 0)

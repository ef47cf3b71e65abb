// The figures as a person reads them: aims, a line for each service, fleets, and what else a team would run.

import { SERVICES, type Service } from './bill.ts'
import { ASSUMPTIONS, HANDLER_MS, MEMORY_MB } from './deployment.ts'
import { type Figures, type Played, perMillionBill } from './figures.ts'
import { OTHERS, PRICES } from './prices.ts'
import { millionOf, monthOf, onTopOf } from './usage.ts'
import { cheaperThanSchedulerFrom, tickringFull, tickringThin } from './volume.ts'

const AIMS = { perMillionTriggers: 0.25, perShardMonthAwake: 13, perShardMonthAsleep: 0.5 } as const

const WORDS: Readonly<Record<Service, string>> = {
  lambda: 'Lambda',
  bus: 'EventBridge bus',
  sqs: 'SQS',
  table: 'DynamoDB requests',
  storage: 'DynamoDB storage',
  logs: 'CloudWatch logs',
  metrics: 'CloudWatch metrics',
  alarms: 'CloudWatch alarms',
}

const dollars = (amount: number): string => `$${amount.toFixed(amount < 1 ? 3 : 2)}`
const millions = (count: number | null): string => (count === null ? 'no number of' : `${(count / 1e6).toFixed(1)} M`)
const row = (words: string, ...amounts: string[]): string =>
  `  ${words.padEnd(34)}${amounts.map((amount) => amount.padStart(12)).join('')}`

/** What is to be said of a figure stands behind it. */
const remark = (words: string, amount: number, said: string): string => `${row(words, dollars(amount))}   ${said}`

const aim = (words: string, amount: number, most: number): string =>
  row(words, dollars(amount), `aim ${dollars(most)}`, amount <= most ? 'hit' : 'MISSED')

const servicesTable = ({ services }: Figures): string[] => [
  row('', 'awake', 'asleep', 'a million'),
  ...SERVICES.map((name) => {
    const { awake, asleep, perMillion } = services[name]
    return row(WORDS[name], dollars(awake), dollars(asleep), dollars(perMillion))
  }),
]

/** What was counted, so that a reader can redo the sums. */
function counts({ awake, asleep, byPage }: Played): string[] {
  const million = millionOf(onTopOf(byPage['24'], awake))
  const all = [monthOf(awake), monthOf(asleep), million]
  const whole = (count: number) => Math.round(count).toLocaleString('en')
  return [
    row('', 'awake', 'asleep', 'a million'),
    ...(['tick', 'switch', 'minute', 'fast'] as const).flatMap((name) => [
      row(`${name}: calls`, ...all.map(({ functions }) => whole(functions[name].calls))),
      row(`${name}: GB-seconds`, ...all.map(({ functions }) => whole(functions[name].gbSeconds))),
    ]),
    row('bus events', ...all.map((usage) => whole(usage.busEvents))),
    row('queue requests', ...all.map((usage) => whole(usage.queueRequests))),
    row('empty polls', ...all.map((usage) => whole(usage.emptyPolls))),
    row('table requests', ...all.map((usage) => whole(usage.tableRequests))),
    row('read units', ...all.map((usage) => whole(usage.readUnits))),
    row('write units', ...all.map((usage) => whole(usage.writeUnits))),
    row('megabytes stored', ...all.map((usage) => whole(usage.storedBytes / 1e6))),
    row('megabytes of logs', ...all.map((usage) => whole(usage.logBytes / 1e6))),
  ]
}

export function report(figures: Figures, played: Played, serialBusy: number): string {
  const { byPage, fleets } = figures
  const perHandlerMs =
    (millionOf(onTopOf(played.byPage['24'], played.awake)).functions.fast.calls / 1000) *
    (MEMORY_MB.fast / 1024) *
    PRICES.lambda.perGbSecond
  const tableOfSerial = perMillionBill(played.serial, played.awake).table
  return [
    `What Tickring costs, in dollars of ${PRICES.readOn} (${PRICES.region}, no free tier)`,
    '',
    'Aims',
    aim('a million triggers, 24 a page', figures.perMillionTriggers, AIMS.perMillionTriggers),
    aim('a shard awake, a month', figures.perShardMonthAwake, AIMS.perShardMonthAwake),
    aim('a shard asleep, a month', figures.perShardMonthAsleep, AIMS.perShardMonthAsleep),
    '',
    'Where the money goes',
    ...servicesTable(figures),
    '',
    'A million triggers on top of a shard that is awake',
    row('1 a page', dollars(byPage['1'])),
    row('24 a page', dollars(byPage['24'])),
    row('60 a page', dollars(byPage['60'])),
    remark(
      '24 a page, SERIAL with locks',
      figures.perMillionTriggersSerial,
      `of it the table ${dollars(tableOfSerial)}`,
    ),
    row('  sixteen such pages in a second', dollars(serialBusy)),
    row(`each 100 ms of handlers above ${HANDLER_MS} ms`, dollars(100 * perHandlerMs)),
    '',
    'A month of a whole fleet',
    row('100 jobs every second', dollars(fleets.everySecond)),
    row('1,000 jobs every full minute', dollars(fleets.fullMinutes)),
    row('10,000 jobs every full hour', dollars(fleets.hourly)),
    '',
    'Beside it',
    remark('EventBridge Scheduler, a million', OTHERS.scheduler.perMillion, 'to the minute, no history'),
    remark('two boxes and a database, a month', OTHERS.boxes.perMonth, 'for XXL-JOB; sizes are an assumption'),
    `  Tickring is cheaper than EventBridge Scheduler above ${millions(cheaperThanSchedulerFrom((n) => tickringFull(figures, n)))} triggers a month at 24 a page,`,
    `  above ${millions(cheaperThanSchedulerFrom((n) => tickringThin(figures, n)))} where they are spread evenly.`,
    '',
    'What was counted: a month awake, a month asleep, a million triggers at 24 a page',
    ...counts(played),
    `  custom metrics awake: ${played.byPage['24'].metrics.length}`,
    '',
    'Assumed',
    ...ASSUMPTIONS.map((words) => `  - ${words}`),
  ].join('\n')
}

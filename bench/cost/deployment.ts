// The deployment that is priced: what the stack sets by default, and what no emulator can measure. A test holds it to the template.

import { settingsOf } from '../../infra/options.ts'
import type { FunctionName, QueueName } from '../../shared/aws/limits.ts'

/** Those that work by themselves; the API works when it is asked, and is left out. */
export const FUNCTIONS = ['tick', 'switch', 'minute', 'fast', 'slow', 'dead'] as const satisfies readonly FunctionName[]
export type CountedFunction = (typeof FUNCTIONS)[number]

const settings = settingsOf({})

/** The ticker and the minute rule hold all jobs of a shard, so more jobs need more memory. */
export function memoryMbFor(jobsPerShard?: number): Readonly<Record<CountedFunction, number>> {
  const { tickMemoryMb: tick, fast, slow } = settingsOf(jobsPerShard === undefined ? {} : { jobsPerShard })
  return { tick, switch: 256, minute: tick, fast: fast.memoryMb, slow: slow.memoryMb, dead: slow.memoryMb }
}

export const MEMORY_MB = memoryMbFor()
export const HOP_SECONDS = settings.hopSeconds
export const LEDGER_DAYS = settings.ledgerDays

/** At most so many calls at once, where a queue's mapping says so. */
export const MOST_CALLS: Readonly<Partial<Record<QueueName, number>>> = {
  fast: settings.fast.mostEnvironments,
  slow: settings.slow.mostEnvironments,
  dead: 2,
}
const QUEUES: readonly QueueName[] = ['fast', 'slow', 'dead', 'watch']

/** Lambda leaves two pollers to an idle queue. Where a mapping says how many calls at once it leaves the five that it began with. */
const [IDLE_POLLERS, FIRST_POLLERS] = [2, 5]
const pollersOf = (queue: QueueName): number => Math.min(MOST_CALLS[queue] ?? IDLE_POLLERS, FIRST_POLLERS)
/** A poll that brings nothing lasts twenty seconds and is a request. */
const POLL_SECONDS = 20
export const POLLS_A_SECOND = QUEUES.reduce((sum, queue) => sum + pollersOf(queue), 0) / POLL_SECONDS

/** An alarm is charged for each metric that it looks at: seven look at one, two at two, and one at five. */
export const ALARM_METRICS = 16

/** From putting an event to the start of its function: the median that was measured on AWS. */
export const BUS_DELIVERY_MS = 148

/** What a service takes to answer. Assumed. */
const ANSWER_MS = { table: 5, queue: 20, bus: 20 } as const
export type Service = keyof typeof ANSWER_MS

/** CPU of one call of the AWS SDK, and an upper bound for all that a run takes, on a whole core: bench/README.md. */
const CPU_MS_A_CALL = 0.7
const CPU_MS_A_RUN = 0.15
const MB_OF_A_CORE = 1769
const coresOf = (memoryMb: number): number => Math.min(1, memoryMb / MB_OF_A_CORE)

/** Whole, because times that are written down are. */
export const callMs = (service: Service, memoryMb: number): number =>
  Math.round(ANSWER_MS[service] + CPU_MS_A_CALL / coresOf(memoryMb))

export const cpuMsOfRuns = (runs: number, memoryMb: number): number => (runs * CPU_MS_A_RUN) / coresOf(memoryMb)

/** What a handler takes; those of a page run side by side. Assumed: it calls one other service. */
export const HANDLER_MS = 50

const named = <Name extends string>(names: readonly Name[], say: (name: Name) => number, unit: string): string =>
  names.map((name) => `${name} ${say(name)}${unit}`).join(', ')

export const ASSUMPTIONS: readonly string[] = [
  `memory as the stack sets it: ${named(FUNCTIONS, (name) => MEMORY_MB[name], ' MB')}; more for more than 5,000 jobs a shard`,
  `a link lives from the delivery of its event, ${BUS_DELIVERY_MS} ms after it was put, until its end in driven time`,
  `an executor lives for its handlers, ${HANDLER_MS} ms, and for its calls as the flow makes them in driven time`,
  `a call takes ${ANSWER_MS.table} ms (table), ${ANSWER_MS.queue} ms (queue) or ${ANSWER_MS.bus} ms (bus), and ${CPU_MS_A_CALL} ms of CPU at the function's share of a core`,
  `a run takes ${CPU_MS_A_RUN} ms of CPU on top, at the executor's share of a core`,
  `pollers of idle queues: ${named(QUEUES, pollersOf, '')}; an empty poll every ${POLL_SECONDS} s each; a batch is one receive and one delete`,
  `alarms look at ${ALARM_METRICS} metrics; Lambda's own log lines are turned off, as the stack does`,
  `history is kept for ${LEDGER_DAYS} days, with point-in-time recovery: a trigger is charged for all of that time`,
  'functions are warm; nothing of a free tier',
  'not in it: the API while it is used, what handlers do elsewhere, traffic out of AWS, the dashboard (from memory $3 a month, three are free), logs that are kept',
]

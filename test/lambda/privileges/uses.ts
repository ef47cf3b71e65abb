// What functions have done so far, in the words of their grants: "dynamodb:GetItem META", or "sqs:SendMessage arn:…". A scenario goes on until
// nothing is left that a function may do and has not done.

import type { FunctionName } from '../../../shared/aws/limits.ts'
import type { LambdaScheduler } from '../lambda-scheduler.ts'
import type { Policy } from '../template.ts'
import { prefixOf, requestsOf } from './requests.ts'

/** What Lambda does with a role, and not the function: it writes its lines, and takes messages for those that have a queue. */
const LINES = /^logs:(CreateLogStream|PutLogEvents) /
const MESSAGES = /^sqs:(ReceiveMessage|DeleteMessage|GetQueueAttributes) /
const HAVE_A_QUEUE: readonly FunctionName[] = ['switch', 'fast', 'slow', 'dead']

const isExempt = (name: FunctionName, grant: string): boolean =>
  LINES.test(grant) || (HAVE_A_QUEUE.includes(name) && MESSAGES.test(grant))

function grantsOf({ Statement }: Policy): string[] {
  return Statement.flatMap(({ Action, Resource, Condition }) => {
    const conditions = Condition?.['ForAllValues:StringLike'] as Record<string, string[]> | undefined
    const prefixes = conditions?.['dynamodb:LeadingKeys'].filter((key) => !key.endsWith('#*'))
    return [Action].flat().flatMap((action) => (prefixes ?? [Resource].flat()).map((each) => `${action} ${each}`))
  })
}

const READS = ['dynamodb:GetItem', 'dynamodb:BatchGetItem']

export class Uses {
  readonly #scheduler: LambdaScheduler
  readonly #uses = new Map<string, Set<string>>()
  #readThrough = 0

  constructor(scheduler: LambdaScheduler) {
    this.#scheduler = scheduler
  }

  /** What a function may do and has not done yet. */
  unusedBy(name: FunctionName): string[] {
    this.#read()
    const mine = this.#uses.get(name)
    return grantsOf(this.#scheduler.functions[name].policy)
      .filter((grant) => mine?.has(grant) !== true && !isExempt(name, grant))
      .sort()
  }

  #read(): void {
    const { calls } = this.#scheduler
    for (const { by, action, resource, leadingKeys } of calls.slice(this.#readThrough).flatMap(requestsOf)) {
      const mine = this.#uses.get(by) ?? new Set()
      this.#uses.set(by, mine)
      // Read alone or together with others: that is granted as one.
      const actions = READS.includes(action) ? READS : [action]
      for (const of of leadingKeys.length === 0 ? [resource] : leadingKeys.map(prefixOf))
        for (const each of actions) mine.add(`${each} ${of}`)
    }
    this.#readThrough = calls.length
  }
}

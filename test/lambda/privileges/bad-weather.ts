// Bad weather: of every kind of conditional write one answer is lost, whatever the SDK tries. Then the function looks itself at what it
// wrote, and that is a read which it makes at no other time. And no queue takes the messages of one function, if a test says so.

import type { Fate, ServiceCall } from '../../../local/engines/proxy.ts'
import type { FunctionName } from '../../../shared/aws/limits.ts'
import { prefixOf, requestsOf } from './requests.ts'

/** Writes that are looked at when their answer is lost; for others the function fails, and its caller comes again. */
const LOOKED_AT: ReadonlySet<string> = new Set(
  ['PAGE', 'RUN', 'LOCKS', 'LOCK', 'STATE', 'SHARD'].map((prefix) => `UpdateItem ${prefix}`).concat('PutItem IDEM'),
)

/** The first of its kind arrives: what is lost is the second. */
const LOST = 2

export class BadWeather {
  /** The function whose messages no queue takes. */
  refused: FunctionName | null = null
  readonly #seen = new Map<string, Set<string>>()
  readonly #lost = new Set<string>()

  fateOf(call: ServiceCall): Fate {
    if (this.#lost.has(call.invocation)) return 'answer lost'
    const { service, by, operation, invocation } = call
    const isOfLane = service === 'sqs' && operation.startsWith('SendMessage') && !call.body.QueueUrl.includes('Watch')
    if (isOfLane && by === this.refused) return 'refused'
    if (service !== 'dynamodb') return 'arrives'
    const prefixes = requestsOf(call).flatMap(({ leadingKeys }) => leadingKeys.map(prefixOf))
    const kind = `${operation} ${prefixes[0]}`
    if (operation !== 'TransactWriteItems' && !LOOKED_AT.has(kind)) return 'arrives'
    const name = `${by} ${operation} ${prefixes.join(' ')}`
    const seen = this.#seen.get(name) ?? new Set()
    this.#seen.set(name, seen.add(invocation))
    if (seen.size !== LOST) return 'arrives'
    this.#lost.add(invocation)
    return 'answer lost'
  }
}

// The door of dead letters: messages that failed every time they came. Each gets one last chance; what still fails is recorded
// as a failed run with the reason, and the letter stays in its queue for an operator to look at.

import type { Handlers } from '../shared/core/handlers.ts'
import { execute } from '../shared/flow/execute/execute.ts'
import { failDeadLetter } from '../shared/flow/execute/fail-dead-letter.ts'
import { FreshChanges } from '../shared/flow/execute/fresh-changes.ts'
import type { ExecutorHost } from '../shared/flow/execute/world.ts'
import { withHandlers } from './deliver.ts'
import type { Execute } from './execute.ts'
import { log, type Output, putMetrics } from './output.ts'
import { eachMessage } from './queue-delivery.ts'
import type { Thawing } from './thaw.ts'

export function makeDeadLetters(host: ExecutorHost & Thawing, known: Handlers, output: Output): Execute {
  const world = withHandlers(host, known)
  const changes = new FreshChanges(world.jobs)
  return async ({ Records }) => {
    await host.thaw()
    return eachMessage(output, Records, async ({ body }) => {
      try {
        await execute(world, changes, body)
      } catch (error) {
        const failed = await failDeadLetter(world, body, String(error))
        log(output, 'error', 'a message could not be carried out', { runs: failed, reason: String(error) })
        putMetrics(output, { deadLetters: 1 })
        throw error
      }
    })
  }
}

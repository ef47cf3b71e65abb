// How runs reach their targets. Only handlers, which are part of the executor, so far.

import type { Handlers } from '../shared/core/handlers.ts'
import type { Deliver, ExecuteWorld, ExecutorHost } from '../shared/flow/execute/world.ts'

export const withHandlers = (host: ExecutorHost, handlers: Handlers): ExecuteWorld => ({
  ...host,
  deliver: { handler: toHandler(handlers) },
})

const toHandler =
  (handlers: Handlers): Deliver =>
  async (target, run) => {
    if (target.type !== 'handler') throw new Error(`a target of type ${target.type} is no handler`)
    const handler = handlers.find(target.handler)
    if (handler === null) {
      throw new Error(
        `there is no handler ${target.handler} in this executor. It has ${handlers.names.join(', ')}; define it with defineHandlers and deploy`,
      )
    }
    return handler(run)
  }

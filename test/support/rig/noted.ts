// Handlers with a watcher: it is told of each attempt just before it begins.

import type { HandlerRun, Handlers } from '../../../shared/core/handlers.ts'

export const noted = (handlers: Handlers, onStart: (run: HandlerRun) => void): Handlers => ({
  ...handlers,
  find: (name) => {
    const handler = handlers.find(name)
    if (handler === null) return null
    return (run) => {
      onStart(run)
      return handler(run)
    }
  },
})

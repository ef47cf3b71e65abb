// Errors that a handler lets go astray: a promise that it does not await, a timer or a listener that throws. Node, or the listeners of a
// Lambda runtime, would end the process for them, and with it every other run that it has; here they are told, and the others go on.

import { log, type Output } from './output.ts'

export function tellUnhandledErrors(output: Output): void {
  const tell = (error: unknown) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log(output, 'error', 'a handler let an error go astray', { reason })
  }
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.removeAllListeners(event)
    process.on(event, tell)
  }
}

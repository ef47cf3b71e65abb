// Errors that a handler lets go astray: a promise nobody waits for, a timer or a listener that throws. Node would end the
// process for them, and with it every other run that it has; here they are told, and the others go on.

import { log, type Output } from './output.ts'

export function tellStrays(output: Output): void {
  const tell = (error: unknown) => {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log(output, 'error', 'a handler let an error go astray', { reason })
  }
  process.on('unhandledRejection', tell)
  process.on('uncaughtException', tell)
}

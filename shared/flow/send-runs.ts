// How a ticker sends runs: what is not acknowledged is sent again by the caller, and what the queue refuses for good ends here, so
// that nothing waits for it. Executors and clients end nothing: what they send stands in the list of open runs, and comes here from there.

import type { Lane } from '../core/lanes.ts'
import { splitMessage } from '../core/run/message.ts'
import type { Message, Refused } from '../ports.ts'
import { endRefused } from './execute/refuse.ts'
import type { EndingWorld } from './execute/world.ts'
import { mapLimited } from './map-limited.ts'

/** The messages that are to be sent again. Of one that is refused only those runs are left that were neither sent alone nor ended. */
export async function sendRuns(world: EndingWorld, lane: Lane, messages: readonly Message[]): Promise<Message[]> {
  const { unsent, refused } = await world.queues[lane].send(messages)
  if (refused.length === 0) return [...unsent]
  const left = await mapLimited(refused, (each) => leftOf(world, lane, each))
  return [...unsent, ...left.flat()]
}

/** What could not be dealt with keeps no other message from being dealt with. */
async function leftOf(world: EndingWorld, lane: Lane, refused: Refused): Promise<Message[]> {
  try {
    return await sendApart(world, lane, refused)
  } catch (error) {
    const refusal = refused.reason
    world.warn('runs that a queue refused could not be ended and are sent again', { refusal, reason: String(error) })
    return [refused.message]
  }
}

/** One run among many may be what was refused: each is sent alone, once. */
async function sendApart(world: EndingWorld, lane: Lane, { message, reason }: Refused): Promise<Message[]> {
  const parts = splitMessage(message.body).map((body) => ({ ...message, body }))
  if (parts.length === 1) return end(world, lane, { message, reason })
  const { unsent, refused } = await world.queues[lane].send(parts)
  const left = await mapLimited(refused, (each) => leftOf(world, lane, each))
  return [...unsent, ...left.flat()]
}

/** Nothing of it is left then. */
async function end(world: EndingWorld, lane: Lane, { message, reason }: Refused): Promise<[]> {
  const why = `the ${lane} queue will never take its message (${reason}): change the payload or the target of its job`
  await endRefused(world, message.body, why)
  return []
}

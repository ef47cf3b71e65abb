// How timeouts, visibilities and leases bear on one another. One that is wrong is refused when the stack is synthesised, not by AWS half
// way through a deployment, and not by a run that starts twice.

import {
  type FunctionName,
  MESSAGES_A_CALL,
  type QueueName,
  TICK_EVENT_AGE_SECONDS,
  TIMEOUT_SECONDS,
  VISIBILITY_SECONDS,
} from '../shared/aws/limits.ts'
import { LIMITS } from '../shared/core/job/limits.ts'
import { FAST_TIMEOUT_SECONDS, LEASE_SECONDS, SWITCH_DELAY_SECONDS } from '../shared/core/timings.ts'

/** Which function takes the messages of a queue. */
const CONSUMER: Readonly<Record<QueueName, FunctionName>> = {
  fast: 'fast',
  slow: 'slow',
  dead: 'dead',
  watch: 'switch',
}

export interface Limits {
  readonly timeoutSeconds: Readonly<Record<FunctionName, number>>
  readonly visibilitySeconds: Readonly<Record<QueueName, number>>
  readonly messagesACall: Readonly<Record<QueueName, number>>
  readonly tickEventAgeSeconds: number
  readonly hopSeconds: number
}

export const deployedLimits = (hopSeconds: number): Limits => ({
  timeoutSeconds: TIMEOUT_SECONDS,
  visibilitySeconds: VISIBILITY_SECONDS,
  messagesACall: MESSAGES_A_CALL,
  tickEventAgeSeconds: TICK_EVENT_AGE_SECONDS,
  hopSeconds,
})

/** What follows a run's end, and a claim that was made a little before its start. */
const AROUND_A_RUN_SECONDS = 20
const LONGEST_OF_LAMBDA_SECONDS = 900

interface Relation {
  readonly holds: boolean
  readonly which: string
  readonly why: string
}

function relationsOf(limits: Limits): Relation[] {
  const { timeoutSeconds, visibilitySeconds, messagesACall, tickEventAgeSeconds, hopSeconds } = limits
  const lanes: Relation[] = (Object.keys(CONSUMER) as QueueName[]).map((queue) => {
    const timeout = timeoutSeconds[CONSUMER[queue]]
    return {
      holds: visibilitySeconds[queue] >= timeout,
      which: `the visibility of the ${queue} queue (${visibilitySeconds[queue]} s) must not be below the timeout of its function (${timeout} s)`,
      why: 'Lambda refuses the mapping, and a message would come again while it is worked on',
    }
  })
  return [
    ...lanes,
    {
      holds: timeoutSeconds.slow <= LONGEST_OF_LAMBDA_SECONDS,
      which: `the timeout of the slow lane (${timeoutSeconds.slow} s) must not be above ${LONGEST_OF_LAMBDA_SECONDS} s`,
      why: 'Lambda runs no function longer',
    },
    {
      holds: timeoutSeconds.slow >= LIMITS.handlerTimeoutSeconds + AROUND_A_RUN_SECONDS,
      which: `the timeout of the slow lane (${timeoutSeconds.slow} s) must leave ${AROUND_A_RUN_SECONDS} s beyond the longest run (${LIMITS.handlerTimeoutSeconds} s)`,
      why: 'a run that takes all of its time would be killed with its executor and recorded as lost, not as timed out',
    },
    {
      holds: timeoutSeconds.fast >= FAST_TIMEOUT_SECONDS + AROUND_A_RUN_SECONDS,
      which: `the timeout of the fast lane (${timeoutSeconds.fast} s) must leave ${AROUND_A_RUN_SECONDS} s beyond the longest run of that lane (${FAST_TIMEOUT_SECONDS} s)`,
      why: 'a run that takes all of its time would be killed with its executor and recorded as lost, not as timed out',
    },
    {
      holds: messagesACall.slow === 1,
      which: `the slow lane takes ${messagesACall.slow} messages a call and must take one`,
      why: 'a long run would keep the others of its call from starting',
    },
    {
      holds: SWITCH_DELAY_SECONDS >= LEASE_SECONDS,
      which: `a switch (${SWITCH_DELAY_SECONDS} s) must not come before the lease is over (${LEASE_SECONDS} s)`,
      why: 'it would be put back each time, which costs a message',
    },
    {
      holds: timeoutSeconds.tick >= hopSeconds + 2 * LEASE_SECONDS,
      which: `the timeout of the ticker (${timeoutSeconds.tick} s) must leave two leases beyond the ${hopSeconds} s that a link serves`,
      why: 'Lambda would kill a link in the middle of its seconds, and the chain would be away for a lease each time',
    },
    {
      holds: tickEventAgeSeconds >= 2 * LEASE_SECONDS,
      which: `the bus must keep an event for two leases (${2 * LEASE_SECONDS} s) and keeps it ${tickEventAgeSeconds} s`,
      why: 'a short trouble of Lambda would end the chain although its next link is only late',
    },
    {
      holds: timeoutSeconds.api <= 30,
      which: `the timeout of the API (${timeoutSeconds.api} s) must not be above 30 s`,
      why: 'the gateway answers for it by then, and what it does later is not told',
    },
  ]
}

export function assertRelations(limits: Limits): void {
  const broken = relationsOf(limits).filter(({ holds }) => !holds)
  if (broken.length === 0) return
  throw new Error(`This stack would not work:\n${broken.map(({ which, why }) => `- ${which}: ${why}.`).join('\n')}`)
}

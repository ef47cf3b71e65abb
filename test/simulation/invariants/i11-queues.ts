// I11: no message is lost sight of: what was sent is deleted, purged by a fault or among the dead letters, and in the end the
// queues are empty.

import type { Violation } from '../history.ts'
import { eventsOf, type View } from './view.ts'

export function queuesAreConserved(view: View): Violation[] {
  return [...unaccounted(view), ...storms(view), ...breeding(view)]
}

/** Messages that beget messages: in no minute are there more of them than instants in the whole history. */
function breeding({ history, jobs }: View): Violation[] {
  const due = [...jobs.values()].reduce((sum, job) => sum + job.due.length, 0)
  const sent = eventsOf(history, 'queue').filter(({ queue, what }) => what === 'sent' && isLane(queue))
  return [...Map.groupBy(sent, ({ ms }) => Math.floor(ms / 60_000))].flatMap(([minute, messages]) =>
    messages.length <= due + A_FEW
      ? []
      : [
          {
            invariant: 'I11',
            what: `in minute ${minute} ${messages.length} messages were sent, of ${due} runs in all`,
          },
        ],
  )
}

const isLane = (queue: string): boolean => queue === 'fast' || queue === 'slow'

/** While no executor takes messages, what is missing is sent again now and then, and not over and over. */
function storms({ history, jobs }: View): Violation[] {
  return eventsOf(history, 'fault').flatMap(({ fault, where, ms }) => {
    if (fault !== 'no executors') return []
    const [queue, lasts] = where.split(' ')
    const toMs = ms + Number(lasts)
    const sent = eventsOf(history, 'queue').filter(
      (event) => event.queue === queue && event.what === 'sent' && event.ms >= ms && event.ms < toMs,
    ).length
    const due = [...jobs.values()].flatMap(({ due: all }) =>
      all.filter(({ second }) => second * 1000 >= ms && second * 1000 < toMs),
    ).length
    const most = COPIES_OF_A_RUN * due + A_FEW
    return sent <= most
      ? []
      : [
          {
            invariant: 'I11',
            what: `${sent} messages were sent to ${queue} while no executor took any, for ${due} runs`,
          },
        ]
  })
}

const COPIES_OF_A_RUN = 4
const A_FEW = 300

function unaccounted({ history }: View): Violation[] {
  const events = eventsOf(history, 'queue').filter(({ queue }) => isLane(queue))
  return [...Map.groupBy(events, ({ queue, message }) => `${queue} ${message}`)].flatMap(([name, steps]) => {
    const put = steps.filter(({ what }) => what === 'sent').length
    const gone = steps.filter(({ what }) => what === 'deleted' || what === 'purged' || what === 'failed').length
    if (put === 1 && gone === 1) return []
    const what = gone === 0 ? 'is still there' : `was put ${put} times and taken away ${gone} times`
    return [{ invariant: 'I11', what: `message ${name} ${what}` }]
  })
}

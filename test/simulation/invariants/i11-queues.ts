// I11: no message is lost sight of: what was sent is deleted, purged by a fault or among the dead letters, and in the end the
// queues are empty.

import type { Violation } from '../history.ts'
import { eventsOf, type View } from './view.ts'

export function queuesAreConserved({ history }: View): Violation[] {
  const events = eventsOf(history, 'queue').filter(({ queue }) => queue === 'fast' || queue === 'slow')
  return [...Map.groupBy(events, ({ queue, message }) => `${queue} ${message}`)].flatMap(([name, steps]) => {
    const put = steps.filter(({ what }) => what === 'sent' || what === 'copied').length
    const gone = steps.filter(({ what }) => what === 'deleted' || what === 'purged' || what === 'buried').length
    if (put === 1 && gone === 1) return []
    const what = gone === 0 ? 'is still there' : `was put ${put} times and taken away ${gone} times`
    return [{ invariant: 'I11', what: `message ${name} ${what}` }]
  })
}

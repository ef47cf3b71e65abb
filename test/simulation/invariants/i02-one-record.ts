// I2: one instant has one record and one first attempt, whichever link opened its second.

import type { Violation } from '../history.ts'
import { eventsOf, isScheduled, nameOf, type View } from './view.ts'

export function oneRecordAnInstant(view: View): Violation[] {
  return [...twoPlaces(view), ...recordedAndMissed(view), ...createdTwice(view), ...firstAttempts(view)]
}

function twoPlaces({ records }: View): Violation[] {
  return [...records].flatMap(([runId, places]) =>
    places.length <= 1
      ? []
      : [{ invariant: 'I2', what: `${runId} has records in ${places.map(({ key }) => key).join(' and ')}`, runId }],
  )
}

function recordedAndMissed({ records, missed, jobs }: View): Violation[] {
  return missed.flatMap(({ jobId, of, from, to }) => {
    const kinds = of === 'starts' ? ['start'] : ['restart']
    const due = (jobs.get(jobId)?.due ?? []).filter(
      ({ second, kind }) => second >= from && second <= to && kinds.includes(kind),
    )
    return due.flatMap(({ second }) => {
      const runId = `${jobId}.${second}`
      return records.has(runId)
        ? [{ invariant: 'I2', what: `${runId} has a record and is counted as missed`, runId }]
        : []
    })
  })
}

function createdTwice({ history }: View): Violation[] {
  const created = eventsOf(history, 'entry').filter(({ from }) => from === null)
  return [...Map.groupBy(created, ({ runId }) => runId)].flatMap(([runId, creations]) =>
    creations.length <= 1 ? [] : [{ invariant: 'I2', what: `${runId} was created ${creations.length} times`, runId }],
  )
}

function firstAttempts({ history }: View): Violation[] {
  const starts = eventsOf(history, 'start').filter(({ attempt, runId }) => attempt === 1 && isScheduled(runId))
  return [...Map.groupBy(starts, ({ runId }) => `${nameOf(runId).jobId}.${nameOf(runId).second}`)].flatMap(
    ([runId, all]) =>
      all.length <= 1 ? [] : [{ invariant: 'I2', what: `${runId} had ${all.length} first attempts`, runId }],
  )
}

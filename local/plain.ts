// The ring as plain lines, for pipes, logs and small terminals: what this is, the jobs, and the line of each fire.

import { NEVER } from '../shared/core/time/instants.ts'
import type { Happening, RingView } from './view.ts'
import { happeningText, localText, offsetText } from './words.ts'

const nameColumns = (view: RingView): number => Math.max(...view.jobs.map(({ name }) => name.length))

export function headerLines(view: RingView): string[] {
  const columns = nameColumns(view)
  const jobs = view.jobs.flatMap(({ name, explanation, nextInstant, zone }) => {
    const next = nextInstant === NEVER ? 'never' : localText(nextInstant, zone)
    return [`  ${name.padEnd(columns)}  ${explanation}`, `  ${' '.repeat(columns)}  next ${next}`]
  })
  return [
    'Tickring: sample jobs on a whole stack of this machine: table, queues, bus and functions.',
    'A chain of ticks sends what is due each second; what is shown was taken from its queues and claimed.',
    '',
    ...jobs,
    '',
    `Fires as they come, with their lateness; times are ${offsetText(view.second, view.zone)}. Ctrl-C ends.`,
  ]
}

export const happeningLine = (happening: Happening, view: RingView): string =>
  happeningText(happening, view.zone, nameColumns(view))

export function summaryLine(view: RingView): string {
  const fired = view.jobs.reduce((sum, { firedCount }) => sum + firedCount, 0)
  if (fired === 0) return 'No run fired.'
  const worstMs = Math.max(...view.jobs.map(({ worstLatenessMs }) => worstLatenessMs ?? 0))
  return `${fired} ${fired === 1 ? 'run' : 'runs'} fired, at most ${worstMs} ms late.`
}

// The ring as plain lines, for pipes, logs and small terminals: the line of each fire, and at the end what it came to.

import type { Happening, RingView } from './view.ts'
import { figuresText, happeningText, offsetText } from './words.ts'

const nameColumns = (view: RingView): number => Math.max(0, ...view.jobs.map(({ name }) => name.length))

export const headerLines = (view: RingView): string[] => [
  `Fires as they come, with their lateness; times are ${offsetText(view.second, view.zone)}. Ctrl-C ends.`,
]

export const happeningLine = (happening: Happening, view: RingView): string =>
  happeningText(happening, view.zone, nameColumns(view))

export const summaryLine = ({ figures }: RingView): string =>
  figures.fired === 0 ? 'No run fired.' : `${figuresText(figures)}.`

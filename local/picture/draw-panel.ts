// Draws the figures, the table of jobs and, under it, what happened latest. It knows the area it may use and nothing of the ring.

import { NEVER } from '../../shared/core/time/instants.ts'
import type { Canvas } from './canvas.ts'
import type { Area } from './layout.ts'
import type { JobView, RingView } from './view.ts'
import { clipText, figuresText, happeningText, latenessText, untilText, wrapText } from './words.ts'

const NEXT_COLUMNS = 11
const FIRED_COLUMNS = 6
const WORST_COLUMNS = 9
/** Longer names are cut. */
const MOST_NAME_COLUMNS = 24
const INDENT = '  '
/** An empty line, a heading and three fires: explanations give way where there is no room for them. */
const LEAST_ROWS_BELOW_JOBS = 5

export function drawPanel(canvas: Canvas, area: Area, view: RingView): void {
  const nameColumns = Math.max(0, ...view.jobs.map(({ name }) => Math.min(name.length, MOST_NAME_COLUMNS)))
  const figures = wrapText(figuresText(view.figures), area.width)
  const explanations = view.jobs.map(({ explanation }) => wrapText(explanation, area.width - INDENT.length))
  const explainedRows = figures.length + 2 + view.jobs.length + explanations.flat().length
  const hasExplanations = explainedRows + LEAST_ROWS_BELOW_JOBS <= area.height
  const row = textRow(nameColumns, area.width)
  const put = (line: number, text: string, style?: Parameters<Canvas['put']>[3]) => {
    if (line < area.height) canvas.put(area.row + line, area.column, clipText(text, area.width), style)
  }

  let line = 0
  for (const text of figures) put(line++, text, view.figures.failed + view.figures.missed > 0 ? 'missed' : 'strong')
  put(++line, row('job', 'next in', 'fired', 'worst'), 'faint')
  line++
  for (const [index, job] of view.jobs.entries()) {
    put(line++, jobRow(row, job, view.second), hasJustFired(view, job) ? 'fired' : 'plain')
    if (hasExplanations) for (const text of explanations[index]) put(line++, INDENT + text, 'faint')
  }
  put(++line, 'latest fires', 'faint')
  for (const happening of view.latest) {
    const isNew = happening.second === view.second
    const style = happening.type === 'missed' ? 'missed' : isNew ? 'fired' : 'plain'
    put(++line, happeningText(happening, view.zone, nameColumns, area.width), style)
  }
}

type TextRow = (name: string, next: string, fired: string, worst: string) => string

/** Columns that do not fit are left out from the right; what room is left stands after the name. */
function textRow(nameColumns: number, width: number): TextRow {
  const hasFired = width >= nameColumns + 1 + NEXT_COLUMNS + FIRED_COLUMNS
  const hasWorst = width >= nameColumns + 1 + NEXT_COLUMNS + FIRED_COLUMNS + WORST_COLUMNS
  const right = NEXT_COLUMNS + (hasFired ? FIRED_COLUMNS : 0) + (hasWorst ? WORST_COLUMNS : 0)
  return (name, next, fired, worst) =>
    [
      clipText(name, width - right - 1).padEnd(width - right),
      next.padStart(NEXT_COLUMNS),
      hasFired ? fired.padStart(FIRED_COLUMNS) : '',
      hasWorst ? worst.padStart(WORST_COLUMNS) : '',
    ].join('')
}

const jobRow = (row: TextRow, job: JobView, second: number): string =>
  row(
    clipText(job.name, MOST_NAME_COLUMNS),
    job.nextInstant === NEVER ? '–' : untilText(job.nextInstant, second),
    String(job.firedCount),
    latenessText(job.worstLatenessMs),
  )

const hasJustFired = (view: RingView, job: JobView): boolean =>
  view.latest.some((each) => each.type === 'fired' && each.second === view.second && each.name === job.name)

// Draws a view as lines of text: the ring with its hand, the time inside it, jobs and fires beside or below it.
// It knows sizes and characters; it writes nothing and reads no clock.

import { Canvas, type Style } from './canvas.ts'
import { drawPanel } from './draw-panel.ts'
import { type Layout, layoutOf, offsetOfSlot } from './layout.ts'
import { type RingView, SLOTS, type Slot } from './view.ts'
import { clockText, offsetText, untilText } from './words.ts'

export interface DrawOptions {
  readonly width: number
  readonly height: number
  readonly hasColour: boolean
}

const TITLE = 'Tickring'
const SUBTITLE = 'the whole stack on this machine'
const END = 'Ctrl-C ends'
const LEGEND = '◆ now   ahead: ○ a run, ◎ several   behind: ● fired, ◉ several fired'

/** Parts of the radius that the hand covers: it leaves the middle to the time and the rim to the slots. */
const HAND = { from: 0.45, to: 0.72 }
const LABEL_SHARE = 0.82

/** At most `height` lines, none wider than `width`. */
export function drawRing(view: RingView, { width, height, hasColour }: DrawOptions): string[] {
  const canvas = new Canvas(width, height)
  const layout = layoutOf(width, height)
  canvas.put(0, 0, TITLE, 'strong')
  canvas.put(0, TITLE.length + 2, SUBTITLE, 'faint')
  canvas.put(0, width - END.length, END, 'faint')
  drawCircle(canvas, layout, view)
  drawPanel(canvas, layout.panel, view)
  canvas.put(height - 1, 0, LEGEND, 'faint')
  return canvas.lines(hasColour)
}

function drawCircle(canvas: Canvas, layout: Layout, view: RingView): void {
  const { centre, radius } = layout
  const hand = view.second % SLOTS
  const put = (slot: number, share: number, text: string, style: Style) => {
    const place = offsetOfSlot(slot, radius, share)
    canvas.put(centre.row + place.row, centre.column + place.column - Math.floor((text.length - 1) / 2), text, style)
  }
  for (const label of ['00', '15', '30', '45']) put(Number(label), LABEL_SHARE, label, 'faint')
  for (let share = HAND.from; share <= HAND.to; share += 0.5 / radius) put(hand, share, '∙', 'hand')
  for (const [slot, runs] of view.slots.entries()) {
    const { text, style } = slot === hand ? NOW : markOf(runs)
    put(slot, 1, text, style)
  }
  drawTime(canvas, layout, view)
}

function drawTime(canvas: Canvas, { centre }: Layout, view: RingView): void {
  const putCentred = (row: number, text: string, style: Style) =>
    canvas.put(centre.row + row, centre.column - Math.floor((text.length - 1) / 2), text, style)
  putCentred(-1, clockText(view.second, view.zone), 'strong')
  putCentred(0, offsetText(view.second, view.zone), 'faint')
  putCentred(1, `next in ${untilText(view.nextRun, view.second)}`, 'faint')
}

interface Mark {
  readonly text: string
  readonly style: Style
}

const NOW: Mark = { text: '◆', style: 'hand' }

/** Shapes differ as well as colours, so that nothing is lost without them. */
function markOf({ due, fired }: Slot): Mark {
  if (fired > 0) return { text: fired > 1 ? '◉' : '●', style: 'fired' }
  if (due > 0) return { text: due > 1 ? '◎' : '○', style: 'soon' }
  return { text: '·', style: 'faint' }
}

// Where things stand on a terminal of a given size, and where the 60 slots of a ring stand. Only arithmetic.

import { SLOTS } from './view.ts'

const LEAST_COLUMNS = 60
const LEAST_ROWS = 20
/** The smallest circle on which 60 places stay apart. */
export const LEAST_RADIUS = 8

const GAP_COLUMNS = 3
const PANEL_COLUMNS = { least: 40, most: 60, share: 0.45 }
const PANEL_ROWS_BELOW = 13
const ROOMY_ROWS = 24

export interface Place {
  readonly row: number
  readonly column: number
}

export interface Area extends Place {
  readonly width: number
  readonly height: number
}

export interface Layout {
  readonly radius: number
  readonly centre: Place
  readonly panel: Area
}

export const fitsRing = (columns: number, rows: number): boolean => columns >= LEAST_COLUMNS && rows >= LEAST_ROWS

/** Opposite slots must round alike, or the circle has a dent. */
const roundEvenly = (value: number): number => Math.sign(value) * Math.round(Math.abs(value) + 1e-9)

/** From the centre; a character is about twice as high as wide, so columns count double. Slot 0 is on top. */
export function offsetOfSlot(slot: number, radius: number, share = 1): Place {
  const angle = (slot / SLOTS) * 2 * Math.PI
  const reach = radius * share
  return { row: roundEvenly(-Math.cos(angle) * reach), column: roundEvenly(Math.sin(angle) * reach * 2) }
}

const ringColumns = (radius: number): number => 4 * radius + 1
const ringRows = (radius: number): number => 2 * radius + 1
const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

export function layoutOf(width: number, height: number): Layout {
  const margin = height >= ROOMY_ROWS ? 2 : 1
  const body: Area = { row: margin, column: 0, width, height: height - 2 * margin }
  const panelColumns = clamp(Math.floor(width * PANEL_COLUMNS.share), PANEL_COLUMNS.least, PANEL_COLUMNS.most)
  const beside = Math.floor((width - panelColumns - GAP_COLUMNS - 1) / 4)
  if (beside >= LEAST_RADIUS) return panelBeside(body, Math.min(beside, Math.floor((body.height - 1) / 2)))
  const below = Math.min(Math.floor((width - 1) / 4), Math.floor((body.height - PANEL_ROWS_BELOW - 2) / 2))
  if (below >= LEAST_RADIUS) return panelBelow(body, below)
  return panelBeside(body, LEAST_RADIUS)
}

function panelBeside(body: Area, radius: number): Layout {
  const centre = { row: body.row + Math.floor((body.height - 1) / 2), column: 2 * radius }
  const column = ringColumns(radius) + GAP_COLUMNS
  const width = Math.min(body.width - column, PANEL_COLUMNS.most)
  return { radius, centre, panel: { row: body.row, column, width, height: body.height } }
}

function panelBelow(body: Area, radius: number): Layout {
  const centre = { row: body.row + radius, column: Math.floor((body.width - 1) / 2) }
  const row = body.row + ringRows(radius) + 1
  const width = Math.min(body.width, PANEL_COLUMNS.most)
  return { radius, centre, panel: { row, column: 0, width, height: body.height - ringRows(radius) - 1 } }
}

// A grid of characters to draw on; what falls outside is cut off. Colours exist only where it becomes lines of text.

export type Style = 'plain' | 'strong' | 'faint' | 'hand' | 'soon' | 'fired' | 'missed'

const SGR: Readonly<Record<Style, string>> = {
  plain: '0',
  strong: '0;1',
  faint: '0;2',
  hand: '0;1;36',
  soon: '0;1;33',
  fired: '0;32',
  missed: '0;31',
}

interface Cell {
  readonly text: string
  readonly style: Style
}

const BLANK: Cell = { text: ' ', style: 'plain' }

export class Canvas {
  readonly width: number
  readonly #rows: Cell[][]

  constructor(width: number, height: number) {
    this.width = width
    this.#rows = Array.from({ length: height }, () => new Array<Cell>(width).fill(BLANK))
  }

  put(row: number, column: number, text: string, style: Style = 'plain'): void {
    const cells = this.#rows[row]
    if (cells === undefined) return
    for (const [index, character] of [...text].entries()) {
      const isInside = column + index >= 0 && column + index < this.width
      if (isInside) cells[column + index] = { text: character, style }
    }
  }

  lines(hasColour: boolean): string[] {
    return this.#rows.map((cells) => {
      const used = cells.slice(0, cells.findLastIndex(({ text }) => text !== ' ') + 1)
      return hasColour ? coloured(used) : used.map(({ text }) => text).join('')
    })
  }
}

function coloured(cells: readonly Cell[]): string {
  let line = ''
  let style: Style = 'plain'
  for (const cell of cells) {
    if (cell.style !== style) line += `\x1b[${SGR[cell.style]}m`
    style = cell.style
    line += cell.text
  }
  return style === 'plain' ? line : `${line}\x1b[0m`
}

// Shows what happens: as the ring where the terminal has room for it, as lines everywhere else, also after a resize.

import { drawRing } from './draw-ring.ts'
import { fitsRing } from './layout.ts'
import { happeningLine, headerLines, summaryLine } from './plain.ts'
import { Screen } from './screen.ts'
import type { Happening, RingView } from './view.ts'

export interface ShowOptions {
  readonly isPlain: boolean
  readonly hasColour: boolean
}

const MOST_NOTES = 2

export class Show {
  readonly #out: NodeJS.WriteStream
  readonly #options: ShowOptions
  readonly #screen: Screen
  #hasHeader = false
  #told: readonly string[] = []
  #notes: readonly string[] = []

  constructor(out: NodeJS.WriteStream, options: ShowOptions) {
    this.#out = out
    this.#options = options
    this.#screen = new Screen(out)
  }

  update(view: RingView, happenings: readonly Happening[]): void {
    if (this.#showsRing()) {
      const { columns: width, rows } = this.#out
      const above = [...this.#told, ...this.#notes]
      const height = rows - above.length
      const ring = drawRing(view, { width, height, hasColour: this.#options.hasColour })
      this.#screen.draw([...above.map((line) => line.slice(0, width)), ...ring])
      return
    }
    this.pause()
    const header = this.#hasHeader ? [] : headerLines(view)
    this.#hasHeader = true
    this.#print([...header, ...happenings.map((each) => happeningLine(each, view))])
  }

  /** Lines that are printed before everything else, and stay on top where the ring is shown. */
  tell(lines: readonly string[]): void {
    this.#told = lines
    this.#print(lines)
  }

  /** Something to know while it runs: the newest few stay where the ring is shown. */
  note(text: string): void {
    this.#notes = [...text.split('\n'), ...this.#notes].slice(0, MOST_NOTES)
    if (!this.#showsRing()) this.#print([text])
  }

  /** Gives the terminal back; the next update takes it again. */
  pause(): void {
    this.#screen.close()
  }

  end(view: RingView): void {
    this.pause()
    this.#print([summaryLine(view)])
  }

  #showsRing(): boolean {
    const { isTTY, columns, rows } = this.#out
    return isTTY && !this.#options.isPlain && fitsRing(columns, rows - this.#told.length - MOST_NOTES)
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#out.write(`${lines.join('\n')}\n`)
  }
}

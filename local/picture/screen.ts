// The terminal as a picture: another screen buffer without cursor while it is open, everything as before once closed.
// It knows escape codes and not what the lines say.

const OPEN = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J'
const CLOSE = '\x1b[?7h\x1b[?25h\x1b[?1049l'
/** Terminals that know these two show a frame whole; the others ignore them. */
const FRAME_BEGIN = '\x1b[?2026h'
const FRAME_END = '\x1b[?2026l'

export class Screen {
  readonly #out: NodeJS.WriteStream
  #isOpen = false

  constructor(out: NodeJS.WriteStream) {
    this.#out = out
    // An error that is not caught is printed after this, so it stays readable on the user's own screen.
    process.on('uncaughtExceptionMonitor', () => this.close())
    process.on('exit', () => this.close())
  }

  draw(lines: readonly string[]): void {
    if (!this.#isOpen) this.#out.write(OPEN)
    this.#isOpen = true
    const rows = lines.map((line, row) => `\x1b[${row + 1};1H\x1b[2K${line}`)
    this.#out.write(`${FRAME_BEGIN}${rows.join('')}\x1b[J${FRAME_END}`)
  }

  close(): void {
    if (this.#isOpen) this.#out.write(CLOSE)
    this.#isOpen = false
  }
}

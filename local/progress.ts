// Says what a start is doing, and how long each step took.

export class Progress {
  readonly #write: (text: string) => void
  readonly #nowMs: () => number
  readonly #begunMs: number
  #step: { readonly name: string; readonly sinceMs: number } | null = null

  constructor(write: (text: string) => void, nowMs: () => number) {
    this.#write = write
    this.#nowMs = nowMs
    this.#begunMs = nowMs()
  }

  /** The step before it is over then. */
  begin(name: string): void {
    this.end()
    this.#step = { name, sinceMs: this.#nowMs() }
  }

  end(): void {
    if (this.#step === null) return
    const { name, sinceMs } = this.#step
    this.#write(`✓ ${name.padEnd(44)} ${secondsText(this.#nowMs() - sinceMs)}`)
    this.#step = null
  }

  get total(): string {
    return secondsText(this.#nowMs() - this.#begunMs)
  }
}

const secondsText = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

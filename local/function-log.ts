// The lines that functions write, kept in a file for their user to look at: all but metrics, which are for CloudWatch.

import { createWriteStream, existsSync, renameSync, statSync, type WriteStream } from 'node:fs'

const MOST_BYTES = 20 * 1024 * 1024
export const isMetrics = (line: string): boolean => line.startsWith('{"_aws"')

export class FunctionLog {
  readonly #path: string
  #stream: WriteStream
  #bytes: number

  constructor(path: string) {
    this.#path = path
    this.#bytes = existsSync(path) ? statSync(path).size : 0
    this.#stream = this.#open()
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#path, { flags: 'a', mode: 0o600 })
    // A log that cannot be written, as on a full disk, ends nothing.
    stream.on('error', () => {})
    return stream
  }

  write(functionName: string, line: string): void {
    if (isMetrics(line)) return
    const text = `${functionName.padEnd(6)} ${line}\n`
    this.#bytes += Buffer.byteLength(text)
    this.#stream.write(text)
    if (this.#bytes > MOST_BYTES) this.#turnOver()
  }

  /** What is full becomes the older of two files. */
  #turnOver(): void {
    this.#stream.end()
    renameSync(this.#path, `${this.#path}.1`)
    this.#bytes = 0
    this.#stream = this.#open()
  }

  close(): void {
    this.#stream.end()
  }
}

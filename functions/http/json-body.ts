// Reads the JSON of a body. JSON.parse takes the last of two equal keys, makes __proto__ a property, takes any depth and rounds numbers
// silently, so the text is looked over first, in one pass.

import type { Fault } from '../../shared/core/job/invalid.ts'
import { pointer } from '../../shared/core/job/invalid.ts'
import { LIMITS } from '../../shared/core/job/limits.ts'
import { invalidBody, Problem } from './problem.ts'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function decodeBody(body: string | undefined, isBase64Encoded: boolean): string {
  if (body === undefined) return ''
  if (!isBase64Encoded) return body
  try {
    return decoder.decode(Buffer.from(body, 'base64'))
  } catch {
    throw new Problem('bad-json', 'the body is not UTF-8. Send JSON as UTF-8')
  }
}

export function parseJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Problem(
      'bad-json',
      `${error instanceof Error ? error.message.slice(0, 200) : 'not JSON'}. Send valid JSON`,
    )
  }
  const faults = new Scan(text).faults()
  if (faults.length > 0) throw invalidBody(faults)
  return value
}

const MOST_FAULTS = 20
const DIGITS = '0123456789'
const PLAIN_IN_NUMBERS = `${DIGITS}.`
const IN_EXPONENTS = `${DIGITS}+-`
/** A double has at least fifteen decimal digits. */
const SURELY_EXACT_CHARACTERS = 15
const BLANKS = ' \t\n\r'

interface Open {
  /** The keys of an object so far, or null in a list. */
  readonly keys: Set<string> | null
  key: string | number
}

/** Walks text that JSON.parse has accepted. */
class Scan {
  readonly #text: string
  readonly #open: Open[] = []
  readonly #faults: Fault[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  faults(): Fault[] {
    const text = this.#text
    while (this.#at < text.length && this.#faults.length < MOST_FAULTS) {
      const character = text[this.#at]
      switch (character) {
        case '{':
        case '[':
          this.#open.push({ keys: character === '{' ? new Set() : null, key: 0 })
          this.#at += 1
          if (this.#open.length > LIMITS.depth) return this.#tooDeep()
          break
        case '}':
        case ']':
          this.#open.pop()
          this.#at += 1
          break
        case '"':
          this.#string()
          break
        case ',': {
          const top = this.#open[this.#open.length - 1]
          if (top.keys === null && typeof top.key === 'number') top.key += 1
          this.#at += 1
          break
        }
        case '-':
        case '0':
        case '1':
        case '2':
        case '3':
        case '4':
        case '5':
        case '6':
        case '7':
        case '8':
        case '9':
          this.#number()
          break
        default:
          this.#at += 1
      }
    }
    return this.#faults
  }

  #path(): string {
    return pointer(this.#open.map(({ key }) => key))
  }

  #fault(code: string, message: string): void {
    this.#faults.push({ path: this.#path(), code, message })
  }

  #tooDeep(): Fault[] {
    const message = `is nested too deep. Use at most ${LIMITS.depth} levels.`
    return [...this.#faults, { path: '', code: 'json.too-deep', message }]
  }

  #string(): void {
    const start = this.#at
    let end = start + 1
    while (this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1
    this.#at = end + 1
    const raw = this.#text.slice(start, end + 1)
    const value: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1)
    const isKey = this.#isKey()
    if (isKey) this.#takeKey(value)
    if (!value.isWellFormed()) {
      this.#fault('json.surrogate', 'holds half of a surrogate pair, which is no character. Remove it.')
    }
  }

  /** Behind a key stands a colon; text that is a value never has one. */
  #isKey(): boolean {
    let next = this.#at
    while (next < this.#text.length && BLANKS.includes(this.#text[next])) next += 1
    return this.#text[next] === ':'
  }

  #takeKey(key: string): void {
    const top = this.#open[this.#open.length - 1]
    if (top.keys?.has(key) === true) {
      throw new Problem(
        'bad-json',
        `the key ${JSON.stringify(key.slice(0, 60))} stands twice in one object. Send it once`,
      )
    }
    top.keys?.add(key)
    top.key = key
    if (key === '__proto__') this.#fault('json.proto', 'is no key that is accepted. Use another name.')
  }

  #number(): void {
    const start = this.#at
    let end = start + 1
    while (PLAIN_IN_NUMBERS.includes(this.#text[end])) end += 1
    const hasExponent = this.#text[end] === 'e' || this.#text[end] === 'E'
    if (hasExponent) end += 1
    while (IN_EXPONENTS.includes(this.#text[end])) end += 1
    this.#at = end
    // Nearly all numbers are such, and most of a large body may be numbers: the text of one is cut out where it matters.
    if (!hasExponent && end - start <= SURELY_EXACT_CHARACTERS) return
    const raw = this.#text.slice(start, end)
    if (!isExact(raw)) {
      this.#fault('json.number', `got ${raw.slice(0, 40)}, which a double cannot hold. Send it as text.`)
    }
  }
}

/** Whether a double has the very digits that were sent. */
function isExact(raw: string): boolean {
  const value = Number(raw)
  if (!Number.isFinite(value)) return false
  return digitsOf(raw) === digitsOf(value.toPrecision(17)) || digitsOf(raw) === digitsOf(String(value))
}

/** The significant digits and the power of ten, so that 1.50 and 15e-1 are the same. */
function digitsOf(raw: string): string {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(raw) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = all.replace(/0+$/, '')
  if (significant === '') return `${sign}0`
  const power = Number(exponent) - fraction.length + (all.length - significant.length)
  return `${sign}${significant}e${power}`
}

// What a user got wrong: the field, the value as it came, what is the matter and what to do instead.

const SHOWN_CHARACTERS = 60

/** Makes foreign text safe and short enough to stand inside a message. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
  // Characters that turn text round, break lines or hide would make a message lie.
  return JSON.stringify(shown).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)
}

const escapeCharacter = (hidden: string): string => `\\u${hidden.codePointAt(0)?.toString(16).padStart(4, '0')}`

export class InputError extends Error {
  readonly code: string
  readonly field: string
  readonly value: unknown
  readonly remedy: string
  /** Where in the body it stands, as a JSON Pointer, where that is not simply the field. */
  readonly path: string | null

  constructor(input: { code: string; field: string; value: unknown; problem: string; remedy: string; path?: string }) {
    super(`${input.field} ${quote(input.value)}: ${input.problem}. ${input.remedy}.`)
    this.name = 'InputError'
    this.code = input.code
    this.field = input.field
    this.value = input.value
    this.remedy = input.remedy
    this.path = input.path ?? null
  }
}

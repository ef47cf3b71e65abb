// JSON in printable ASCII only, which every queue takes: SQS refuses some characters and local engines more, and here a character
// is a byte, so that a length is a size. Reading it gives the same value back.

const NOT_PRINTABLE_ASCII = /[^\x20-\x7e]/g

export const asciiJson = (value: unknown): string => JSON.stringify(value).replace(NOT_PRINTABLE_ASCII, escaped)

/** A character beyond the first 65,536 comes here as its two halves, and JSON reads them as one again. */
const escaped = (half: string): string => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asciiJson } from '../../shared/core/ascii-json.ts'

const anyUnits = fc.string({ unit: 'binary', maxLength: 40 })
const anyHalves = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
  .map((units) => String.fromCharCode(...units))

describe('JSON in ASCII', () => {
  test('of any value is printable, and gives the value back', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = asciiJson(value)
        expect(text).toMatch(/^[\x20-\x7e]*$/)
        // JSON knows no -0, in any writer.
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('of any text, halves of characters included, gives it back unit by unit', () => {
    fc.assert(
      fc.property(fc.oneof(anyUnits, anyHalves), (text) => {
        expect(asciiJson(text)).toMatch(/^[\x20-\x7e]*$/)
        expect(JSON.parse(asciiJson({ [text]: text }))).toEqual({ [text]: text })
      }),
    )
  })

  test.each([
    ['🎉', '"\\ud83c\\udf89"'],
    ['\uFFFE', '"\\ufffe"'],
    ['\u0000\u001f\u007f', '"\\u0000\\u001f\\u007f"'],
    ['line\nbreak "quoted" \\ é', '"line\\nbreak \\"quoted\\" \\\\ \\u00e9"'],
  ])('of %j is %s', (text, written) => {
    expect(asciiJson(text)).toBe(written)
  })
})

// Checks by a schema what many items hold in the same words: jobs share targets, tags, times and policies. What a text was found to say is
// remembered, so that a load of ten thousand jobs checks each text once; and jobs that say the same share one value.

import type * as z from 'zod'

/** Texts of this length and more are hardly ever said twice. */
const LONG = 1000
const MOST_KNOWN = 20_000

export class KnownTexts<Value> {
  readonly #schema: z.ZodType<Value>
  readonly #known = new Map<string, { readonly value: Value }>()

  constructor(schema: z.ZodType<Value>) {
    this.#schema = schema
  }

  /** What a text says, or null where it is not what the schema wants. Shared, so never to be changed. */
  read(text: string): { readonly value: Value } | null {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const { success, data } = this.#schema.safeParse(JSON.parse(text))
    if (!success) return null
    const found = { value: data }
    if (text.length >= LONG) return found
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(text, found)
    return found
  }
}

// From a model to the attributes of an item and back. Numbers are numbers, so that conditions can compare them;
// everything that has parts is JSON in one attribute, which is small and quick to read.

import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type * as z from 'zod'
import type { Attributes } from './expression.ts'

export type FieldKind = 'number' | 'text' | 'json'

/** The fields of a model and how each is kept. */
export type Fields<Model> = { readonly [Name in keyof Model & string]-?: FieldKind }

export function writeField(kind: FieldKind, value: unknown): AttributeValue {
  switch (kind) {
    case 'number':
      return { N: String(value) }
    case 'text':
      return { S: String(value) }
    case 'json':
      return { S: JSON.stringify(value) }
  }
}

function readField(kind: FieldKind, attribute: AttributeValue): unknown {
  switch (kind) {
    case 'number':
      return Number(attribute.N)
    case 'text':
      return attribute.S
    case 'json':
      return JSON.parse(attribute.S ?? '')
  }
}

/** What is absent, or null, has no attribute. */
export function writeFields<Model extends object>(fields: Fields<Model>, model: Partial<Model>): Attributes {
  const attributes: Attributes = {}
  for (const [name, kind] of Object.entries<FieldKind>(fields)) {
    const value: unknown = Reflect.get(model, name)
    if (value !== undefined && value !== null) attributes[name] = writeField(kind, value)
  }
  return attributes
}

export function readFields(fields: Readonly<Record<string, FieldKind>>, item: Attributes): Record<string, unknown> {
  const model: Record<string, unknown> = {}
  // A load reads forty fields of each of ten thousand jobs, of which most are absent: no list of them is made for each job.
  for (const name in fields) {
    const attribute = item[name]
    if (attribute !== undefined) model[name] = readField(fields[name], attribute)
  }
  return model
}

/** Throws where the store holds something else than this code writes, and says which item it was. */
export function checked<Model>(schema: z.ZodType<Model>, value: unknown, item: Attributes): Model {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const where = `${item.pk?.S} ${item.sk?.S}`
  throw new Error(
    `the item ${where} cannot be read: ${result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
  )
}

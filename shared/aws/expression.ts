// Conditions and updates of DynamoDB as sentences. Names and values only ever enter as placeholders, so that no text of a
// user can become part of an expression.

import type { AttributeValue } from '@aws-sdk/client-dynamodb'

export type Attributes = Record<string, AttributeValue>

export class Placeholders {
  readonly names: Record<string, string> = {}
  readonly values: Record<string, AttributeValue> = {}
  readonly #known = new Map<string, string>()
  #valueCount = 0

  name(attribute: string): string {
    const known = this.#known.get(attribute)
    if (known !== undefined) return known
    const placeholder = `#${this.#known.size}`
    this.#known.set(attribute, placeholder)
    this.names[placeholder] = attribute
    return placeholder
  }

  value(value: AttributeValue): string {
    const placeholder = `:${this.#valueCount}`
    this.#valueCount += 1
    this.values[placeholder] = value
    return placeholder
  }
}

export type Condition = (placeholders: Placeholders) => string

export const text = (value: string): AttributeValue => ({ S: value })
export const number = (value: number): AttributeValue => ({ N: String(value) })

export const isAbsent =
  (attribute: string): Condition =>
  (x) =>
    `attribute_not_exists(${x.name(attribute)})`

export const isThere =
  (attribute: string): Condition =>
  (x) =>
    `attribute_exists(${x.name(attribute)})`

export const equals =
  (attribute: string, value: AttributeValue): Condition =>
  (x) =>
    `${x.name(attribute)} = ${x.value(value)}`

export const isAtMost =
  (attribute: string, value: AttributeValue): Condition =>
  (x) =>
    `${x.name(attribute)} <= ${x.value(value)}`

export const and =
  (...conditions: readonly Condition[]): Condition =>
  (x) =>
    conditions.map((condition) => condition(x)).join(' AND ')

export interface Update {
  readonly set?: Attributes
  /** Set only where it is not there yet. */
  readonly setOnce?: Attributes
  readonly remove?: readonly string[]
  readonly onlyIf?: Condition
}

export interface UpdateExpression {
  UpdateExpression: string
  ConditionExpression?: string
  ExpressionAttributeNames: Record<string, string>
  ExpressionAttributeValues?: Record<string, AttributeValue>
}

export function updateExpression({ set = {}, setOnce = {}, remove = [], onlyIf }: Update): UpdateExpression {
  const x = new Placeholders()
  const sets = [
    ...Object.entries(set).map(([name, value]) => `${x.name(name)} = ${x.value(value)}`),
    ...Object.entries(setOnce).map(
      ([name, value]) => `${x.name(name)} = if_not_exists(${x.name(name)}, ${x.value(value)})`,
    ),
  ]
  const removes = remove.map((name) => x.name(name))
  const parts = [
    ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
    ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
  ]
  const condition = onlyIf?.(x)
  return {
    UpdateExpression: parts.join(' '),
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
    ExpressionAttributeNames: x.names,
    ...(Object.keys(x.values).length > 0 ? { ExpressionAttributeValues: x.values } : {}),
  }
}

/** A condition of a put or delete, or nothing. */
export function conditionExpression(
  onlyIf: Condition | undefined,
): Partial<Omit<UpdateExpression, 'UpdateExpression'>> {
  if (onlyIf === undefined) return {}
  const x = new Placeholders()
  const ConditionExpression = onlyIf(x)
  return {
    ConditionExpression,
    ExpressionAttributeNames: x.names,
    ...(Object.keys(x.values).length > 0 ? { ExpressionAttributeValues: x.values } : {}),
  }
}

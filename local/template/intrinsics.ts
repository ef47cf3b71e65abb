// Values of a template without CloudFormation's functions in them. A resource is called by its logical id here, as AWS would call it by a
// name of its own.

export const REGION = 'us-east-1'
export const ACCOUNT = '000000000000'

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
}

export const arnOf = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`

/** What a resource is called here; with an attribute, what that attribute of it is. Throws where there is no such thing. */
export type LocalName = (id: string, attribute: string | null) => string

export function resolved(value: unknown, localName: LocalName): unknown {
  const again = (each: unknown): unknown => resolved(each, localName)
  if (Array.isArray(value)) return value.map(again)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [name, argument] = entries.length === 1 ? entries[0] : ['', null]
  switch (name) {
    case 'Ref':
      return PSEUDO[argument] ?? localName(argument, null)
    case 'Fn::GetAtt':
      return localName(argument[0], argument[1])
    case 'Fn::Join':
      return (again(argument[1]) as string[]).join(argument[0])
    case 'Fn::Sub':
      return substituted(argument, localName)
    default:
      if (name.startsWith('Fn::')) throw new Error(`${name} is not known here`)
      return Object.fromEntries(entries.map(([key, each]) => [key, again(each)]))
  }
}

/** `${Id}`, `${Id.Attribute}`, and in the longer form names of its own; `${!x}` stays as `${x}`. */
function substituted(argument: string | readonly [string, Record<string, unknown>], localName: LocalName): string {
  const [text, own] = typeof argument === 'string' ? [argument, {} as Record<string, unknown>] : argument
  return text.replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
    if (literal !== '') return `\${${name}}`
    if (own[name] !== undefined) return String(resolved(own[name], localName))
    const [id, attribute = null] = name.split(/\.(.*)/)
    return PSEUDO[id] ?? localName(id, attribute)
  })
}

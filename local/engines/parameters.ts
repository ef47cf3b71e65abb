// A small SSM parameter store: takes GetParameter and PutParameter as the service does.

import type { Engine } from './dynamodb.ts'
import { startJsonService } from './json-service.ts'

/** What is kept, by name. A Map is one. */
export interface KeptParameters {
  get(name: string): string | undefined
  set(name: string, value: string): unknown
}

interface ParameterRequest {
  readonly Name: string
  readonly Value?: string
  readonly Overwrite?: boolean
}

const refused = (type: string) => ({ status: 400, body: { __type: type } })

export const startParameters = (kept: KeptParameters): Promise<Engine> =>
  startJsonService((action, input) => {
    const { Name, Value = '', Overwrite = false } = input as ParameterRequest
    const found = kept.get(Name)
    if (action === 'GetParameter') {
      if (found === undefined) return refused('ParameterNotFound')
      return { status: 200, body: { Parameter: { Name, Type: 'SecureString', Value: found, Version: 1 } } }
    }
    if (action !== 'PutParameter') return refused('InvalidAction')
    if (found !== undefined && !Overwrite) return refused('ParameterAlreadyExists')
    kept.set(Name, Value)
    return { status: 200, body: { Version: 1, Tier: 'Standard' } }
  })

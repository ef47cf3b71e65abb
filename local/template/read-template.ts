// Reads a synthesised template into what is to run: table, queues, functions, and what brings events to them.

import { basename, join } from 'node:path'
import * as z from 'zod'
import { ACCOUNT, arnOf, REGION, resolved } from './intrinsics.ts'
import { isRun, LEFT_ASIDE, type PropertiesOf, RUN, type RunType } from './resources.ts'

export interface TableToRun {
  readonly name: string
  readonly properties: PropertiesOf<'AWS::DynamoDB::GlobalTable'>
}

export interface QueueToRun {
  readonly name: string
  readonly properties: PropertiesOf<'AWS::SQS::Queue'>
  /** The queue of its dead letters, or null. */
  readonly deadLetters: string | null
}

export interface FunctionToRun {
  /** Its logical id. */
  readonly id: string
  /** Of the bundle. */
  readonly folder: string
  readonly handler: string
  readonly memoryMb: number
  readonly timeoutSeconds: number
  readonly environment: Readonly<Record<string, string>>
  /** What it is called for short: tick, fast, api. */
  readonly name: string
  /** For how long an event waits for it. */
  readonly eventAgeSeconds: number
}

export interface MappingToRun {
  readonly functionId: string
  readonly queue: string
  readonly batch: number
  readonly mostCalls: number
}

export interface TargetToRun {
  readonly functionId: string
  /** The queue of events that could not be delivered, or null. */
  readonly deadLetters: string | null
}

export interface RuleToRun {
  readonly id: string
  /** Comes by itself once a minute, or takes events of a bus. */
  readonly takes:
    | 'each minute'
    | { readonly bus: string; readonly sources: readonly string[]; readonly detailTypes: readonly string[] }
  readonly targets: readonly TargetToRun[]
}

export interface StackToRun {
  readonly tables: readonly TableToRun[]
  readonly queues: readonly QueueToRun[]
  readonly functions: readonly FunctionToRun[]
  readonly mappings: readonly MappingToRun[]
  readonly rules: readonly RuleToRun[]
  /** The function that answers HTTP. */
  readonly apiFunctionId: string
  /** Functions that are called once, when all else is there. */
  readonly atDeploy: readonly string[]
}

/** Where things are on this machine that the template only names. */
export interface Places {
  /** The folder with the bundles. */
  readonly folder: string
  readonly queueEndpoint: string
  /** Hosts at which the API is served, with their ports. */
  readonly apiHosts: readonly string[]
}

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
})

type Resources = z.infer<typeof templateSchema>['Resources']

/** Throws where the template has anything that is not known here, with all of it. */
export function readTemplate(template: unknown, places: Places): StackToRun {
  const all = templateSchema.parse(template).Resources
  return stackOf(
    checked(withoutProviders(all), (id, attribute) => localName(all, places, id, attribute)),
    places,
  )
}

/** Custom resources are done by functions of the CDK's own, which are not called here. */
function withoutProviders(resources: Resources): Resources {
  const providers = Object.values(resources)
    .filter(({ Type }) => Type === 'Custom::Trigger')
    .map(({ Properties }) => JSON.stringify(Properties.ServiceToken))
  const isProvider = (id: string) => providers.some((token) => token.includes(`"${id}"`))
  return Object.fromEntries(Object.entries(resources).filter(([id]) => !isProvider(id)))
}

/** What a resource, or an attribute of it, is called on this machine. */
export function localName(
  resources: Readonly<Record<string, { readonly Type: string }>>,
  { queueEndpoint }: Places,
  id: string,
  attribute: string | null,
): string {
  const type = resources[id]?.Type
  if (type === undefined) throw new Error(`it names ${id}, which it does not have`)
  const isArn = attribute === 'Arn'
  switch (type) {
    case 'AWS::SQS::Queue':
      return isArn ? arnOf('sqs', id) : attribute === null ? `${queueEndpoint}/${ACCOUNT}/${id}` : id
    case 'AWS::DynamoDB::GlobalTable':
      return isArn ? arnOf('dynamodb', `table/${id}`) : id
    case 'AWS::Events::EventBus':
      return isArn ? arnOf('events', `event-bus/${id}`) : id
    case 'AWS::Lambda::Function':
      return isArn ? arnOf('lambda', `function:${id}`) : id
    case 'AWS::Logs::LogGroup':
      return isArn ? arnOf('logs', `log-group:${id}:*`) : id
    default:
      return isArn ? arnOf('other', id) : id
  }
}

type Known = { readonly [Type in RunType]: readonly { readonly id: string; readonly properties: PropertiesOf<Type> }[] }

function checked(resources: Resources, name: (id: string, attribute: string | null) => string): Known {
  const known = Object.fromEntries(Object.keys(RUN).map((type) => [type, [] as unknown[]]))
  const faults: string[] = []
  for (const [id, { Type, Properties }] of Object.entries(resources)) {
    if (LEFT_ASIDE.includes(Type)) continue
    if (!isRun(Type)) {
      faults.push(`${id} is of type ${Type}`)
      continue
    }
    const read = RUN[Type].safeParse(resolved(Properties, name))
    if (read.success) known[Type].push({ id, properties: read.data })
    else faults.push(...read.error.issues.map(({ path, message }) => `${id} (${Type}) ${path.join('.')}: ${message}`))
  }
  if (faults.length > 0) {
    throw new Error(
      `The stack has what cannot run on this machine:\n${faults.map((fault) => `- ${fault}`).join('\n')}\nTeach it to local/template/resources.ts, or say there why it is left aside.`,
    )
  }
  return known as unknown as Known
}

const nameInArn = (arn: string): string => arn.split(':').at(-1)?.replace(/^.*\//, '') ?? ''

function stackOf(known: Known, places: Places): StackToRun {
  const routes = known['AWS::ApiGatewayV2::Route'].map(({ properties }) => basename(properties.Target))
  const integration = known['AWS::ApiGatewayV2::Integration'].find(({ id }) => routes.includes(id))
  const versions = new Map(known['AWS::Lambda::Version'].map(({ id, properties }) => [id, properties.FunctionName]))
  return {
    tables: known['AWS::DynamoDB::GlobalTable'].map(({ id, properties }) => ({ name: id, properties })),
    queues: known['AWS::SQS::Queue'].map(({ id, properties }) => ({
      name: id,
      properties,
      deadLetters:
        properties.RedrivePolicy === undefined ? null : nameInArn(properties.RedrivePolicy.deadLetterTargetArn),
    })),
    functions: known['AWS::Lambda::Function'].map(({ id, properties }) => functionOf(known, places, id, properties)),
    mappings: known['AWS::Lambda::EventSourceMapping'].map(({ properties }) => ({
      functionId: properties.FunctionName,
      queue: nameInArn(properties.EventSourceArn),
      batch: properties.BatchSize,
      mostCalls: properties.ScalingConfig?.MaximumConcurrency ?? Number.POSITIVE_INFINITY,
    })),
    rules: known['AWS::Events::Rule'].map(({ id, properties }) => ruleOf(id, properties)),
    apiFunctionId: nameInArn(integration?.properties.IntegrationUri ?? ''),
    atDeploy: known['Custom::Trigger'].map(({ properties }) => versions.get(properties.HandlerArn) ?? ''),
  }
}

/** As Lambda has it where the stack says nothing. */
const USUAL_AGE_SECONDS = 6 * 3600

/** A logical id is the construct's path and eight characters of a hash. */
const shortName = (id: string): string => /([A-Z][a-z]+)Function[0-9A-F]{8}$/.exec(id)?.[1].toLowerCase() ?? id

function functionOf(
  known: Known,
  { folder, apiHosts }: Places,
  id: string,
  { Code, Handler, MemorySize, Timeout, Environment }: PropertiesOf<'AWS::Lambda::Function'>,
): FunctionToRun {
  const config = known['AWS::Lambda::EventInvokeConfig'].find(({ properties }) => properties.FunctionName === id)
  // The gateway's own host stands for those at which this machine serves.
  const gateways = known['AWS::ApiGatewayV2::Api'].map((api) => `${api.id}.execute-api.${REGION}.amazonaws.com`)
  const here = (value: string) => (gateways.includes(value) ? apiHosts.join(',') : value)
  return {
    id,
    folder: join(folder, `asset.${Code.S3Key.replace(/\.zip$/, '')}`),
    handler: Handler,
    memoryMb: MemorySize,
    timeoutSeconds: Timeout,
    environment: Object.fromEntries(Object.entries(Environment.Variables).map(([name, value]) => [name, here(value)])),
    name: shortName(id),
    eventAgeSeconds: config?.properties.MaximumEventAgeInSeconds ?? USUAL_AGE_SECONDS,
  }
}

function ruleOf(id: string, { EventBusName, EventPattern, Targets }: PropertiesOf<'AWS::Events::Rule'>): RuleToRun {
  const takes =
    EventPattern === undefined
      ? ('each minute' as const)
      : { bus: EventBusName ?? 'default', sources: EventPattern.source, detailTypes: EventPattern['detail-type'] }
  return {
    id,
    takes,
    targets: Targets.map(({ Arn, DeadLetterConfig }) => ({
      functionId: nameInArn(Arn),
      deadLetters: DeadLetterConfig === undefined ? null : nameInArn(DeadLetterConfig.Arn),
    })),
  }
}

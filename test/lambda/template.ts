// The stack as CloudFormation would read it, with local names in the place of those that AWS gives: a resource is called by its logical id.

import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { makeApp } from '../../infra/make-app.ts'
import { Tickring, type TickringProps } from '../../infra/tickring.ts'
import type { FunctionName, QueueName } from '../../shared/aws/limits.ts'
import type { DeployedFunction } from './environment.ts'

const REGION = 'us-east-1'
export const ACCOUNT = '000000000000'

export const arnOf = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`

export interface Statement {
  readonly Effect: string
  readonly Action: string | readonly string[]
  readonly Resource: string | readonly string[]
  readonly Condition?: Readonly<Record<string, unknown>>
}

export interface Policy {
  readonly Version: string
  readonly Statement: readonly Statement[]
}

export interface LocalFunction extends DeployedFunction {
  readonly name: FunctionName
  readonly policy: Policy
}

export interface SynthesisedStack {
  readonly tableName: string
  readonly queueNames: Readonly<Record<QueueName, string>>
  /** All functions, once it is known where the queues are. */
  functions(queueEndpoint: string): Readonly<Record<FunctionName, LocalFunction>>
}

interface Resource {
  readonly Type: string
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has properties of its own
  readonly Properties: any
}

/** What `Ref` and `Arn` of a resource are here. */
function valuesOf(id: string, { Type }: Resource, queueEndpoint: string): { ref: string; arn: string } {
  switch (Type) {
    case 'AWS::SQS::Queue':
      return { ref: `${queueEndpoint}/${ACCOUNT}/${id}`, arn: arnOf('sqs', id) }
    case 'AWS::DynamoDB::GlobalTable':
      return { ref: id, arn: arnOf('dynamodb', `table/${id}`) }
    case 'AWS::Events::EventBus':
      return { ref: id, arn: arnOf('events', `event-bus/${id}`) }
    case 'AWS::Logs::LogGroup':
      return { ref: id, arn: arnOf('logs', `log-group:${id}:*`) }
    default:
      return { ref: id, arn: arnOf('other', id) }
  }
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
}

/** A value of the template without its intrinsic functions. */
function resolved(value: unknown, localValue: (id: string, attribute: string | null) => string): unknown {
  const again = (each: unknown): unknown => resolved(each, localValue)
  if (Array.isArray(value)) return value.map(again)
  if (typeof value !== 'object' || value === null) return value
  const [[name, argument]] = [...Object.entries(value), ['', null]]
  if (name === 'Ref') return PSEUDO[argument] ?? localValue(argument, null)
  if (name === 'Fn::GetAtt') return localValue(argument[0], argument[1])
  if (name === 'Fn::Join') return (again(argument[1]) as string[]).join(argument[0])
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, again(each)]))
}

const FUNCTION_NAMES: readonly FunctionName[] = ['tick', 'switch', 'minute', 'fast', 'slow', 'dead', 'api', 'deploy']
const SCOPE = 'Scheduler'

/** The resource that a construct of the stack became: its id, and a hash. */
function idOf(resources: Readonly<Record<string, Resource>>, construct: string): string {
  const id = Object.keys(resources).find((each) => new RegExp(`^${SCOPE}${construct}[0-9A-F]{8}$`).test(each))
  if (id === undefined) throw new Error(`the stack has no ${construct}`)
  return id
}

const capital = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Synthesises into a folder, where the bundles are then. */
export function synthesise(outdir: string, props: TickringProps = {}): SynthesisedStack {
  const stack = new Stack(makeApp({ outdir, treeMetadata: false, builtinCloudFormationValidation: false }), 'Tickring')
  new Tickring(stack, SCOPE, props)
  const resources: Record<string, Resource> = Template.fromStack(stack).toJSON().Resources
  const functions = (queueEndpoint: string) => {
    const localValue = (id: string, attribute: string | null) => {
      const { ref, arn } = valuesOf(id, resources[id], queueEndpoint)
      return attribute === 'Arn' ? arn : ref
    }
    const make = (name: FunctionName): LocalFunction => {
      const { Code, Handler, MemorySize, Timeout, Environment } =
        resources[idOf(resources, `${capital(name)}Function`)].Properties
      const role = idOf(resources, `${capital(name)}Role`)
      const policies = Object.values(resources).filter(
        ({ Type, Properties }) => Type === 'AWS::IAM::Policy' && Properties.Roles[0].Ref === role,
      )
      const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
      return {
        name,
        folder: join(outdir, `asset.${Code.S3Key.replace('.zip', '')}`),
        handler: Handler,
        memoryMb: MemorySize,
        timeoutSeconds: Timeout,
        environment: resolved(Environment.Variables, localValue) as Record<string, string>,
        policy: { Version: '2012-10-17', Statement: resolved(statements, localValue) as Statement[] },
      }
    }
    return Object.fromEntries(FUNCTION_NAMES.map((name) => [name, make(name)])) as Record<FunctionName, LocalFunction>
  }
  const queue = (name: string) => idOf(resources, `${capital(name)}Queue`)
  return {
    tableName: idOf(resources, 'Table'),
    queueNames: { fast: queue('fast'), slow: queue('slow'), dead: queue('dead'), watch: queue('watch') },
    functions,
  }
}

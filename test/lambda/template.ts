// The stack as `npm start` reads it, with the policies that the start leaves aside.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAppStack } from '../../infra/app-stack.ts'
import { makeApp } from '../../infra/make-app.ts'
import type { TickringProps } from '../../infra/tickring.ts'
import { resolved } from '../../local/template/intrinsics.ts'
import { localName, type Places, readTemplate, type StackToRun } from '../../local/template/read-template.ts'
import type { FunctionName, QueueName } from '../../shared/aws/limits.ts'
import type { DeployedFunction } from './environment.ts'

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

interface Template {
  // biome-ignore lint/suspicious/noExplicitAny: each type of resource has properties of its own
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: any }>>
}

/** By the logical id of its function, with the names of this machine in it. */
export function policyOf(template: unknown, places: Places, functionId: string): Policy {
  const { Resources } = template as Template
  const [role] = Resources[functionId].Properties.Role['Fn::GetAtt']
  const policies = Object.values(Resources).filter(
    ({ Type, Properties }) => Type === 'AWS::IAM::Policy' && Properties.Roles[0].Ref === role,
  )
  const statements = policies.flatMap(({ Properties }) => Properties.PolicyDocument.Statement)
  const named = resolved(statements, (id, attribute) => localName(Resources, places, id, attribute))
  return { Version: '2012-10-17', Statement: named as Statement[] }
}

/** Synthesises into a folder, where the bundles are then. */
export function synthesise(outdir: string, props: TickringProps = {}): SynthesisedStack {
  const app = makeApp({ outdir, treeMetadata: false, builtinCloudFormationValidation: false })
  const { stackName } = makeAppStack(app, props)
  app.synth()
  const template: unknown = JSON.parse(readFileSync(join(outdir, `${stackName}.template.json`), 'utf8'))
  const placesAt = (queueEndpoint: string): Places => ({ folder: outdir, queueEndpoint, apiHosts: ['Api.Test'] })
  const { tables, queues }: StackToRun = readTemplate(template, placesAt('http://127.0.0.1:1'))
  const queue = (name: QueueName): string =>
    queues.find((each) => each.name.toLowerCase().includes(`${name}queue`))?.name ?? ''
  return {
    tableName: tables[0].name,
    queueNames: { fast: queue('fast'), slow: queue('slow'), dead: queue('dead'), watch: queue('watch') },
    functions: (queueEndpoint) => {
      const places = placesAt(queueEndpoint)
      const functions = readTemplate(template, places).functions.map((each): [string, LocalFunction] => [
        each.name,
        { ...each, name: each.name as FunctionName, policy: policyOf(template, places, each.id) },
      ])
      return Object.fromEntries(functions) as Record<FunctionName, LocalFunction>
    },
  }
}

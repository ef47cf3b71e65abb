// The construct that a user's own CDK app adds. It only puts the parts together; each part has its file.

import { join, resolve } from 'node:path'
import { CfnOutput, Stack, Stage } from 'aws-cdk-lib'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Construct } from 'constructs'
import { ENV } from '../shared/aws/env.ts'
import { makeFrontDoor } from './api.ts'
import { makeAtDeploy } from './at-deploy.ts'
import { bundleFunctions, OWN_HANDLERS } from './bundle.ts'
import { makeExecution } from './execution.ts'
import { makeMonitoring } from './monitoring.ts'
import { settingsOf, type TickringProps } from './options.ts'
import type { Table } from './parts.ts'
import { makeQueues } from './queues.ts'
import { assertRelations, deployedLimits } from './relations.ts'
import { makeTable } from './storage.ts'
import { makeTicking } from './ticking.ts'

export type { LaneOptions, TickringProps } from './options.ts'

export class Tickring extends Construct {
  readonly table: Table
  /** Where the API is served. */
  readonly url: string
  /** The SSM parameter with the first admin key. */
  readonly adminKeyParameter: string

  constructor(scope: Construct, id: string, props: TickringProps = {}) {
    super(scope, id)
    const settings = settingsOf(props)
    assertRelations(deployedLimits(settings.hopSeconds))
    const bundles = join(Stage.of(this)?.outdir ?? 'cdk.out', `bundles-${this.node.addr}`)
    bundleFunctions(bundles, props.handlers === undefined ? OWN_HANDLERS : resolve(props.handlers))
    this.table = makeTable(this, settings, props)
    const queues = makeQueues(this)
    const bus = new EventBus(this, 'Bus', { description: 'Ticks, and what became of runs' })
    const environment = {
      [ENV.tableName]: this.table.tableName,
      [ENV.shardCount]: String(settings.shardCount),
      [ENV.ledgerDays]: String(settings.ledgerDays),
      [ENV.hopSeconds]: String(settings.hopSeconds),
      [ENV.fastQueueUrl]: queues.fast.queueUrl,
      [ENV.slowQueueUrl]: queues.slow.queueUrl,
      [ENV.watchQueueUrl]: queues.watch.queueUrl,
      [ENV.busName]: bus.eventBusName,
      [ENV.stackName]: Stack.of(this).stackName,
      ...(settings.metricsByShard ? { [ENV.metricsByShard]: 'yes' } : {}),
    }
    const parts = { settings, bundles, table: this.table, environment }
    const ticking = makeTicking(this, parts, queues, bus)
    const execution = makeExecution(this, parts, queues)
    const door = makeFrontDoor(this, parts, queues, props)
    this.url = door.url
    this.adminKeyParameter = makeAtDeploy(this, parts, queues, Object.values(execution))
    makeMonitoring(this, { settings, queues, table: this.table, ticking, execution, door, topic: props.alarmTopic })
    new CfnOutput(this, 'Url', { value: this.url, description: 'Where the API is served' })
    new CfnOutput(this, 'AdminKey', {
      value: `aws ssm get-parameter --with-decryption --name ${this.adminKeyParameter} --query Parameter.Value --output text`,
      description: 'Prints the first admin key',
    })
  }
}

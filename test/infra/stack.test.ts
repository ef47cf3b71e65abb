// What the template says, and what a deployment may not say.

import { RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { beforeAll, describe, expect, test } from 'vitest'
import { ALARM_METRICS, FUNCTIONS, LEDGER_DAYS, MEMORY_MB, MOST_CALLS } from '../../bench/cost/deployment.ts'
import { makeApp } from '../../infra/make-app.ts'
import { assertRelations, deployedLimits } from '../../infra/relations.ts'
import { Tickring, type TickringProps } from '../../infra/tickring.ts'

/** Without the checks of the CDK, which one synthesis makes for all. */
const QUICK = { builtinCloudFormationValidation: false, treeMetadata: false }

function synthesised(props?: TickringProps, app = makeApp(QUICK)): Template {
  const stack = new Stack(app, 'Test')
  new Tickring(stack, 'Scheduler', props)
  return Template.fromStack(stack)
}

let template: Template

beforeAll(() => {
  const begunMs = performance.now()
  template = synthesised({}, makeApp())
  console.log(`the stack is bundled and synthesised in ${((performance.now() - begunMs) / 1000).toFixed(1)} s`)
}, 60_000)

const resources = (type: string) => Object.values(template.findResources(type))

describe('the table', () => {
  test('is paid by use, recoverable, cleaned by TTL and outlives its stack', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
      },
    })
    const [resource] = resources('AWS::DynamoDB::GlobalTable')
    expect(resource.Properties.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled).toBe(true)
  })
})

describe('every function', () => {
  const own = () =>
    resources('AWS::Lambda::Function').filter(
      ({ Properties }) => Properties.Handler === 'index.handler' && Properties.Architectures?.[0] === 'arm64',
    )

  test('is an ES module for Node 24 on arm64, whose loops by design Lambda does not end', () => {
    expect(own()).toHaveLength(8)
    for (const { Properties } of own()) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', RecursiveLoop: 'Allow' })
      expect(Properties.ReservedConcurrentExecutions).toBeUndefined()
    }
  })

  test('writes lines that keep metrics, into a log group of its own that forgets', () => {
    for (const { Properties } of own()) {
      expect(Properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'WARN' })
      expect(Properties.LoggingConfig.LogGroup).toBeDefined()
    }
    for (const { Properties } of resources('AWS::Logs::LogGroup')) expect(Properties.RetentionInDays).toBe(30)
  })
})

describe('a link of the chain', () => {
  test('that failed is not called again, and an event that was not delivered is kept for an operator', () => {
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    })
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: { source: ['tickring'], 'detail-type': ['tick'] },
      Targets: [
        Match.objectLike({
          RetryPolicy: { MaximumRetryAttempts: 3, MaximumEventAgeInSeconds: 60 },
          DeadLetterConfig: Match.anyValue(),
        }),
      ],
    })
  })
})

describe('every queue', () => {
  test('takes messages of a megabyte over TLS only, and its function says which of them come again', () => {
    expect(resources('AWS::SQS::Queue')).toHaveLength(5)
    for (const { Properties } of resources('AWS::SQS::Queue'))
      expect(Properties).toMatchObject({ MaximumMessageSize: 1_048_576, SqsManagedSseEnabled: true })
    expect(resources('AWS::SQS::QueuePolicy')).toHaveLength(5)
    for (const { Properties } of resources('AWS::Lambda::EventSourceMapping')) {
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures'])
      expect(Properties.MaximumBatchingWindowInSeconds).toBe(0)
    }
  })

  test('hides what was taken for longer than its function may take', () => {
    const visibilities = resources('AWS::SQS::Queue').map(({ Properties }) => Properties.VisibilityTimeout)
    expect(visibilities.filter((seconds) => seconds !== undefined).sort((a, b) => a - b)).toEqual([
      15, 540, 5400, 43_200,
    ])
  })
})

test('the API has one route, which leads to one function', () => {
  const routes = resources('AWS::ApiGatewayV2::Route')
  expect(routes.map(({ Properties }) => Properties.RouteKey)).toEqual(['$default'])
})

test('no role may do everything, or anything with everything', () => {
  for (const { Properties } of resources('AWS::IAM::Policy')) {
    for (const { Action, Resource } of Properties.PolicyDocument.Statement) {
      expect([Action].flat().filter((action: string) => action.includes('*'))).toEqual([])
      expect([Resource].flat()).not.toContain('*')
    }
  }
})

test('a deployment prints where the API is and how to fetch the first key', () => {
  const outputs = Object.values(template.findOutputs('*'))
  expect(outputs.map(({ Description }) => Description)).toEqual([
    'Where the API is served',
    'Prints the first admin key',
  ])
})

test('two stacks of one account do not meet: nothing has a name of its own', () => {
  const named = Object.entries(template.toJSON().Resources as Record<string, { Type: string; Properties?: object }>)
    .filter(
      ([, { Type, Properties = {} }]) =>
        ['TableName', 'QueueName', 'FunctionName', 'RoleName', 'LogGroupName', 'AlarmName'].some(
          (name) => name in Properties,
        ) &&
        Type !== 'AWS::Lambda::Permission' &&
        Type !== 'AWS::Lambda::EventSourceMapping' &&
        Type !== 'AWS::Lambda::EventInvokeConfig' &&
        Type !== 'AWS::Lambda::Version',
    )
    .map(([id]) => id)
  expect(named).toEqual([])
})

describe('a deployment that chooses', () => {
  let chosen: Template

  beforeAll(() => {
    const stack = new Stack(makeApp(), 'Chosen')
    new Tickring(stack, 'Scheduler', {
      shardCount: 4,
      hopSeconds: 7,
      jobsPerShard: 20_000,
      fast: { mostEnvironments: 20 },
      slow: { memoryMb: 2048 },
      ledgerDays: 90,
      logRetention: RetentionDays.ONE_WEEK,
      removalPolicy: RemovalPolicy.DESTROY,
      corsOrigins: ['https://ops.example.com'],
      requestsPerMinute: 1200,
      domain: {
        name: 'jobs.example.com',
        certificate: Certificate.fromCertificateArn(
          stack,
          'Certificate',
          'arn:aws:acm:eu-west-1:111111111111:certificate/x',
        ),
      },
      alarmTopic: Topic.fromTopicArn(stack, 'Topic', 'arn:aws:sns:eu-west-1:111111111111:alarms'),
      metricsByShard: true,
      warmWriteUnits: 8000,
    })
    chosen = Template.fromStack(stack)
  }, 60_000)

  test('has its functions know of it', () => {
    chosen.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          TICKRING_SHARD_COUNT: '4',
          TICKRING_HOP_SECONDS: '7',
          TICKRING_LEDGER_DAYS: '90',
          TICKRING_METRICS_BY_SHARD: 'yes',
          TICKRING_API_HOSTS: 'jobs.example.com',
          TICKRING_CORS_ORIGINS: 'https://ops.example.com',
          TICKRING_REQUESTS_PER_MINUTE: '1200',
        }),
      },
    })
  })

  test('gets the memory, the numbers, the days and the table that it wants', () => {
    const sizes = Object.values(chosen.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.MemorySize,
    )
    expect(sizes).toContain(2048)
    chosen.hasResourceProperties('AWS::Lambda::EventSourceMapping', { ScalingConfig: { MaximumConcurrency: 20 } })
    chosen.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 7 })
    chosen.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Delete',
      Properties: { WarmThroughput: { WriteUnitsPerSecond: 8000 } },
    })
  })

  test('is reached under its own domain only, and has its alarms told', () => {
    chosen.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: 'jobs.example.com' })
    chosen.hasResourceProperties('AWS::ApiGatewayV2::Api', { DisableExecuteApiEndpoint: true })
    chosen.allResourcesProperties('AWS::CloudWatch::Alarm', {
      AlarmActions: ['arn:aws:sns:eu-west-1:111111111111:alarms'],
    })
  })
})

describe('what `npm run cost` takes for granted', () => {
  test('memory, and history, are what the stack sets', () => {
    const functions = Object.entries(template.findResources('AWS::Lambda::Function'))
    for (const name of FUNCTIONS) {
      const id = `Scheduler${name.charAt(0).toUpperCase()}${name.slice(1)}Function`
      const found = functions.find(([logicalId]) => logicalId.startsWith(id))?.[1].Properties
      expect([name, found?.MemorySize]).toEqual([name, MEMORY_MB[name]])
      expect(found?.LoggingConfig.SystemLogLevel).toBe('WARN')
      expect(found?.Environment.Variables.TICKRING_LEDGER_DAYS).toBe(String(LEDGER_DAYS))
    }
  })

  test('as many calls at once as the mappings say', () => {
    const most = resources('AWS::Lambda::EventSourceMapping').map(
      ({ Properties }) => Properties.ScalingConfig?.MaximumConcurrency,
    )
    expect(most.filter((each) => each !== undefined).sort()).toEqual(Object.values(MOST_CALLS).sort())
    expect(most).toHaveLength(4)
  })

  test('as many metrics as the alarms look at', () => {
    const looksAt = ({ Properties }: { Properties?: { Metrics?: readonly { MetricStat?: object }[] } }) =>
      Properties?.Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1
    expect(resources('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + looksAt(alarm), 0)).toBe(ALARM_METRICS)
  })
})

test('schedules beside the code are saved when the executors have their handlers', () => {
  const [trigger] = resources('Custom::Trigger')
  const executors = Object.entries(template.findResources('AWS::Lambda::Function'))
    .filter(([, { Properties }]) => /^(Runs what|Gives messages)/.test(Properties.Description))
    .map(([id]) => id)
  expect(executors).toHaveLength(3)
  expect(trigger.DependsOn).toEqual(expect.arrayContaining(executors))
})

test('a table that a restore made takes the place of the one of the stack', () => {
  const restored = synthesised({ restoredTable: 'restored-1' })
  restored.resourceCountIs('AWS::DynamoDB::GlobalTable', 0)
  for (const { Properties } of Object.values(restored.findResources('AWS::Lambda::Function'))) {
    const { Variables } = Properties.Environment ?? {}
    if (Variables?.TICKRING_SHARD_COUNT !== undefined) expect(Variables.TICKRING_TABLE).toBe('restored-1')
  }
  expect(JSON.stringify(restored.findResources('AWS::IAM::Policy'))).toContain(':table/restored-1')
}, 60_000)

test('a relative path of handlers begins in the folder where the app is started', () => {
  expect(() => synthesised({ handlers: 'functions/handlers.ts' })).not.toThrow()
  expect(() => synthesised({ handlers: 'functions/no-handlers.ts' })).toThrow('no-handlers.ts')
}, 60_000)

describe('a deployment that would not work is refused before it is begun', () => {
  test.each([
    [{ shardCount: 0 }, 'shardCount is 0'],
    [{ shardCount: 3 }, 'Use a power of two from 1 to 512'],
    [{ hopSeconds: 1.5 }, 'hopSeconds is 1.5'],
    [{ jobsPerShard: 100_000 }, 'Use a larger shardCount'],
    [{ ledgerDays: 1 }, 'ledgerDays is 1'],
  ] as const)('%j', (props, message) => {
    expect(() => synthesised(props)).toThrow(message)
  })

  const limits = deployedLimits(1)
  test.each([
    [
      'visibility',
      { visibilitySeconds: { ...limits.visibilitySeconds, slow: 540 } },
      'the slow queue (540 s) must not be below',
    ],
    ['slow lane', { timeoutSeconds: { ...limits.timeoutSeconds, slow: 850 } }, 'beyond the longest run (840 s)'],
    ['fast lane', { timeoutSeconds: { ...limits.timeoutSeconds, fast: 70 } }, 'the longest run of that lane'],
    ['API', { timeoutSeconds: { ...limits.timeoutSeconds, api: 60 } }, 'the gateway answers for it'],
    ['hops', { hopSeconds: 115 }, 'in the middle of its seconds'],
    ['event age', { tickEventAgeSeconds: 5 }, 'the bus must keep an event'],
    ['batch', { messagesACall: { ...limits.messagesACall, slow: 2 } }, 'keep the others of its call from starting'],
  ] as const)('for its %s', (_, changed, message) => {
    expect(() => assertRelations({ ...limits, ...changed })).toThrow(message)
  })
})

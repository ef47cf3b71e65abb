// What of a template a laptop runs: each type of resource with the properties that matter here. Any other type, and any other property of
// these types, is refused, so that what is deployed and what runs here cannot drift apart. What is left aside on purpose stands here too,
// with the reason.

import * as z from 'zod'

/** On AWS only: nothing here reads it. */
const leftAside = z.unknown().optional()

const strictly = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape)

export const RUN = {
  'AWS::DynamoDB::GlobalTable': strictly({
    AttributeDefinitions: z.array(strictly({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
    KeySchema: z.array(strictly({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })),
    BillingMode: z.literal('PAY_PER_REQUEST'),
    TimeToLiveSpecification: strictly({ AttributeName: z.string(), Enabled: z.literal(true) }),
    // Recovery and capacity that is kept warm are the service's.
    Replicas: leftAside,
    WarmThroughput: leftAside,
  }),
  'AWS::SQS::Queue': strictly({
    MaximumMessageSize: z.number(),
    MessageRetentionPeriod: z.number().optional(),
    VisibilityTimeout: z.number().optional(),
    RedrivePolicy: strictly({ deadLetterTargetArn: z.string(), maxReceiveCount: z.number() }).optional(),
    // Encryption at rest.
    SqsManagedSseEnabled: leftAside,
  }),
  'AWS::Events::EventBus': strictly({ Name: z.string(), Description: leftAside }),
  'AWS::Events::Rule': strictly({
    EventBusName: z.string().optional(),
    EventPattern: strictly({ source: z.array(z.string()), 'detail-type': z.array(z.string()) }).optional(),
    ScheduleExpression: z
      .string()
      .regex(/^rate\(1 minute\)$/, 'only rate(1 minute) is known here')
      .optional(),
    State: z.literal('ENABLED'),
    Targets: z.array(
      strictly({
        Arn: z.string(),
        Id: z.string(),
        // Of handing the event over, which does not fail here. How long it then waits for its function is said by the function.
        RetryPolicy: leftAside,
        DeadLetterConfig: strictly({ Arn: z.string() }).optional(),
      }),
    ),
    Description: leftAside,
  }),
  'AWS::Lambda::Function': strictly({
    Code: strictly({ S3Bucket: z.unknown(), S3Key: z.string().endsWith('.zip') }),
    Environment: strictly({ Variables: z.record(z.string(), z.string()) }),
    Handler: z.literal('index.handler'),
    MemorySize: z.number(),
    Timeout: z.number(),
    Runtime: z.literal('nodejs24.x'),
    // Permissions are judged by a test; this machine has another processor, and loops are not looked for here.
    Role: leftAside,
    Architectures: leftAside,
    RecursiveLoop: leftAside,
    LoggingConfig: leftAside,
    Description: leftAside,
  }),
  'AWS::Lambda::EventSourceMapping': strictly({
    FunctionName: z.string(),
    EventSourceArn: z.string(),
    BatchSize: z.number(),
    FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
    MaximumBatchingWindowInSeconds: z.literal(0),
    ScalingConfig: strictly({ MaximumConcurrency: z.number() }).optional(),
  }),
  'AWS::Lambda::EventInvokeConfig': strictly({
    FunctionName: z.string(),
    Qualifier: z.literal('$LATEST'),
    MaximumEventAgeInSeconds: z.number(),
    MaximumRetryAttempts: z.literal(0),
  }),
  'AWS::Lambda::Version': strictly({ FunctionName: z.string() }),
  'AWS::ApiGatewayV2::Api': strictly({
    ProtocolType: z.literal('HTTP'),
    DisableExecuteApiEndpoint: z.literal(false),
    Name: leftAside,
    Description: leftAside,
  }),
  'AWS::ApiGatewayV2::Integration': strictly({
    ApiId: z.string(),
    IntegrationType: z.literal('AWS_PROXY'),
    IntegrationUri: z.string(),
    PayloadFormatVersion: z.literal('2.0'),
  }),
  'AWS::ApiGatewayV2::Route': strictly({
    ApiId: z.string(),
    RouteKey: z.literal('$default'),
    // The function asks for the key itself.
    AuthorizationType: z.literal('NONE'),
    Target: z.string(),
  }),
  'AWS::ApiGatewayV2::Stage': strictly({
    ApiId: z.string(),
    StageName: z.literal('$default'),
    AutoDeploy: z.literal(true),
    // For all keys together, against strangers of the internet. What one key may ask is the function's matter.
    DefaultRouteSettings: leftAside,
    AccessLogSettings: leftAside,
  }),
  'Custom::Trigger': strictly({
    ServiceToken: z.string(),
    HandlerArn: z.string(),
    InvocationType: z.literal('RequestResponse'),
    Timeout: z.string(),
    ExecuteOnHandlerChange: z.literal(true),
  }),
} as const

export type RunType = keyof typeof RUN
export type PropertiesOf<Type extends RunType> = z.infer<(typeof RUN)[Type]>

export const isRun = (type: string): type is RunType => Object.hasOwn(RUN, type)

/** Resources that nothing here stands for: permissions, logs, and what watches the deployment. */
export const LEFT_ASIDE: readonly string[] = [
  'AWS::IAM::Role',
  'AWS::IAM::Policy',
  'AWS::SQS::QueuePolicy',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
]

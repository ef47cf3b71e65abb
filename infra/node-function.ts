// One Lambda function of Tickring: its bundle, its own role and its own log group. What all of them share is said here once.

import { Duration } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import {
  ApplicationLogLevel,
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { type FunctionName, TIMEOUT_SECONDS } from '../shared/aws/limits.ts'
import type { BundleName } from './bundle.ts'
import { grantTable } from './grants.ts'
import type { Parts } from './parts.ts'

export interface FunctionOptions {
  readonly name: FunctionName
  readonly bundle: BundleName
  readonly memoryMb: number
  readonly description: string
  readonly environment?: Readonly<Record<string, string>>
}

export function makeFunction(scope: Construct, parts: Parts, options: FunctionOptions): LambdaFunction {
  const { name, bundle, memoryMb, description, environment = {} } = options
  const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com'), description })
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: parts.settings.logRetention,
    removalPolicy: parts.settings.removalPolicy,
  })
  logGroup.grantWrite(role)
  grantTable(parts.table, role, name)
  return new LambdaFunction(scope, `${id}Function`, {
    description,
    code: Code.fromAsset(`${parts.bundles}/${bundle}`),
    handler: 'index.handler',
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize: memoryMb,
    timeout: Duration.seconds(TIMEOUT_SECONDS[name]),
    role,
    logGroup,
    // Lines that the functions write pass as they are; Lambda's own are said only where something is wrong, because each is paid for.
    loggingFormat: LoggingFormat.JSON,
    applicationLogLevelV2: ApplicationLogLevel.INFO,
    systemLogLevelV2: SystemLogLevel.WARN,
    // Ticks, retries and lines of waiting runs are loops by design: Lambda would end them after sixteen rounds.
    recursiveLoop: RecursiveLoop.ALLOW,
    environment: { ...parts.environment, NODE_OPTIONS: '--enable-source-maps', ...environment },
  })
}

// The front door: one HTTP API whose only route leads to one function, which knows all routes itself.

import { Stack, Validations } from 'aws-cdk-lib'
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway'
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2'
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations'
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { ENV } from '../shared/aws/env.ts'
import { makeFunction } from './node-function.ts'
import type { TickringProps } from './options.ts'
import type { Parts } from './parts.ts'
import { allowSend, type Queues } from './queues.ts'

export interface FrontDoor {
  readonly url: string
  readonly api: HttpApi
  readonly handler: LambdaFunction
}

/** What the gateway lets through for all keys together; each key has its own rate in the function. */
const THROTTLE = { rateLimit: 500, burstLimit: 1000 }

export function makeFrontDoor(
  scope: Construct,
  parts: Parts,
  queues: Queues,
  { domain }: Pick<TickringProps, 'domain'>,
): FrontDoor {
  const { settings } = parts
  const api = new HttpApi(scope, 'Api', {
    description: 'The HTTP API of Tickring',
    createDefaultStage: false,
    // One who knows another name of the API must not get round the domain.
    disableExecuteApiEndpoint: domain !== undefined,
  })
  const { region, urlSuffix } = Stack.of(scope)
  const host = domain?.name ?? `${api.apiId}.execute-api.${region}.${urlSuffix}`
  const handler = makeFunction(scope, parts, {
    name: 'api',
    bundle: 'api',
    memoryMb: 1024,
    description: 'Answers the HTTP API',
    environment: {
      [ENV.apiHosts]: host,
      [ENV.corsOrigins]: settings.corsOrigins.join(','),
      [ENV.requestsPerMinute]: String(settings.requestsPerMinute),
    },
  })
  allowSend(handler, queues.fast, queues.slow, queues.watch)
  const route = new HttpRoute(scope, 'Route', {
    httpApi: api,
    routeKey: HttpRouteKey.DEFAULT,
    integration: new HttpLambdaIntegration('Handler', handler),
  })
  Validations.of(route).acknowledge({
    id: 'AwsSolutions::AwsSolutions-APIG4',
    reason: 'The function asks for the key itself: roles, namespaces and open routes are one table with the routes.',
  })
  const logs = new LogGroup(scope, 'AccessLogs', {
    retention: settings.logRetention,
    removalPolicy: settings.removalPolicy,
  })
  const stage = new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle: THROTTLE,
    accessLogSettings: { destination: new LogGroupLogDestination(logs), format: AccessLogFormat.clf() },
  })
  if (domain !== undefined) {
    const domainName = new DomainName(scope, 'Domain', { domainName: domain.name, certificate: domain.certificate })
    new ApiMapping(scope, 'Mapping', { api, domainName, stage })
  }
  return { url: `https://${host}`, api, handler }
}

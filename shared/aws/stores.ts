// All stores on one table.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Clock, Stores } from '../ports.ts'
import { DynamoAnswers } from './answers.ts'
import { readCalendar, readTemplate } from './items.ts'
import { DynamoJobs } from './jobs.ts'
import { KeptUntil } from './kept-until.ts'
import { DynamoLedger } from './ledger.ts'
import { DynamoLocks } from './locks.ts'
import { DynamoNamed } from './named.ts'
import { DynamoOpenRuns } from './open-runs.ts'
import { DynamoShards } from './shards.ts'
import { DynamoStates } from './states.ts'
import { Table } from './table.ts'

export interface StoreOptions {
  readonly client: DynamoDBClient
  readonly tableName: string
  readonly shardCount: number
  readonly ledgerDays: number
  readonly clock: Clock
}

export function dynamoStores({ client, tableName, shardCount, ledgerDays, clock }: StoreOptions): Stores {
  const table = new Table(client, tableName)
  const kept = new KeptUntil(ledgerDays)
  return {
    jobs: new DynamoJobs(table, shardCount, kept),
    shards: new DynamoShards(table, kept),
    ledger: new DynamoLedger(table, kept),
    open: new DynamoOpenRuns(table),
    states: new DynamoStates(table),
    locks: new DynamoLocks(table, shardCount),
    calendars: new DynamoNamed(table, 'calendar', readCalendar),
    templates: new DynamoNamed(table, 'template', readTemplate),
    answers: new DynamoAnswers(table, kept, clock),
  }
}

// All stores on one table.

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { namespaceBody } from '../core/access/namespace.ts'
import { calendarBody } from '../core/schedule/calendar.ts'
import { templateBody } from '../core/schedule/template.ts'
import type { Stores } from '../ports.ts'
import { DynamoApiKeys } from './api-keys.ts'
import { AuditedNamespaces, DynamoAuditTrail } from './audit-trail.ts'
import { DynamoIdempotencyKeys } from './idempotency-keys.ts'
import { DynamoJobs } from './jobs.ts'
import { KeptUntil } from './kept-until.ts'
import { DynamoLedger } from './ledger.ts'
import { DynamoLocks } from './locks.ts'
import { DynamoOpenRuns } from './open-runs.ts'
import { DynamoPendingEdits } from './pending-edits.ts'
import { DynamoShards } from './shards.ts'
import { DynamoStates } from './states.ts'
import { Table } from './table.ts'
import { DynamoVersionedDocuments } from './versioned-documents.ts'

export interface StoreOptions {
  readonly client: DynamoDBClient
  readonly tableName: string
  readonly shardCount: number
  readonly ledgerDays: number
}

export function dynamoStores({ client, tableName, shardCount, ledgerDays }: StoreOptions): Stores {
  const table = new Table(client, tableName)
  const kept = new KeptUntil(ledgerDays)
  const audited = new AuditedNamespaces(table, kept)
  const documentParts = { table, kept, audited }
  return {
    jobs: new DynamoJobs(table, shardCount, kept, audited),
    shards: new DynamoShards(table, kept),
    ledger: new DynamoLedger(table, shardCount, kept, audited),
    open: new DynamoOpenRuns(table, kept),
    states: new DynamoStates(table),
    locks: new DynamoLocks(table, shardCount),
    calendars: new DynamoVersionedDocuments(documentParts, 'calendar', calendarBody),
    templates: new DynamoVersionedDocuments(documentParts, 'template', templateBody),
    namespaces: new DynamoVersionedDocuments(documentParts, 'namespace', namespaceBody),
    pendingEdits: new DynamoPendingEdits(table),
    idempotency: new DynamoIdempotencyKeys(table, kept),
    apiKeys: new DynamoApiKeys(documentParts),
    audit: new DynamoAuditTrail(table, kept, audited),
  }
}

// What each function may do with the one table: which actions, and on items whose partition key begins with what. The first part of a key
// says what an item is about, so a ticker cannot read keys of the API, and an executor cannot write a lease.

import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import type { FunctionName } from '../shared/aws/limits.ts'
import type { Table } from './parts.ts'

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem'

interface Grant {
  readonly actions: readonly Action[]
  /** First parts of partition keys; see shared/aws/keys.ts. */
  readonly keys: readonly string[]
}

const READ = ['GetItem', 'BatchGetItem', 'Query'] as const
const ALL = [...READ, 'PutItem', 'UpdateItem', 'DeleteItem'] as const

/** Saving, stopping and deleting a job is one transaction over all of these. */
const JOBS = ['JOB', 'ONCE', 'VER', 'DEF', 'BODY', 'CHG', 'AT', 'DATES', 'AUDIT', 'AUDITED', 'STATE']
const RUNS = ['RUN', 'DETAIL', 'FEED', 'CHAIN', 'OPEN', 'OPENMSG', 'PAGE', 'RECENT', 'MISSED']
const LOCKS = ['LOCKS', 'LOCK']
const NAMED = ['CAL', 'TPL', 'NS', 'PENDING']

const GRANTS: Readonly<Record<FunctionName, readonly Grant[]>> = {
  tick: [
    { actions: ALL, keys: ['META', 'SHARD', 'MIN', ...JOBS, ...RUNS, ...LOCKS] },
    { actions: READ, keys: ['CAL', 'TPL'] },
  ],
  switch: [{ actions: ['GetItem', 'UpdateItem'], keys: ['SHARD', 'META'] }],
  minute: [{ actions: ALL, keys: ['META', 'SHARD', 'MIN', ...JOBS, ...RUNS, ...LOCKS, ...NAMED] }],
  fast: executor(),
  slow: executor(),
  dead: executor(),
  api: [
    { actions: ALL, keys: [...JOBS, ...RUNS, ...LOCKS, ...NAMED, 'KEY', 'KEYS', 'IDEM'] },
    { actions: READ, keys: ['META', 'SHARD', 'MIN'] },
  ],
  deploy: [
    { actions: ALL, keys: ['META', 'SHARD', ...JOBS, 'KEY', 'KEYS'] },
    { actions: READ, keys: ['CAL', 'TPL'] },
  ],
}

function executor(): readonly Grant[] {
  return [
    { actions: ALL, keys: [...RUNS, ...LOCKS, 'STATE', 'CHG'] },
    { actions: READ, keys: ['META', 'SHARD', 'MIN', 'JOB', 'ONCE', 'VER', 'DEF', 'BODY', 'DATES'] },
  ]
}

export function grantTable(table: Table, role: Role, name: FunctionName): void {
  for (const { actions, keys } of GRANTS[name]) {
    role.addToPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn],
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys.flatMap((key) => [key, `${key}#*`]) },
          // Without this a request that names no key at all would be allowed.
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    )
  }
}

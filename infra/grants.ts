// What each function may do with the one table: which actions, and on items whose partition key begins with what. The first part of a key
// says what an item is about, so a ticker cannot read keys of the API, and an executor cannot write a lease. A test runs every function
// and holds what it did against this list, in both directions.

import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam'
import type { FunctionName } from '../shared/aws/limits.ts'
import type { Table } from './parts.ts'

const ACTIONS = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] as const
type Action = (typeof ACTIONS)[number]

/** First parts of partition keys, see shared/aws/keys.ts, by what may be done with their items. A transaction counts as its parts. */
type Grants = Readonly<Partial<Record<Action, readonly string[]>>>

function all(...parts: readonly Grants[]): Grants {
  const keysOf = (action: Action) => [...new Set(parts.flatMap((part) => part[action] ?? []))]
  return Object.fromEntries(ACTIONS.map((action) => [action, keysOf(action)]).filter(([, keys]) => keys.length > 0))
}

// Where the answer to a write is lost, its item is read: so each of these may also be read where it is written under a condition.

/** Every function asks the store for its time when it starts and when it was frozen. */
const TIME: Grants = { GetItem: ['META'] }

const MAKE_SHARDS: Grants = { GetItem: ['META'], PutItem: ['META', 'SHARD'], UpdateItem: ['META'] }
const TAKE_OVER: Grants = { GetItem: ['SHARD'], UpdateItem: ['SHARD'] }
/** Where the pages of a second are stored. */
const DEPTHS: Grants = { GetItem: ['SHARD'], Query: ['MIN'] }

const READ_JOBS: Grants = { BatchGetItem: ['JOB', 'ONCE'], GetItem: ['DATES'] }
/** All jobs of a shard and what changes; one-time jobs when their minute is near. */
const FOLLOW_JOBS = all(READ_JOBS, { Query: ['JOB', 'CHG', 'AT'] })
const LIST_JOBS = all(READ_JOBS, { Query: ['JOB', 'ONCE', 'CHG'] })

/** A new version of a job that is there. */
const REVISE_JOBS = all(READ_JOBS, {
  BatchGetItem: ['BODY'],
  GetItem: ['JOB', 'SHARD', 'STATE'],
  PutItem: ['VER', 'DEF', 'CHG', 'AT', 'AUDIT', 'AUDITED'],
  UpdateItem: ['JOB', 'VER', 'DEF'],
})
const REVISE_ONE_TIME_JOBS: Grants = { GetItem: ['ONCE'], UpdateItem: ['ONCE'] }
/** One-time jobs are stored apart. One that becomes another kind of job moves, and never back. */
const SAVE_JOBS = all(REVISE_JOBS, {
  GetItem: ['CAL', 'TPL'],
  PutItem: ['JOB', 'BODY', 'DATES'],
  UpdateItem: ['BODY'],
  DeleteItem: ['ONCE'],
})

/** A run with an item of its own, and its place in the list of open runs. */
const PUT_RUNS: Grants = { GetItem: ['RUN'], PutItem: ['RUN', 'FEED', 'OPEN', 'OPENMSG'] }
/** Claims, ends and cancels runs, on a page or in an item. */
const CHANGE_RUNS: Grants = {
  BatchGetItem: ['PAGE'],
  GetItem: ['PAGE', 'RUN'],
  UpdateItem: ['PAGE', 'RUN', 'DETAIL'],
}
/** What follows the end of a run: its lock goes on, jobs that come after it are triggered, it leaves the list of open runs. */
const END_RUNS = all(CHANGE_RUNS, PUT_RUNS, READ_JOBS, {
  GetItem: ['LOCKS', 'LOCK', 'STATE'],
  PutItem: ['CHAIN', 'RECENT'],
  UpdateItem: ['LOCKS', 'LOCK'],
  DeleteItem: ['OPEN', 'OPENMSG'],
})
/** Compares what was due with what the ledger holds, and sends again. */
const AUDIT_RUNS = all(END_RUNS, DEPTHS, TAKE_OVER, { BatchGetItem: ['OPENMSG'], GetItem: ['OPEN'], Query: ['OPEN'] })

const EXECUTE = all(TIME, END_RUNS, DEPTHS, {
  BatchGetItem: ['BODY'],
  Query: ['CHG', 'VER', 'RUN'],
  PutItem: ['CHG'],
  UpdateItem: ['STATE'],
})

/** Calendars, templates and settings of namespaces. */
const DOCUMENTS = ['CAL', 'TPL', 'NS']

const GRANTS: Readonly<Record<FunctionName, Grants>> = {
  tick: all(TIME, TAKE_OVER, FOLLOW_JOBS, REVISE_JOBS, REVISE_ONE_TIME_JOBS, AUDIT_RUNS, {
    PutItem: ['MIN', 'MISSED'],
    // The payload of a job that it deletes goes with the job's ledger.
    UpdateItem: ['STATE', 'BODY'],
  }),
  switch: all(TIME, TAKE_OVER),
  // The last resort of every chain; and it carries edits of calendars to jobs.
  minute: all(MAKE_SHARDS, TAKE_OVER, FOLLOW_JOBS, LIST_JOBS, REVISE_JOBS, REVISE_ONE_TIME_JOBS, AUDIT_RUNS, {
    GetItem: ['CAL'],
    Query: ['PENDING'],
    PutItem: ['PENDING', 'DATES'],
    DeleteItem: ['PENDING'],
  }),
  fast: EXECUTE,
  slow: EXECUTE,
  dead: EXECUTE,
  api: all(
    TIME,
    LIST_JOBS,
    SAVE_JOBS,
    REVISE_ONE_TIME_JOBS,
    PUT_RUNS,
    CHANGE_RUNS,
    DEPTHS,
    {
      BatchGetItem: ['RUN', 'DETAIL'],
      GetItem: ['DEF', 'KEY', 'KEYS', 'IDEM', ...DOCUMENTS],
      Query: ['VER', 'DEF', 'PAGE', 'RUN', 'FEED', 'CHAIN', 'MISSED', 'RECENT', 'OPEN'],
      PutItem: ['ONCE', 'CHAIN'],
    },
    {
      Query: ['KEY', 'AUDIT', 'AUDITED', 'PENDING', ...DOCUMENTS],
      PutItem: ['KEY', 'IDEM', 'PENDING', ...DOCUMENTS],
      UpdateItem: ['KEY', 'KEYS', 'IDEM'],
      DeleteItem: ['KEY', 'IDEM', 'PENDING'],
    },
  ),
  deploy: all(MAKE_SHARDS, LIST_JOBS, SAVE_JOBS, {
    GetItem: ['KEYS'],
    Query: ['KEY'],
    PutItem: ['KEY'],
    UpdateItem: ['KEYS'],
  }),
}

/**
 * Items that a process asks for at one moment are read in one call, whatever they are about. So whether an item is read alone or with others
 * depends on what else is asked for, and both are granted for the same keys.
 */
const READS: readonly Action[] = ['GetItem', 'BatchGetItem']

export function grantTable(table: Table, role: Role, name: FunctionName): void {
  const keysOf = (actions: readonly Action[]) => [...new Set(actions.flatMap((action) => GRANTS[name][action] ?? []))]
  const others = ACTIONS.filter((action) => !READS.includes(action)).map((action) => [action])
  for (const actions of [READS, ...others]) {
    const keys = keysOf(actions)
    if (keys.length === 0) continue
    role.addToPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn],
        conditions: {
          // All keys of one action stand in one statement, because all keys of a request must fit the same.
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys.flatMap((key) => [key, `${key}#*`]) },
          // Without this a request that names no key at all would be allowed.
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    )
  }
}

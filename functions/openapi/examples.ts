// An example of each larger request and answer, all about the same few jobs, so that one can be checked against another. Only the document
// shows them, so they are kept beside it and not in the bundle of the API.

const ACTOR = { type: 'key', id: '3fK9aZqL', name: 'ops', onBehalfOf: 'anna@acme.example' }
const PLAIN_ACTOR = { ...ACTOR, onBehalfOf: null }
const PARAMS = { namespace: 'billing', name: 'nightly-invoices' }
const JOB_ID = '48d0JiWAbQI'
const RUN_ID = `${JOB_ID}.1794792600`

const BODY = {
  description: 'Invoices of the day',
  tags: { team: 'billing' },
  schedules: [{ cron: '30 2 * * *', zone: 'Europe/Berlin' }],
  calendars: ['shared/bank-holidays'],
  retry: { attempts: 3, delay: '30s', maxDelay: '10m' },
  target: { type: 'handler', handler: 'send-invoices' },
  payload: { region: 'eu' },
}

const LAST = {
  id: RUN_ID,
  instant: '2026-11-16T01:30:00Z',
  trigger: 'SCHEDULE',
  status: 'FAILED',
  attempt: 4,
  startedAt: '2026-11-16T01:33:12.090Z',
  finishedAt: '2026-11-16T01:33:14.531Z',
  durationMs: 2441,
  latenessMs: 212,
}

const { payload: PAYLOAD, ...FIELDS } = BODY

/** As it is saved, without payload and status. */
const DEFINITION = {
  ...PARAMS,
  ...FIELDS,
  retry: { attempts: 3, delay: 30, maxDelay: 600 },
  template: null,
  startAt: null,
  endAt: null,
  maxRuns: null,
  deleteAfter: null,
  dst: { gap: 'shift', overlap: 'first' },
  spread: 0,
  misfire: { policy: 'FIRE_ONCE_NOW' },
  block: { strategy: 'SERIAL' },
  skipIfSuccessful: false,
  after: [],
  timeout: 60,
  heartbeat: null,
  maxLateness: null,
  priority: 0,
  then: [],
  notify: ['FAILED', 'TIMED_OUT', 'LOST', 'MISSED'],
  stopAfterFailures: null,
  history: { keepDetail: false },
}

const JOB = {
  ...DEFINITION,
  status: 'RUNNING',
  payload: PAYLOAD,
  id: JOB_ID,
  version: 7,
  activeFrom: '2026-11-16T19:10:04Z',
  createdAt: '2026-03-02T09:14:11.402Z',
  updatedAt: '2026-11-16T19:10:02.118Z',
  managedBy: null,
  effective: { timeout: 60 },
  explain: ['at 02:30, Europe/Berlin'],
  stopped: null,
  next: ['2026-11-17T01:30:00Z', '2026-11-18T01:30:00Z', '2026-11-19T01:30:00Z'],
  last: LAST,
  moved: [],
}

const STOPPED = {
  ...JOB,
  status: 'STOPPED',
  stopped: {
    code: 'BY_HAND',
    reason: 'INC-42 double bookings',
    at: '2026-11-16T19:10:02.118Z',
    until: '2026-11-17T07:00:00Z',
    queued: 'run',
    operation: null,
    by: ACTOR,
  },
  next: ['2026-11-18T01:30:00Z', '2026-11-19T01:30:00Z', '2026-11-20T01:30:00Z'],
}

const RUN_SUMMARY = {
  ...LAST,
  job: { id: JOB_ID, ...PARAMS, version: 6 },
  nominal: '2026-11-16T01:30:00Z',
  root: RUN_ID,
  error: { name: 'Error', message: 'the ledger of the bank is away' },
  reason: 'the ledger of the bank is away',
}

const RUN = {
  ...RUN_SUMMARY,
  cause: null,
  lane: 'fast',
  part: null,
  queuedAt: null,
  claimedAt: '2026-11-16T01:33:12.061Z',
  deadline: null,
  retryAt: null,
  heartbeatAt: null,
  progress: null,
  executor: '2026/11/16/[12]4f0c',
  payload: { region: 'eu' },
  output: null,
  error: { ...RUN_SUMMARY.error, stack: '' },
  log: [{ at: '2026-11-16T01:33:12.130Z', line: 'asking the ledger of the bank' }],
  logTruncated: false,
  attempts: [1, 2, 3, 4].map((attempt) => ({
    attempt,
    status: 'FAILED',
    startedAt: `2026-11-16T01:3${attempt - 1}:12.090Z`,
    durationMs: 1900 + attempt,
    error: 'the ledger of the bank is away',
  })),
}

const TRIGGERED = {
  ...RUN,
  id: `${JOB_ID}.1794853210.mCFcyMy4F9kY`,
  root: `${JOB_ID}.1794853210.mCFcyMy4F9kY`,
  instant: null,
  nominal: null,
  trigger: 'MANUAL',
  status: 'QUEUED',
  attempt: 1,
  startedAt: null,
  finishedAt: null,
  durationMs: null,
  latenessMs: null,
  claimedAt: null,
  executor: null,
  cause: { retryOf: null, run: null, operation: null, by: PLAIN_ACTOR },
  payload: { region: 'us' },
  error: null,
  reason: null,
  log: [],
  attempts: [],
}

const END = {
  status: 'SUCCEEDED',
  startedAt: '2026-11-16T19:20:10.090Z',
  finishedAt: '2026-11-16T19:20:11.531Z',
  durationMs: 1441,
  claimedAt: '2026-11-16T19:20:10.061Z',
  executor: '2026/11/16/[12]4f0c',
  output: { invoices: 812 },
}

const RETRIED = {
  ...TRIGGERED,
  id: `${JOB_ID}.1794853210.rDKvbPq7Tz2e`,
  root: RUN_ID,
  instant: LAST.instant,
  cause: { ...TRIGGERED.cause, retryOf: RUN_ID },
  payload: RUN.payload,
}

const FIRE = { zone: 'Europe/Berlin', kind: 'start', job: 'billing/nightly-invoices' }

/** Of an act that moves no fire. */
export const DRY_RUN = { dryRun: true, result: 'DELETED', activeFrom: null, changes: [], fires: null, warnings: [] }

const PREVIEW = {
  items: [
    {
      instant: '2027-03-27T01:30:00Z',
      nominal: '2027-03-27T01:30:00Z',
      local: '2027-03-27T02:30:00+01:00',
      zone: 'Europe/Berlin',
      schedule: 0,
      kind: 'start',
      dst: null,
    },
    {
      instant: '2027-03-28T01:30:00Z',
      nominal: '2027-03-28T01:30:00Z',
      local: '2027-03-28T03:30:00+02:00',
      zone: 'Europe/Berlin',
      schedule: 0,
      kind: 'start',
      dst: 'GAP_SHIFTED',
    },
  ],
  explain: ['at 02:30, Europe/Berlin'],
  warnings: [],
}

const CALENDAR = {
  namespace: 'shared',
  name: 'bank-holidays',
  description: '',
  dates: ['2026-12-25', '2027-01-01'],
  version: 4,
  updatedAt: '2026-11-01T08:00:00.000Z',
  usedBy: 12,
  applied: true,
}

const TEMPLATE = {
  namespace: 'billing',
  name: 'end-of-month',
  description: 'The last day of every month at 18:00',
  schedules: [{ cron: '0 18 L * *' }],
  builtIn: false,
  version: 1,
  updatedAt: '2026-11-01T08:00:00.000Z',
  usedBy: 3,
}

const NAMESPACE = {
  name: 'cust-17',
  jobs: 41,
  limits: { jobs: 500, triggersPerMinute: 60 },
  notify: null,
  version: 1,
  updatedAt: '2026-11-01T08:00:00.000Z',
}

const KEY = {
  id: '3fK9aZqL',
  name: 'ops',
  role: 'operator',
  namespaces: ['billing', 'cust-*'],
  createdAt: '2026-03-02T09:00:00.000Z',
  expiresAt: null,
  lastUsedAt: '2026-11-16T19:20:00.000Z',
  previousUntil: null,
}

const SECRET = 'tkr_3fK9aZqL_…'
const STOP_CHANGES = [{ path: '/status', from: 'RUNNING', to: 'STOPPED' }]

interface Example {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly answer: unknown
  /** Where another status has another answer. */
  readonly answers?: Readonly<Record<number, unknown>>
}

/** By operation. */
export const EXAMPLES: Readonly<Partial<Record<string, Example>>> = {
  putJob: { params: PARAMS, body: BODY, answer: { ...JOB, warnings: [] } },
  getJob: { params: PARAMS, answer: JOB },
  patchJob: {
    params: PARAMS,
    body: { retry: { attempts: 3, delay: '30s', maxDelay: '10m' } },
    answer: { ...JOB, warnings: [] },
  },
  stopJob: {
    params: PARAMS,
    body: { reason: 'INC-42 double bookings', until: '2026-11-17T08:00:00+01:00' },
    answer: STOPPED,
  },
  rescheduleJob: {
    params: PARAMS,
    body: { at: '2026-11-17T02:00:00Z' },
    answer: {
      ...JOB,
      next: ['2026-11-17T02:00:00Z', '2026-11-18T01:30:00Z', '2026-11-19T01:30:00Z'],
      moved: [{ from: '2026-11-17T01:30:00Z', to: '2026-11-17T02:00:00Z' }],
    },
  },
  triggerJob: {
    params: PARAMS,
    body: { payload: { region: 'us' } },
    answer: TRIGGERED,
    answers: { 200: { ...TRIGGERED, ...END } },
  },
  startJob: { params: PARAMS, body: {}, answer: JOB },
  deleteJob: {
    params: PARAMS,
    answer: {
      ...DRY_RUN,
      activeFrom: '2026-11-16T19:20:12Z',
      fires: {
        from: '2026-11-16T19:20:12Z',
        to: '2026-11-17T19:20:12Z',
        same: 0,
        appear: { count: 0, items: [] },
        vanish: {
          count: 1,
          items: [{ ...FIRE, instant: '2026-11-17T01:30:00Z', local: '2026-11-17T02:30:00+01:00' }],
        },
      },
    },
  },
  jobVersions: {
    params: PARAMS,
    answer: {
      items: [
        {
          version: 7,
          at: '2026-11-16T19:10:02.118Z',
          activeFrom: '2026-11-16T19:10:04Z',
          by: ACTOR,
          status: 'STOPPED',
          changes: STOP_CHANGES,
          definition: DEFINITION,
        },
      ],
      next: null,
    },
  },
  listJobs: {
    query: { namespace: 'billing', tag: 'team:billing', facets: 'status,tag', limit: '2' },
    answer: {
      items: [
        {
          ...PARAMS,
          id: JOB_ID,
          version: 7,
          description: 'Invoices of the day',
          tags: { team: 'billing' },
          status: 'RUNNING',
          stopped: null,
          managedBy: null,
          target: { type: 'handler' },
          explain: ['at 02:30, Europe/Berlin'],
          updatedAt: '2026-11-16T19:10:02.118Z',
          next: JOB.next,
        },
      ],
      next: null,
      total: 1,
      facets: { status: { RUNNING: 1 }, tag: { team: { billing: 1 } }, truncated: [] },
    },
  },
  batchJobs: {
    body: {
      defaults: {
        namespace: 'billing',
        target: { type: 'handler', handler: 'remind' },
        retry: { attempts: 3 },
        deleteAfter: '1d',
      },
      items: [
        {
          put: { name: 'remind-1001', schedules: [{ at: '2026-12-01T09:00:00Z' }], payload: { invoice: 1001 } },
          ifVersion: 0,
        },
        { delete: { name: 'remind-0990' } },
      ],
    },
    answer: {
      results: [
        {
          index: 0,
          status: 201,
          result: 'CREATED',
          job: {
            id: '9b2NfQe0VtR',
            namespace: 'billing',
            name: 'remind-1001',
            version: 1,
            activeFrom: '2026-11-16T19:20:12Z',
          },
          warnings: [],
        },
        { index: 1, status: 204, result: 'DELETED' },
      ],
      counts: { CREATED: 1, UPDATED: 0, UNCHANGED: 0, DELETED: 1, FAILED: 0 },
    },
  },
  preview: {
    body: {
      schedules: [{ cron: '30 2 * * *', zone: 'Europe/Berlin' }],
      from: '2027-03-27T00:00:00Z',
      count: 2,
    },
    answer: PREVIEW,
  },
  previewJob: { params: PARAMS, query: { from: '2027-03-27T00:00:00Z', count: '2' }, answer: PREVIEW },
  listJobRuns: {
    params: PARAMS,
    query: { status: 'FAILED,MISSED', limit: '50' },
    answer: {
      items: [RUN_SUMMARY],
      missed: [
        {
          from: '2026-11-15T00:41:00Z',
          to: '2026-11-15T00:43:01Z',
          count: 3,
          status: 'MISSED',
          reason: 'the job does nothing about missed instants',
        },
      ],
      next: null,
      searchedTo: '2026-10-17T00:00:00Z',
    },
  },
  listRuns: {
    query: { namespace: 'billing' },
    answer: { items: [RUN_SUMMARY], missed: [], next: null, searchedTo: '2026-10-17T00:00:00Z' },
  },
  getRun: { params: { id: RUN_ID }, answer: RUN },
  cancelRun: {
    params: { id: TRIGGERED.id },
    body: {},
    answer: { ...TRIGGERED, status: 'CANCELLED', reason: 'cancelled by ops' },
  },
  retryRun: {
    params: { id: RUN_ID },
    body: {},
    answer: RETRIED,
    answers: { 200: { ...RETRIED, ...END } },
  },
  putCalendar: {
    params: { namespace: 'shared', name: 'bank-holidays' },
    body: { dates: ['2026-12-25', '2027-01-01'] },
    answer: CALENDAR,
  },
  getCalendar: { answer: CALENDAR },
  listCalendars: { answer: { items: [CALENDAR], next: null } },
  putTemplate: {
    params: { namespace: 'billing', name: 'end-of-month' },
    body: { description: 'The last day of every month at 18:00', schedules: [{ cron: '0 18 L * *' }] },
    answer: TEMPLATE,
  },
  getTemplate: { answer: TEMPLATE },
  listTemplates: { answer: { items: [TEMPLATE], next: null } },
  putNamespace: {
    params: { name: 'cust-17' },
    body: { limits: { jobs: 500, triggersPerMinute: 60 } },
    answer: NAMESPACE,
  },
  getNamespace: { answer: NAMESPACE },
  listNamespaces: { answer: { items: [NAMESPACE], next: null } },
  createKey: {
    body: { name: 'ops', role: 'operator', namespaces: ['billing', 'cust-*'] },
    answer: { ...KEY, lastUsedAt: null, secret: SECRET },
  },
  getKey: { answer: KEY },
  listKeys: { answer: { items: [KEY], next: null } },
  rotateKey: {
    body: { overlap: '1d' },
    answer: { ...KEY, previousUntil: '2026-11-17T19:20:10Z', secret: SECRET },
  },
  listAudit: {
    answer: {
      items: [
        {
          id: 'aud_01J9Z6',
          at: '2026-11-16T19:10:02.118Z',
          by: ACTOR,
          action: 'job.stop',
          namespace: 'billing',
          target: 'billing/nightly-invoices',
          reason: 'INC-42 double bookings',
          operation: null,
          versionBefore: 6,
          versionAfter: 7,
          changes: STOP_CHANGES,
          requestId: 'req_01J9Z6T4',
        },
      ],
      next: null,
    },
  },
  me: {
    answer: {
      key: {
        id: '3fK9aZqL',
        name: 'ops',
        role: 'operator',
        namespaces: ['billing', 'cust-*'],
        expiresAt: null,
      },
      time: '2026-11-16T19:20:10.412Z',
      version: '0.1.0',
      limits: { bodyBytes: 262_144, batchItems: 500, requestsPerMinute: 600, ledgerDays: 400 },
    },
  },
  health: { answer: { status: 'ok', time: '2026-11-16T19:20:10.412Z' } },
  openapi: { answer: { openapi: '3.1.0', info: { title: 'Tickring' } } },
}

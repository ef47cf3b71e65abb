// The one table, as the stores use it: reads, conditional writes and transactions. What a failed condition means is decided here
// once. The SDK may have sent a write twice, so each write looks at what stands there and recognises its own.

import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import {
  type Attributes,
  type Condition,
  conditionExpression,
  Placeholders,
  type Update,
  updateExpression,
} from './expression.ts'
import { keyAttributes, type TableKey } from './keys.ts'
import { Reads } from './reads.ts'

/** What stands there where a write was not made. */
export type Written =
  | { readonly done: true; readonly item: Attributes }
  | { readonly done: false; readonly found: Attributes | null }

/** Tells whether what stands there was written by this very call. */
type IsMine = (found: Attributes) => boolean

export interface Query {
  readonly pk: string
  /** Sort keys from here on, this one included. */
  readonly from?: string
  /** Sort keys up to here, this one included. */
  readonly to?: string
  readonly limit?: number
  /** How many the store sends at once, where a megabyte is too much at a time. */
  readonly itemsAPage?: number
  readonly newestFirst?: boolean
  /** False where an answer a second old will do, at half the price. */
  readonly isConsistent?: boolean
}

/** Sort keys are of digits, letters, # and hyphen, so all lie between these. */
const FIRST_SORT_KEY = ' '
const LAST_SORT_KEY = '~'

const MOST_TRANSACTION_TRIES = 6
const CONFLICT_WAIT_MS = 40
/** A change that is committed later than this after its stamp might be overlooked by tickers. */
const TRANSACTION_GIVEN_UP_MS = 5000

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export class Table {
  readonly #client: DynamoDBClient
  readonly #name: string
  readonly #reads: Reads

  constructor(client: DynamoDBClient, name: string) {
    this.#client = client
    this.#name = name
    this.#reads = new Reads(client, name)
  }

  /** Strongly consistent. */
  async get(key: TableKey): Promise<Attributes | null> {
    const [item] = await this.#reads.get([key])
    return item
  }

  /** Strongly consistent; what is not there is left out. */
  async getMany(keys: readonly TableKey[]): Promise<Attributes[]> {
    return (await this.#reads.get(keys)).filter((item) => item !== null)
  }

  async *pages(query: Query): AsyncGenerator<Attributes[]> {
    for await (const { Items } of this.#answers(query)) yield Items ?? []
  }

  /** How many items are in the range. The store reads them all the same, but sends none. */
  async count(query: Query): Promise<number> {
    let counted = 0
    for await (const { Count } of this.#answers(query, 'COUNT')) counted += Count ?? 0
    return counted
  }

  async *#answers(
    {
      pk,
      from = FIRST_SORT_KEY,
      to = LAST_SORT_KEY,
      limit,
      itemsAPage,
      newestFirst = false,
      isConsistent = true,
    }: Query,
    select?: 'COUNT',
  ): AsyncGenerator<QueryCommandOutput> {
    const x = new Placeholders()
    const KeyConditionExpression = `${x.name('pk')} = ${x.value({ S: pk })} AND ${x.name('sk')} BETWEEN ${x.value({ S: from })} AND ${x.value({ S: to })}`
    let start: Attributes | undefined
    do {
      const answer = await this.#client.send(
        new QueryCommand({
          TableName: this.#name,
          KeyConditionExpression,
          ExpressionAttributeNames: x.names,
          ExpressionAttributeValues: x.values,
          ScanIndexForward: !newestFirst,
          ConsistentRead: isConsistent,
          Limit: limit ?? itemsAPage,
          ExclusiveStartKey: start,
          Select: select,
        }),
      )
      yield answer
      start = answer.LastEvaluatedKey
    } while (start !== undefined)
  }

  /** Everything in the range, or the first so many where there is a limit. */
  async query(query: Query): Promise<Attributes[]> {
    const found: Attributes[] = []
    for await (const page of this.pages(query)) {
      for (const item of page) found.push(item)
      if (query.limit !== undefined && found.length >= query.limit) return found.slice(0, query.limit)
    }
    return found
  }

  put(key: TableKey, item: Attributes, onlyIf?: Condition, isMine?: IsMine): Promise<Written> {
    const command = new PutItemCommand({
      TableName: this.#name,
      Item: { ...item, ...keyAttributes(key) },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...conditionExpression(onlyIf),
    })
    return this.#written(key, isMine, async () => {
      await this.#client.send(command)
      return item
    })
  }

  /** `returns` says whether the whole item is wanted afterwards. */
  update(key: TableKey, update: Update, isMine?: IsMine, returns: 'ALL_NEW' | 'NONE' = 'NONE'): Promise<Written> {
    const command = new UpdateItemCommand({
      TableName: this.#name,
      Key: keyAttributes(key),
      ReturnValues: returns,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...updateExpression(update),
    })
    return this.#written(key, isMine, async () => (await this.#client.send(command)).Attributes ?? {})
  }

  remove(key: TableKey, onlyIf?: Condition): Promise<Written> {
    const command = new DeleteItemCommand({
      TableName: this.#name,
      Key: keyAttributes(key),
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ...conditionExpression(onlyIf),
    })
    return this.#written(key, undefined, async () => {
      await this.#client.send(command)
      return {}
    })
  }

  /** Removes an item and returns what it was; null where it was not there. An answer that was lost says nothing of it. */
  async take(key: TableKey): Promise<Attributes | null> {
    const { Attributes: taken } = await this.#client.send(
      new DeleteItemCommand({ TableName: this.#name, Key: keyAttributes(key), ReturnValues: 'ALL_OLD' }),
    )
    return taken ?? null
  }

  async #written(
    key: TableKey,
    isMine: IsMine | undefined,
    write: () => Promise<Attributes>,
    tries = 1,
  ): Promise<Written> {
    try {
      return { done: true, item: await write() }
    } catch (error) {
      // A transaction on the same item was under way: nothing was written.
      if (isInProgress(error) && tries < MOST_TRANSACTION_TRIES) {
        await pause(CONFLICT_WAIT_MS * 2 ** tries * Math.random())
        return this.#written(key, isMine, write, tries + 1)
      }
      if (error instanceof ConditionalCheckFailedException) return judge(error.Item ?? null, isMine)
      // No answer came. If what stands there is ours, the write was made. If not, it may still be made, so it stays unknown.
      if (isMine === undefined) throw error
      const judged = judge(await this.get(key), isMine)
      if (judged.done) return judged
      throw error
    }
  }

  /** All or nothing. False where a condition failed and `isMine` does not find it made. */
  async transact(writes: readonly TransactionPart[], isMine: () => Promise<boolean>): Promise<boolean> {
    const TransactItems = writes.map((write) => this.#part(write))
    // One token for all tries: the store recognises a transaction that it has made already.
    const ClientRequestToken = crypto.randomUUID()
    const abortSignal = AbortSignal.timeout(TRANSACTION_GIVEN_UP_MS)
    for (let tries = 1; ; tries++) {
      try {
        await this.#client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken }), { abortSignal })
        return true
      } catch (error) {
        const isCancelled = error instanceof TransactionCanceledException
        const codes = isCancelled ? (error.CancellationReasons ?? []).map(({ Code }) => Code) : []
        if (await isMine()) return true
        if (codes.includes('ConditionalCheckFailed')) return false
        const isForNow = codes.some((code) => code !== undefined && PASSING.has(code)) || isInProgress(error)
        if (!isForNow || tries === MOST_TRANSACTION_TRIES) throw error
        await pause(CONFLICT_WAIT_MS * 2 ** tries * Math.random())
      }
    }
  }

  #part(write: TransactionPart): TransactWriteItem {
    const TableName = this.#name
    switch (write.do) {
      case 'put':
        return {
          Put: {
            TableName,
            Item: { ...write.item, ...keyAttributes(write.key) },
            ...conditionExpression(write.onlyIf),
          },
        }
      case 'update':
        return { Update: { TableName, Key: keyAttributes(write.key), ...updateExpression(write.update) } }
      case 'remove':
        return { Delete: { TableName, Key: keyAttributes(write.key), ...conditionExpression(write.onlyIf) } }
    }
  }
}

export type TransactionPart =
  | { readonly do: 'put'; readonly key: TableKey; readonly item: Attributes; readonly onlyIf?: Condition }
  | { readonly do: 'update'; readonly key: TableKey; readonly update: Update }
  | { readonly do: 'remove'; readonly key: TableKey; readonly onlyIf?: Condition }

/** Reasons to cancel a transaction that pass by themselves. The SDK tries none of them again. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

const isInProgress = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'TransactionInProgressException' || error.name === 'TransactionConflictException')

function judge(found: Attributes | null, isMine: IsMine | undefined): Written {
  return found !== null && isMine?.(found) === true ? { done: true, item: found } : { done: false, found }
}

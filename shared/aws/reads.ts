// Reads of single items, strongly consistent. What is asked for at the same moment goes to the store in one call: a call costs this
// process far more than a key in it.

import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import type { Attributes } from './expression.ts'
import { keyAttributes, keyOfItem, type TableKey } from './keys.ts'

const KEYS_A_BATCH = 100
const MOST_BATCH_ROUNDS = 8
const WAIT_MS = 40

/** No part of a key holds a line feed. */
const nameOf = ({ pk, sk }: TableKey): string => `${pk}\n${sk}`

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** A call that is about to be made. */
interface Gathering {
  readonly keys: Map<string, TableKey>
  readonly items: Promise<ReadonlyMap<string, Attributes>>
}

export class Reads {
  readonly #client: DynamoDBClient
  readonly #tableName: string
  #gathering: Gathering | null = null

  constructor(client: DynamoDBClient, tableName: string) {
    this.#client = client
    this.#tableName = tableName
  }

  /** In the order of the keys; null for what is not there. */
  async get(keys: readonly TableKey[]): Promise<(Attributes | null)[]> {
    const places: { readonly name: string; readonly gathering: Gathering }[] = keys.map((key) => {
      const gathering = this.#open()
      const name = nameOf(key)
      gathering.keys.set(name, key)
      if (gathering.keys.size >= KEYS_A_BATCH) this.#gathering = null
      return { name, gathering }
    })
    // All of them are awaited together, so that none fails unheard.
    await Promise.all(new Set(places.map(({ gathering }) => gathering.items)))
    return Promise.all(places.map(async ({ name, gathering }) => (await gathering.items).get(name) ?? null))
  }

  #open(): Gathering {
    if (this.#gathering !== null) return this.#gathering
    const keys = new Map<string, TableKey>()
    // What runs now may ask for more before it waits for anything; then the call is made.
    const items = Promise.resolve().then(() => {
      if (this.#gathering?.keys === keys) this.#gathering = null
      return this.#read([...keys.values()])
    })
    this.#gathering = { keys, items }
    return this.#gathering
  }

  async #read(keys: readonly TableKey[]): Promise<ReadonlyMap<string, Attributes>> {
    const found = keys.length === 1 ? await this.#readOne(keys[0]) : await this.#readBatch(keys)
    return new Map(found.map((item) => [nameOf(keyOfItem(item)), item]))
  }

  async #readOne(key: TableKey): Promise<Attributes[]> {
    const { Item } = await this.#client.send(
      new GetItemCommand({ TableName: this.#tableName, Key: keyAttributes(key), ConsistentRead: true }),
    )
    return Item === undefined ? [] : [Item]
  }

  async #readBatch(keys: readonly TableKey[]): Promise<Attributes[]> {
    const found: Attributes[] = []
    let left: Attributes[] = keys.map(keyAttributes)
    for (let round = 0; left.length > 0; round++) {
      if (round === MOST_BATCH_ROUNDS) throw new Error(`the store left ${left.length} of ${keys.length} items unread`)
      if (round > 0) await pause(WAIT_MS * 2 ** round * Math.random())
      const { Responses, UnprocessedKeys } = await this.#client.send(
        new BatchGetItemCommand({ RequestItems: { [this.#tableName]: { Keys: left, ConsistentRead: true } } }),
      )
      found.push(...(Responses?.[this.#tableName] ?? []))
      left = UnprocessedKeys?.[this.#tableName]?.Keys ?? []
    }
    return found
  }
}

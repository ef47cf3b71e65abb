// The first few of many in some order, without sorting all of them.

/** Where an item stands. Null as first part stands for one that has nothing to be sorted by. */
export type Position = readonly [first: string | number | null, id: string]

export const compareParts = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0)

/** What has nothing to be sorted by comes last, whatever the direction. */
function compare([a, idA]: Position, [b, idB]: Position, isReversed: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null) || compareParts(idA, idB)
  const order = compareParts(a, b) || compareParts(idA, idB)
  return isReversed ? -order : order
}

export class FirstFew<Item> {
  readonly items: { readonly position: Position; readonly item: Item }[] = []
  readonly #most: number
  readonly #isReversed: boolean
  /** Only what comes after it is taken. */
  readonly #after: Position | null

  constructor(most: number, isReversed: boolean, after: Position | null) {
    this.#most = most
    this.#isReversed = isReversed
    this.#after = after
  }

  offer(position: Position, item: Item): void {
    const { items } = this
    const isFull = items.length === this.#most
    // Of many most are told off by the last of those that are held.
    if (isFull && this.#order(position, items[items.length - 1].position) >= 0) return
    if (this.#after !== null && this.#order(position, this.#after) <= 0) return
    if (isFull) items.pop()
    let [low, high] = [0, items.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#order(items[middle].position, position) < 0) low = middle + 1
      else high = middle
    }
    items.splice(low, 0, { position, item })
  }

  #order(a: Position, b: Position): number {
    return compare(a, b, this.#isReversed)
  }
}

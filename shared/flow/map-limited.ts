// Many calls of the world, a few at a time, with their results in order.

const AT_ONCE = 16

export async function mapLimited<Item, Result>(
  items: readonly Item[],
  work: (item: Item, place: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let first = 0; first < items.length; first += AT_ONCE) {
    const bunch = items.slice(first, first + AT_ONCE)
    results.push(...(await Promise.all(bunch.map((item, place) => work(item, first + place)))))
  }
  return results
}

/** All items in their order, with work done on those that need it: most often none do, and then nothing is waited for. */
export async function mapWhere<Item>(
  items: readonly Item[],
  isNeeded: (item: Item) => boolean,
  work: (item: Item) => Promise<Item>,
): Promise<readonly Item[]> {
  const places = items.flatMap((item, place) => (isNeeded(item) ? [place] : []))
  if (places.length === 0) return items
  const done = await mapLimited(places, (place) => work(items[place]))
  const byPlace = new Map(places.map((place, n) => [place, done[n]]))
  return items.map((item, place) => (byPlace.has(place) ? (byPlace.get(place) as Item) : item))
}

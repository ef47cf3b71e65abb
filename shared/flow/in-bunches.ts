// Many calls of the world, a few at a time, with their results in order.

const AT_ONCE = 16

export async function inBunches<Item, Result>(
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

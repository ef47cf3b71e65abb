// The page depths of consecutive seconds as a short text: the first second, then one digit for each, a hyphen for none.
// Four minutes of them must fit into the shard item beside everything else, because one write unit holds a kilobyte.

const NO_DEPTH = '-'

export function writeDepths(depths: ReadonlyMap<number, number>): string {
  if (depths.size === 0) return ''
  const seconds = [...depths.keys()]
  const first = Math.min(...seconds)
  const digits = Array.from({ length: Math.max(...seconds) - first + 1 }, (_, place) =>
    digitOf(depths.get(first + place)),
  )
  return `${first}:${digits.join('')}`
}

const digitOf = (depth: number | undefined): string => (depth === undefined ? NO_DEPTH : depth.toString(36))

const DEPTHS = /^(\d+):([0-9a-z-]+)$/

export function readDepths(text: string): Map<number, number> {
  if (text === '') return new Map()
  const parts = DEPTHS.exec(text)
  if (parts === null) throw new Error(`${JSON.stringify(text)} are no page depths`)
  const first = Number(parts[1])
  const found: [number, number][] = []
  for (const [place, digit] of [...parts[2]].entries()) {
    if (digit !== NO_DEPTH) found.push([first + place, Number.parseInt(digit, 36)])
  }
  return new Map(found)
}

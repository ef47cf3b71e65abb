// The page depths of seconds as a short text: the first second of each stretch, then one digit for each second of it, a
// hyphen for one that has none. Four minutes of them must fit into the shard item beside everything else, because one write
// unit holds a kilobyte; and a shard that slept for a week must not write a hyphen for each of its seconds.

const NO_DEPTH = '-'
/** A hole longer than this is shorter to leave out than to write. */
const LONGEST_HOLE_SECONDS = 12

export function writeDepths(depths: ReadonlyMap<number, number>): string {
  const parts: { readonly first: number; digits: string }[] = []
  for (const [second, depth] of [...depths].sort(([a], [b]) => a - b)) {
    const part = parts.at(-1)
    const hole = part === undefined ? Number.POSITIVE_INFINITY : second - part.first - part.digits.length
    if (part === undefined || hole > LONGEST_HOLE_SECONDS) parts.push({ first: second, digits: depth.toString(36) })
    else part.digits += NO_DEPTH.repeat(hole) + depth.toString(36)
  }
  return parts.map(({ first, digits }) => `${first}:${digits}`).join(';')
}

const PART = /^(\d+):([0-9a-z-]+)$/

export function readDepths(text: string): Map<number, number> {
  const found: [number, number][] = []
  for (const part of text === '' ? [] : text.split(';')) {
    const [, first, digits] = PART.exec(part) ?? []
    if (first === undefined) throw new Error(`${JSON.stringify(text)} are no page depths`)
    for (const [place, digit] of [...digits].entries()) {
      if (digit !== NO_DEPTH) found.push([Number(first) + place, Number.parseInt(digit, 36)])
    }
  }
  return new Map(found)
}

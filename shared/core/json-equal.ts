// Whether two values are the same as JSON: the order of keys does not matter, and what is undefined is not there.

export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [keysOfA, keysOfB] = [keysOf(a), keysOf(b)]
  return (
    keysOfA.length === keysOfB.length && keysOfA.every((key) => isSameJson(Reflect.get(a, key), Reflect.get(b, key)))
  )
}

const keysOf = (value: object): string[] => Object.keys(value).filter((key) => Reflect.get(value, key) !== undefined)

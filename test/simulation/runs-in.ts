// Which runs a message brings, by the names under which the history knows them.

interface Shape {
  readonly type: string
  readonly second?: number
  readonly runs?: readonly { readonly id: string }[]
  readonly runId?: string
}

export function runsIn(body: string): string[] {
  const { second, runs, runId } = JSON.parse(body) as Shape
  return runId !== undefined ? [runId] : (runs ?? []).map(({ id }) => `${id}.${second}`)
}

/** Garbage brings none. */
export function runsOrNone(body: string): string[] {
  try {
    return runsIn(body)
  } catch {
    return []
  }
}

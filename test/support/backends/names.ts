// The names of the backends and what each needs.

export type EngineName = 'dynoxide' | 'DynamoDB Local'
export type BackendName = 'memory' | EngineName | 'dynoxide losing answers'

export const BACKENDS: readonly {
  readonly name: BackendName
  readonly engine: EngineName | null
  readonly isFaulty: boolean
}[] = [
  { name: 'memory', engine: null, isFaulty: false },
  { name: 'dynoxide', engine: 'dynoxide', isFaulty: false },
  { name: 'DynamoDB Local', engine: 'DynamoDB Local', isFaulty: false },
  { name: 'dynoxide losing answers', engine: 'dynoxide', isFaulty: true },
]

/** An engine of this run: where it listens, or why it does not. */
export interface EngineState {
  readonly endpoint: string | null
  readonly whyNot: string | null
}

declare module 'vitest' {
  export interface ProvidedContext {
    engines: Record<EngineName, EngineState>
  }
}

// Says at the end of a run on which backends the contract was kept, and why not on the others.

import type { Reporter, TestModule } from 'vitest/node'
import { whyNoDynamoDbLocal, whyNoDynoxide } from '../../../local/engines/dynamodb.ts'
import { BACKENDS, type BackendName, type EngineName } from './names.ts'

const WHY_NOT: Record<EngineName, () => string | null> = {
  dynoxide: whyNoDynoxide,
  'DynamoDB Local': whyNoDynamoDbLocal,
}

export function linesOf(tests: readonly { readonly fullName: string; readonly state: string }[]): string[] {
  const ofWorld = (name: BackendName) => tests.filter(({ fullName }) => fullName.includes(`[${name}]`))
  return BACKENDS.flatMap(({ name, engine }) => {
    const mine = ofWorld(name)
    if (mine.length === 0) return []
    const count = (state: string) => mine.filter((test) => test.state === state).length
    const failed = count('failed')
    const ran = count('passed') + failed
    if (ran === 0) return [`${name}: SKIPPED, ${(engine === null ? null : WHY_NOT[engine]()) ?? 'not asked for'}`]
    return [`${name}: RAN, ${ran} tests${failed > 0 ? `, ${failed} FAILED` : ''}`]
  })
}

export default class WorldsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const lines = linesOf(tests.map((test) => ({ fullName: test.fullName, state: test.result().state })))
    if (lines.length > 0)
      console.log(`\nThe contract of the stores, world by world:\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
}

// Synthesises what tests run as a whole stack once, before the first of them: side by side they would each do it.

import { assemble } from '../../../local/template/assembly.ts'
import { TEST_HANDLERS } from '../real-stack.ts'

export default async function setup(): Promise<void> {
  await assemble({ handlers: TEST_HANDLERS })
  await assemble({})
}

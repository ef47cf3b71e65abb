// Synthesises the stack into a folder, in a process of its own that ends then: a process that loads the CDK keeps its memory.
// Arguments: the folder, and the options of the construct as JSON.

import { isAbsolute, relative } from 'node:path'
import type { BuildFailure } from 'esbuild'
import { makeAppStack } from '../../infra/app-stack.ts'
import { makeApp } from '../../infra/make-app.ts'

/** The compiler's messages, each with its place and the line that it is about. */
const messagesOf = ({ errors }: BuildFailure): string =>
  errors
    .map(({ text, location }) => {
      if (location === null) return text
      const { file, line, column, lineText } = location
      const shown = isAbsolute(file) ? relative(process.cwd(), file) : file
      return `${shown}:${line}:${column + 1}: ${text}\n    ${lineText.trim()}`
    })
    .join('\n')

const isBuildFailure = (error: unknown): error is BuildFailure =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors)

const [outdir, options] = process.argv.slice(2)
try {
  // What the validator and the tree of constructs are for, tests and the CDK's own command do; they take most of the time.
  const app = makeApp({ outdir, treeMetadata: false, builtinCloudFormationValidation: false })
  makeAppStack(app, JSON.parse(options))
  app.synth()
} catch (error) {
  process.stderr.write(isBuildFailure(error) ? messagesOf(error) : error instanceof Error ? error.message : `${error}`)
  process.exitCode = 1
}

// What the files of this folder hand to one another while the stack is put together.

import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Settings } from './options.ts'

export interface Parts {
  readonly settings: Settings
  /** The folder with a folder for each bundle. */
  readonly bundles: string
  readonly table: TableV2
  /** What every function finds in its environment. */
  readonly environment: Readonly<Record<string, string>>
}

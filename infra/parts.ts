// What the files of this folder hand to one another while the stack is put together.

import type { ITableV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb'
import type { Settings } from './options.ts'

/** The stack's own table, or one that a restore made. */
export type Table = TableV2 | ITableV2

export interface Parts {
  readonly settings: Settings
  /** The folder with a folder for each bundle. */
  readonly bundles: string
  readonly table: Table
  /** What every function finds in its environment. */
  readonly environment: Readonly<Record<string, string>>
}

// All routes of the API. The router, the document and the tests of access are made of this table.

import { ACCESS_ROUTES } from './resources/access.ts'
import { JOB_ROUTES } from './resources/jobs.ts'
import { META_ROUTES } from './resources/meta.ts'
import { PREVIEW_ROUTES } from './resources/preview.ts'
import { RUN_ROUTES } from './resources/runs.ts'
import { SEARCH_ROUTES } from './resources/search.ts'
import { THING_ROUTES } from './resources/things.ts'
import type { Route } from './route.ts'

export const ROUTES: readonly Route[] = [
  ...JOB_ROUTES,
  ...SEARCH_ROUTES,
  ...PREVIEW_ROUTES,
  ...RUN_ROUTES,
  ...THING_ROUTES,
  ...ACCESS_ROUTES,
  ...META_ROUTES,
]

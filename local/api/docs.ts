// The viewer of the API's document on this machine: each file is read when it is first asked for.

import { docsType } from '../../functions/http/docs-type.ts'
import type { ApiSettings } from '../../functions/http/world.ts'
import { viewerFile } from '../../functions/openapi/viewer.ts'

export function docsFiles(): ApiSettings['docs'] {
  const read = new Map<string, { type: string; content: string }>()
  return (file) => {
    const known = read.get(file)
    if (known !== undefined) return known
    const type = docsType(file)
    const content = type === null ? null : viewerFile(file)
    if (type === null || content === null) return null
    const made = { type, content }
    read.set(file, made)
    return made
  }
}

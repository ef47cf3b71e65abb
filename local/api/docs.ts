// The viewer of the API's document, from the package that comes with npm: nothing is loaded from anywhere else.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ApiSettings } from '../../functions/http/world.ts'

const INDEX = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Tickring API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="viewer"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start-viewer.js"></script>
  </body>
</html>
`

const START = `window.SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  validatorUrl: null,
  persistAuthorization: false,
})
`

const PACKAGED: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
}

/** Each file is read when it is first asked for. */
export function docsFiles(): ApiSettings['docs'] {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  const read = new Map<string, { type: string; content: string }>([
    ['index.html', { type: 'text/html; charset=utf-8', content: INDEX }],
    ['start-viewer.js', { type: 'text/javascript', content: START }],
  ])
  return (file) => {
    const known = read.get(file)
    if (known !== undefined) return known
    const type = Object.hasOwn(PACKAGED, file) ? PACKAGED[file] : undefined
    if (type === undefined) return null
    const made = { type, content: readFileSync(join(folder, file), 'utf8') }
    read.set(file, made)
    return made
  }
}

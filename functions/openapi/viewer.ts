// The viewer of the API's document, from a package of npm, or from the copy of it in ours: nothing is loaded from anywhere else.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

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

const PACKAGED = ['swagger-ui.css', 'swagger-ui-bundle.js']

/** The files by name; those of the package are read when they are asked for. */
export const VIEWER_FILES = ['index.html', 'start-viewer.js', ...PACKAGED]

/** `npm run build` puts a copy beside this file. */
const COPY = join(import.meta.dirname, 'swagger-ui-dist')

const folderOfPackage = (): string =>
  existsSync(COPY) ? COPY : dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

export function viewerFile(name: string): string | null {
  if (name === 'index.html') return INDEX
  if (name === 'start-viewer.js') return START
  if (!PACKAGED.includes(name)) return null
  return readFileSync(join(folderOfPackage(), name), 'utf8')
}

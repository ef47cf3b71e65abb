// What a file of the document's viewer is.

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css',
  js: 'text/javascript',
}

/** Null where it is no name of such a file. */
export function docsType(file: string): string | null {
  const [, ending = ''] = /^[a-z-]+\.([a-z]+)$/.exec(file) ?? []
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : null
}

/** Beside the bundles: the files that they were made of, so that a start knows when they are out of date. */
export const SOURCES_FILE = 'sources.json'

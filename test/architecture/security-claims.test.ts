// What is said about security names the test that shows it, and that test exists.

import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const CLAIM = /`(test\/[\w./-]+\.test\.ts)` › “([^”]+)”/g

test.each(['SECURITY.md', 'docs/threat-model.md'])('every test that %s names exists', (file) => {
  const claims = [...readFileSync(file, 'utf8').matchAll(CLAIM)].map(([, path, title]) => ({ path, title }))
  expect(claims.length).toBeGreaterThan(8)
  const missing = claims.filter(
    ({ path, title }) => !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`),
  )
  expect(missing).toEqual([])
})

test('every threat of the model has a defence and a test', () => {
  const model = readFileSync('docs/threat-model.md', 'utf8')
  const [, threats] = model.split('## Threats and defences')
  const rows = threats
    .split('## Not defended')[0]
    .split('\n')
    .filter((line) => /^\| (?!threat|-)/.test(line) && !line.startsWith('|---'))
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) expect(row).toMatch(new RegExp(CLAIM.source))
})

// Bugs that are planted: where they go, and that none was forgotten. Finding them is long by nature.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MUTANTS } from './mutants/list.ts'
import { NO_AUDIT } from './mutants/patch.ts'
import { plantedIn } from './mutants/planted-in.ts'

const sourceOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

test('every line that is replaced stands in its file exactly once', () => {
  for (const { file, line, instead } of [...MUTANTS, ...NO_AUDIT]) {
    expect(plantedIn(sourceOf(file), line, instead), line).not.toBe(sourceOf(file))
  }
  expect(() => plantedIn('a\nb\na', 'a', 'c')).toThrow('stands there 2 times')
  expect(() => plantedIn('a', 'b', 'c')).toThrow('stands there 0 times')
})

test('every rule of the protocol is left out once', () => {
  const rules = MUTANTS.flatMap(({ name }) => /^R(\d+):/.exec(name)?.[1] ?? [])
  expect(new Set(rules.map(Number))).toEqual(new Set(Array.from({ length: 29 }, (_, place) => place + 1)))
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
})

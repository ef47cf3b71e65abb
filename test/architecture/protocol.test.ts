// The rules of the protocol are written down in docs/protocol.md, and what holds each of them exists.

import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MUTANTS } from '../simulation/mutants/list.ts'

const RULES = Array.from({ length: 29 }, (_, place) => place + 1)

const PATH = /`((?:bench|docs|functions|infra|local|shared|test)\/[\w./-]+\.\w+)`/g
const MUTANT = /mutant “([^”]+)”/g
const TEST = /`(test\/[\w./-]+\.test\.ts)` › “([^”]+)”/g

/** A rule is its heading and all that follows it up to the next heading. Lines are wrapped anywhere, so they become one. */
function rulesOf(text: string): { readonly rule: number; readonly text: string }[] {
  return text.split(/^#{2,3} /m).flatMap((part) => {
    const rule = /^R(\d+):/.exec(part)?.[1]
    return rule === undefined ? [] : [{ rule: Number(rule), text: part.replace(/\s+/g, ' ') }]
  })
}

const pathsIn = (text: string): string[] => [...text.matchAll(PATH)].map(([, path]) => path)
const mutantsIn = (text: string): string[] => [...text.matchAll(MUTANT)].map(([, name]) => name)
const testsIn = (text: string) => [...text.matchAll(TEST)].map(([, path, title]) => ({ path, title }))

const protocol = readFileSync('docs/protocol.md', 'utf8')
const rules = rulesOf(protocol)
const whole = protocol.replace(/\s+/g, ' ')

test('each rule of the protocol, R1 to R29, is written down exactly once', () => {
  expect(rules.map(({ rule }) => rule).sort((a, b) => a - b)).toEqual(RULES)
})

test('each rule of the protocol says why it holds, where its code is, and which mutant and test hold it', () => {
  for (const { rule, text } of rules) {
    const [, code = ''] = /- Code: (.*?)(?: - |$)/.exec(text) ?? []
    expect(text, `R${rule}`).toContain('- Why: ')
    expect(pathsIn(code), `R${rule}`).not.toEqual([])
    expect(mutantsIn(text), `R${rule}`).not.toEqual([])
    expect(testsIn(text), `R${rule}`).not.toEqual([])
  }
})

test('every file that the protocol names exists', () => {
  const paths = pathsIn(whole)
  expect(paths.length).toBeGreaterThan(RULES.length)
  expect(paths.filter((path) => !existsSync(path))).toEqual([])
})

test('every mutant that the protocol names is planted by the simulation', () => {
  const planted = new Set(MUTANTS.map(({ name }) => name))
  expect(mutantsIn(whole).filter((name) => !planted.has(name))).toEqual([])
})

test('every test that the protocol names exists', () => {
  const missing = testsIn(whole).filter(
    ({ path, title }) => !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`),
  )
  expect(missing).toEqual([])
})

test('a rule that is missing or written down twice is noticed', () => {
  expect(rulesOf('# Rules\n\n### R1: One\ntext\n\n### R1: Again\nR2: in a text is no rule\n')).toMatchObject([
    { rule: 1 },
    { rule: 1 },
  ])
})

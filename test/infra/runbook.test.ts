// Every alarm has an entry in the runbook, and every entry an alarm.

import { readFileSync } from 'node:fs'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { expect, test } from 'vitest'
import { makeApp } from '../../infra/make-app.ts'
import { Tickring } from '../../infra/tickring.ts'

const RUNBOOK = readFileSync('docs/runbook.md', 'utf8')
const NO_ALARMS = ['Before you look']

const entries = RUNBOOK.split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.slice(0, text.indexOf('\n')), text }))
  .filter(({ title }) => !NO_ALARMS.includes(title))

test('every alarm of the stack names its entry in the runbook, and every entry is of an alarm', {
  timeout: 120_000,
}, () => {
  const stack = new Stack(makeApp({ builtinCloudFormationValidation: false, treeMetadata: false }), 'Test')
  new Tickring(stack, 'Scheduler')
  const alarms = Object.entries(Template.fromStack(stack).findResources('AWS::CloudWatch::Alarm'))
  const named = alarms.map(([id, { Properties }]) => {
    const [, entry] = /See docs\/runbook\.md, (\w+)\.$/.exec(Properties.AlarmDescription) ?? []
    expect(id).toContain(`Scheduler${entry}`)
    return entry
  })
  expect(named.toSorted()).toEqual(entries.map(({ title }) => title).toSorted())
})

test.each(entries)('the entry $title says what it means, how to look and what to do', ({ text }) => {
  for (const part of ['**Means.** ', '**Look.**', '**Do.** ']) expect(text).toContain(part)
})

test('every link of the operator’s texts leads to a heading', () => {
  const headings = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
  for (const file of ['docs/operations.md', 'docs/runbook.md']) {
    const links = [...readFileSync(file, 'utf8').matchAll(/\]\((?:(\w+)\.md)?#([\w-]+)\)/g)]
    expect(links.length).toBeGreaterThan(0)
    for (const [, page, anchor] of links) expect(headings(page ? `docs/${page}.md` : file)).toContain(anchor)
  }
})

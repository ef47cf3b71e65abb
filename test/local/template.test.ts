// What `npm start` makes of a template: what it runs, and what it refuses because it does not know it.

import { beforeAll, expect, test } from 'vitest'
import { type Assembly, assemble } from '../../local/template/assembly.ts'
import { resolved } from '../../local/template/intrinsics.ts'
import { type Places, readTemplate } from '../../local/template/read-template.ts'

const PLACES: Places = {
  folder: '/bundles',
  queueEndpoint: 'http://127.0.0.1:9',
  apiHosts: ['127.0.0.1:1', 'localhost:1'],
}

interface Template {
  Resources: Record<string, { Type: string; Properties: Record<string, unknown> }>
}

let assembly: Assembly
const template = (): Template => structuredClone(assembly.template) as Template
const idOf = ({ Resources }: Template, type: string): string =>
  Object.keys(Resources).find((id) => Resources[id].Type === type) ?? ''

beforeAll(async () => {
  assembly = await assemble({})
}, 60_000)

test('the whole stack is read: functions, queues with their dead letters, rules, the API and the step at deploy', () => {
  const stack = readTemplate(template(), PLACES)
  const names = stack.functions.map(({ name }) => name).sort()
  expect(names).toEqual(['api', 'dead', 'deploy', 'fast', 'minute', 'slow', 'switch', 'tick'])
  expect(stack.mappings).toHaveLength(4)
  expect(stack.queues.filter(({ deadLetters }) => deadLetters !== null)).toHaveLength(2)
  expect(stack.rules.map(({ takes }) => (takes === 'each minute' ? takes : takes.detailTypes))).toEqual(
    expect.arrayContaining(['each minute', ['tick']]),
  )
  expect(stack.functions.find(({ id }) => id === stack.apiFunctionId)?.name).toBe('api')
  expect(stack.atDeploy.map((id) => stack.functions.find((each) => each.id === id)?.name)).toEqual(['deploy'])
})

test('functions find the queues and the API where this machine has them', () => {
  const { functions } = readTemplate(template(), PLACES)
  const api = functions.find(({ name }) => name === 'api')
  expect(api?.environment.TICKRING_API_HOSTS).toBe('127.0.0.1:1,localhost:1')
  expect(api?.environment.TICKRING_FAST_QUEUE_URL).toMatch(/^http:\/\/127\.0\.0\.1:9\/\d+\/\w+FastQueue/)
  expect(api?.folder).toMatch(/^\/bundles\/asset\.[0-9a-f]{64}$/)
})

test('a resource of a type that is not known is refused, and all that is wrong is said at once', () => {
  const changed = template()
  changed.Resources.Clock = { Type: 'AWS::Scheduler::Schedule', Properties: {} }
  changed.Resources[idOf(changed, 'AWS::SQS::Queue')].Properties.FifoQueue = true
  const read = () => readTemplate(changed, PLACES)
  expect(read).toThrow('Clock is of type AWS::Scheduler::Schedule')
  expect(read).toThrow(/\(AWS::SQS::Queue\) : Unrecognized key: "FifoQueue"/)
  expect(read).toThrow('local/template/resources.ts')
})

test.each([
  ['AWS::Lambda::EventSourceMapping', { MaximumBatchingWindowInSeconds: 5 }],
  ['AWS::Lambda::Function', { Runtime: 'nodejs26.x' }],
  ['AWS::Lambda::Function', { Layers: ['arn:aws:lambda:x'] }],
  ['AWS::Events::Rule', { ScheduleExpression: 'rate(5 minutes)' }],
  ['AWS::ApiGatewayV2::Route', { AuthorizationType: 'AWS_IAM' }],
  ['AWS::DynamoDB::GlobalTable', { GlobalSecondaryIndexes: [] }],
])('a %s with %j is refused: a laptop would not do as AWS does', (type, properties) => {
  const changed = template()
  Object.assign(changed.Resources[idOf(changed, type)].Properties, properties)
  expect(() => readTemplate(changed, PLACES)).toThrow('cannot run on this machine')
})

test('permissions, logs and alarms are left aside', () => {
  const changed = template()
  for (const [id, { Type }] of Object.entries(changed.Resources))
    if (/::(IAM|Logs|CloudWatch)::/.test(Type)) changed.Resources[id].Properties = { AnythingNew: true }
  expect(readTemplate(changed, PLACES).functions).toHaveLength(8)
})

test('functions of CloudFormation are resolved, one that is not known is refused', () => {
  const name = (id: string, attribute: string | null) => (attribute === null ? `<${id}>` : `<${id}.${attribute}>`)
  const of = (value: unknown) => resolved(value, name)
  expect(of({ 'Fn::Join': ['/', ['a', { Ref: 'B' }, { 'Fn::GetAtt': ['C', 'Arn'] }]] })).toBe('a/<B>/<C.Arn>')
  const hole = (text: string) => `\${${text}}`
  const holes = ['A', 'B.Arn', 'AWS::Region', '!A'].map(hole)
  expect(of({ 'Fn::Sub': holes.join(' ') })).toBe(`<A> <B.Arn> us-east-1 ${hole('A')}`)
  expect(of({ 'Fn::Sub': [`${hole('own')} ${hole('A')}`, { own: { Ref: 'Z' } }] })).toBe('<Z> <A>')
  expect(of([{ k: { Ref: 'AWS::AccountId' } }])).toEqual([{ k: '000000000000' }])
  expect(() => of({ 'Fn::Select': [0, ['a']] })).toThrow('Fn::Select is not known here')
})

test('what is synthesised is kept, and made anew only where a source has changed', async () => {
  const again = await assemble({})
  expect(again.wasCached).toBe(true)
  expect(again.folder).toBe(assembly.folder)
  expect(again.sources.some((file) => file.endsWith('shared/flow/tick.ts'))).toBe(true)
  expect(again.sources.some((file) => file.endsWith('infra/queues.ts'))).toBe(true)
})

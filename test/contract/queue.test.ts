import { readFileSync } from 'node:fs'
import { type SQSClient, SQSServiceException } from '@aws-sdk/client-sqs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Engine } from '../../local/engines/dynamodb.ts'
import { createQueue, startQueues } from '../../local/engines/fauxqs.ts'
import { SqsQueue } from '../../shared/aws/queue.ts'
import { pollingClient, queueClient } from '../../shared/aws/sdk.ts'
import type { Message, Queue, SendResult } from '../../shared/ports.ts'
import { MemoryQueue } from '../support/memory/queue.ts'

const bodies = (count: number): Message[] => Array.from({ length: count }, (_, n) => ({ body: `message ${n}` }))

const ALL_TAKEN: SendResult = { unsent: [], refused: [] }

describe('a queue', () => {
  let engine: Engine
  let client: SQSClient
  let polling: SQSClient
  let queue: Queue
  let queues = 0
  const backends = [
    { world: 'in memory', make: async (): Promise<Queue> => new MemoryQueue(() => Date.now()) },
    {
      world: 'on fauxqs',
      make: async (): Promise<Queue> => new SqsQueue({ client, polling, url: await make() }),
    },
  ]

  const make = async (attributes?: Record<string, string>) => {
    queues += 1
    return createQueue(client, engine.endpoint, `queue-${queues}`, attributes)
  }

  beforeAll(async () => {
    engine = await startQueues()
    client = queueClient({ endpoint: engine.endpoint })
    polling = pollingClient({ endpoint: engine.endpoint })
  })
  afterAll(async () => {
    client.destroy()
    polling.destroy()
    await engine.stop()
  })
  beforeEach(async () => {
    queue = new SqsQueue({ client, polling, url: await make() })
  })

  const receiveAll = async (from = queue): Promise<string[]> => {
    const found: string[] = []
    for (let some = await from.receive(10, 0); some.length > 0; some = await from.receive(10, 0)) {
      found.push(...some.map(({ body }) => body))
      await from.remove(some.map(({ receipt }) => receipt))
    }
    return found.sort()
  }

  describe.each(backends)('$world', ({ make: makeQueue }) => {
    beforeEach(async () => {
      queue = await makeQueue()
    })

    test('takes any number of messages and hands each out once', async () => {
      const messages = bodies(37)
      expect(await queue.send(messages)).toEqual(ALL_TAKEN)
      expect(await receiveAll()).toEqual(messages.map(({ body }) => body).sort())
      expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 })
    })

    test('takes messages that together are larger than one call may be', async () => {
      const messages = Array.from({ length: 10 }, (_, n) => ({ body: `${n}${'x'.repeat(300_000)}` }))
      expect(await queue.send(messages)).toEqual(ALL_TAKEN)
      expect((await receiveAll()).map((body) => body[0])).toEqual([...'0123456789'])
    })

    test('refuses for good what it will never take, says why, and takes what comes beside it', async () => {
      const odd = ['no character: \uFFFE', 'a bell: \u0007', 'x'.repeat(1024 * 1024 + 1), '']
      const wrong = [
        ...odd.map((body) => ({ body })),
        { body: 'late', delaySeconds: 901 },
        { body: 'half', delaySeconds: 0.5 },
      ]
      const messages = [...bodies(6), ...wrong, ...bodies(20).slice(6)]
      const { unsent, refused } = await queue.send(messages)
      expect(unsent).toEqual([])
      expect(new Set(refused.map(({ message }) => message))).toEqual(new Set(wrong))
      for (const { reason } of refused) expect(reason).toMatch(/\w/)
      expect(await receiveAll()).toEqual(
        bodies(20)
          .map(({ body }) => body)
          .sort(),
      )
    })

    test('counts what is visible, in flight and delayed', async () => {
      await queue.send([...bodies(3), { body: 'later', delaySeconds: 60 }])
      await queue.receive(1, 0)
      expect(await queue.counts()).toEqual({ visible: 2, inFlight: 1, delayed: 1 })
    })

    test('hides a message that was received, and shows it again on request with its count', async () => {
      await queue.send(bodies(1))
      const [first] = await queue.receive(1, 0)
      expect(await queue.receive(1, 0)).toEqual([])
      await queue.hide(first.receipt, 0)
      const [again] = await queue.receive(1, 0)
      expect(again).toMatchObject({ body: 'message 0', receiveCount: 2 })
    })
  })

  test('waits for a message that comes later', async () => {
    const received = queue.receive(1, 5)
    await queue.send(bodies(1))
    expect((await received).map(({ body }) => body)).toEqual(['message 0'])
  })

  test('moves a message that no consumer could work off to its dead letters', async () => {
    const deadUrl = await make()
    const arn = `arn:aws:sqs:us-east-1:000000000000:${deadUrl.split('/').at(-1)}`
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: arn, maxReceiveCount: 2 })
    const live = new SqsQueue({ client, url: await make({ RedrivePolicy, VisibilityTimeout: '0' }) })
    await live.send(bodies(1))
    for (let tries = 0; tries < 4; tries++) await live.receive(1, 0)
    expect(await receiveAll(new SqsQueue({ client, url: deadUrl }))).toEqual(['message 0'])
  })

  test('sends alone what a call left out, and says what did not go at all', async () => {
    const url = await make()
    const sent: string[] = []
    const refusing = queueClient({ endpoint: engine.endpoint })
    // The third message of every call is refused; alone it goes, unless it is message 12.
    refusing.middlewareStack.add(
      (next) => async (args) => {
        const input = args.input as { Entries?: { Id: string }[]; MessageBody?: string }
        if (input.MessageBody === 'message 12') throw new Error('refused')
        if (input.MessageBody !== undefined) sent.push(input.MessageBody)
        if (input.Entries === undefined) return next(args)
        const kept = input.Entries.filter((_, place) => place !== 2)
        return next({ ...args, input: { ...input, Entries: kept } as typeof args.input })
      },
      { step: 'initialize' },
    )
    const picky = new SqsQueue({ client: refusing, url })
    expect(await picky.send(bodies(20))).toEqual({ unsent: [{ body: 'message 12' }], refused: [] })
    expect(sent).toEqual(['message 2'])
    const expected = bodies(20)
      .map(({ body }) => body)
      .filter((body) => body !== 'message 12')
    expect(await receiveAll(new SqsQueue({ client, url }))).toEqual(expected.sort())
    refusing.destroy()
  })

  test('sends each message alone where the call as a whole fails', async () => {
    const url = await make()
    const failing = queueClient({ endpoint: engine.endpoint })
    failing.middlewareStack.add(
      (next) => async (args) => {
        if ('Entries' in (args.input as object)) throw new Error('the call failed')
        return next(args)
      },
      { step: 'initialize' },
    )
    expect(await new SqsQueue({ client: failing, url }).send(bodies(3))).toEqual(ALL_TAKEN)
    expect(await receiveAll(new SqsQueue({ client, url }))).toHaveLength(3)
    failing.destroy()
  })

  test('refuses what is larger than its own limit', async () => {
    const small = new SqsQueue({ client, url: await make({ MaximumMessageSize: '2048' }) })
    const large = { body: 'x'.repeat(3000) }
    const { unsent, refused } = await small.send([large, ...bodies(2)])
    expect(unsent).toEqual([])
    expect(refused).toEqual([{ message: large, reason: expect.stringContaining('shorter than 2048 bytes') }])
    expect(await receiveAll(small)).toHaveLength(2)
  })

  test('that is not there, is throttled or may not be written to has refused nothing for good', async () => {
    const gone = new SqsQueue({ client, url: `${await make()}-gone` })
    expect(await gone.send(bodies(2))).toEqual({ unsent: bodies(2), refused: [] })
    for (const name of ['RequestThrottled', 'AccessDenied', 'KmsDisabled', 'ServiceUnavailable', 'OverLimit']) {
      const failing = queueClient({ endpoint: engine.endpoint })
      failing.middlewareStack.add(
        () => () =>
          Promise.reject(new SQSServiceException({ name, $fault: 'client', $metadata: { httpStatusCode: 400 } })),
        { step: 'initialize' },
      )
      expect(await new SqsQueue({ client: failing, url: 'http://q' }).send(bodies(2))).toEqual({
        unsent: bodies(2),
        refused: [],
      })
      failing.destroy()
    }
  })

  test.runIf(process.platform === 'linux')('listens on loopback only', () => {
    const port = Number(new URL(engine.endpoint).port).toString(16).toUpperCase().padStart(4, '0')
    const listening = ['/proc/self/net/tcp', '/proc/self/net/tcp6']
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === '0A' && local?.endsWith(`:${port}`))
    expect(listening.map(([, local]) => local)).toEqual([`0100007F:${port}`])
  })
})

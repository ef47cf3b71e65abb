// A queue of SQS: ten messages a call, as many calls at once as help, and what a call left out is sent again one by one. What is
// refused alone because of what it is, and not because of the moment, is refused for good.

import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs'
import { LONGEST_DELAY_SECONDS } from '../core/timings.ts'
import type { Message, Queue, Received, Refused, SendResult } from '../ports.ts'

const MESSAGES_A_CALL = 10
/** Of all messages of one call together, and so of each. */
const BYTES_A_CALL = 1024 * 1024
const MOST_CALLS_AT_ONCE = 16
const SINGLE_TRIES = 2

export interface QueueOptions {
  readonly client: SQSClient
  /** For receiving only; waits longer than other calls may. */
  readonly polling?: SQSClient
  readonly url: string
}

/** What became of one message that was sent alone. */
type Outcome = { readonly is: 'sent' | 'unsent' } | { readonly is: 'refused'; readonly reason: string }

export class SqsQueue implements Queue {
  readonly #client: SQSClient
  readonly #polling: SQSClient
  readonly #url: string

  constructor({ client, polling = client, url }: QueueOptions) {
    this.#client = client
    this.#polling = polling
    this.#url = url
  }

  async send(messages: readonly Message[]): Promise<SendResult> {
    const refused: Refused[] = messages.flatMap((message) => {
      const reason = whyNotSendable(message)
      return reason === null ? [] : [{ message, reason }]
    })
    const hopeless = new Set(refused.map(({ message }) => message))
    const calls = callsOf(messages.filter((message) => !hopeless.has(message)))
    const unsent: Message[] = []
    const worker = async () => {
      for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
        for (const { message, outcome } of await this.#sendCall(call)) {
          if (outcome.is === 'unsent') unsent.push(message)
          else if (outcome.is === 'refused') refused.push({ message, reason: outcome.reason })
        }
      }
    }
    calls.reverse()
    await Promise.all(Array.from({ length: Math.min(MOST_CALLS_AT_ONCE, calls.length) }, worker))
    return { unsent, refused }
  }

  /** How those ended that the call left out. */
  async #sendCall(messages: readonly Message[]): Promise<{ readonly message: Message; readonly outcome: Outcome }[]> {
    const failed = await this.#sendTogether(messages)
    return Promise.all(failed.map(async (message) => ({ message, outcome: await this.#sendAlone(message) })))
  }

  async #sendTogether(messages: readonly Message[]): Promise<Message[]> {
    const Entries = messages.map(({ body, delaySeconds }, place) => ({
      Id: String(place),
      MessageBody: body,
      DelaySeconds: delaySeconds,
    }))
    try {
      const { Successful } = await this.#client.send(new SendMessageBatchCommand({ QueueUrl: this.#url, Entries }))
      // Only what is named as sent was sent.
      const sent = new Set((Successful ?? []).map(({ Id }) => Id))
      return messages.filter((_, place) => !sent.has(String(place)))
    } catch {
      return [...messages]
    }
  }

  async #sendAlone({ body, delaySeconds }: Message): Promise<Outcome> {
    for (let tries = 1; tries <= SINGLE_TRIES; tries++) {
      try {
        await this.#client.send(
          new SendMessageCommand({ QueueUrl: this.#url, MessageBody: body, DelaySeconds: delaySeconds }),
        )
        return { is: 'sent' }
      } catch (error) {
        const reason = whyRefusedForGood(error)
        if (reason !== null) return { is: 'refused', reason }
        // The SDK has tried several times; the sender hears below that it did not help.
      }
    }
    return { is: 'unsent' }
  }

  async counts(): Promise<{ visible: number; inFlight: number; delayed: number }> {
    const { Attributes: found = {} } = await this.#client.send(
      new GetQueueAttributesCommand({
        QueueUrl: this.#url,
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ],
      }),
    )
    return {
      visible: Number(found.ApproximateNumberOfMessages ?? 0),
      inFlight: Number(found.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(found.ApproximateNumberOfMessagesDelayed ?? 0),
    }
  }

  async receive(most: number, waitSeconds: number): Promise<Received[]> {
    const { Messages } = await this.#polling.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#url,
        MaxNumberOfMessages: Math.min(most, MESSAGES_A_CALL),
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount', 'SentTimestamp'],
      }),
    )
    return (Messages ?? []).map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes: attributes }) => ({
      id: MessageId,
      body: Body,
      receipt: ReceiptHandle,
      receiveCount: Number(attributes?.ApproximateReceiveCount ?? 1),
      sentMs: Number(attributes?.SentTimestamp ?? 0),
    }))
  }

  async remove(receipts: readonly string[]): Promise<void> {
    for (let first = 0; first < receipts.length; first += MESSAGES_A_CALL) {
      const some = receipts.slice(first, first + MESSAGES_A_CALL)
      const Entries = some.map((ReceiptHandle, place) => ({ Id: String(place), ReceiptHandle }))
      // A message that stays is received again, and the function that gets it finds its work done.
      await this.#client.send(new DeleteMessageBatchCommand({ QueueUrl: this.#url, Entries }))
    }
  }

  async hide(receipt: string, seconds: number): Promise<void> {
    await this.#client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: this.#url, ReceiptHandle: receipt, VisibilityTimeout: seconds }),
    )
  }
}

const bytesOf = ({ body }: Message): number => Buffer.byteLength(body)

/** What is known of a message before it is sent; null where nothing speaks against it. */
function whyNotSendable(message: Message): string | null {
  const { body, delaySeconds = 0 } = message
  if (body === '') return 'an empty message cannot be sent: SQS takes one character at least'
  if (bytesOf(message) > BYTES_A_CALL)
    return `a message of ${bytesOf(message)} bytes cannot be sent: SQS takes ${BYTES_A_CALL} at most`
  if (delaySeconds < 0 || delaySeconds > LONGEST_DELAY_SECONDS || !Number.isInteger(delaySeconds))
    return `a delay of ${delaySeconds} s cannot be sent: SQS takes whole seconds from 0 to ${LONGEST_DELAY_SECONDS}`
  return null
}

/**
 * What SQS says of a message itself. Whatever else it says is of the moment, of the queue or of a permission, and must not end runs: an
 * operator may mend it.
 */
const ABOUT_THE_MESSAGE: ReadonlySet<string> = new Set([
  'InvalidMessageContents',
  'InvalidParameterValue',
  'BatchRequestTooLong',
  'MissingParameter',
])
const TOO_LARGE_STATUS = 413

/** Why a message that was sent alone will never be taken; null where it may be sent again. */
function whyRefusedForGood(error: unknown): string | null {
  if (!(error instanceof SQSServiceException)) return null
  // Some answers name the service before the code.
  const code = error.name.replace(/^.*[.#]/, '')
  const isForGood = ABOUT_THE_MESSAGE.has(code) || error.$metadata.httpStatusCode === TOO_LARGE_STATUS
  return isForGood ? `${code}: ${error.message}` : null
}

/** As few calls as the limits on number and size allow, in the order of the messages. */
function callsOf(messages: readonly Message[]): Message[][] {
  const calls: Message[][] = []
  let bytes = 0
  for (const message of messages) {
    const last = calls.at(-1)
    const size = bytesOf(message)
    if (last !== undefined && last.length < MESSAGES_A_CALL && bytes + size <= BYTES_A_CALL) {
      last.push(message)
      bytes += size
    } else {
      calls.push([message])
      bytes = size
    }
  }
  return calls
}

// A queue of SQS: ten messages a call, as many calls at once as help, and what a call left out is sent again one by one.

import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import type { Message, Queue, Received } from '../ports.ts'

const MESSAGES_A_CALL = 10
/** Of all messages of one call together, and so of each. */
const BYTES_A_CALL = 1024 * 1024
const LONGEST_DELAY_SECONDS = 900
const MOST_CALLS_AT_ONCE = 16
const SINGLE_TRIES = 2

export interface QueueOptions {
  readonly client: SQSClient
  /** For receiving only; waits longer than other calls may. */
  readonly polling?: SQSClient
  readonly url: string
}

export class SqsQueue implements Queue {
  readonly #client: SQSClient
  readonly #polling: SQSClient
  readonly #url: string

  constructor({ client, polling = client, url }: QueueOptions) {
    this.#client = client
    this.#polling = polling
    this.#url = url
  }

  async send(messages: readonly Message[]): Promise<Message[]> {
    for (const message of messages) refuseWhatCannotBeSent(message)
    const calls = callsOf(messages)
    const unsent: Message[] = []
    const worker = async () => {
      for (let call = calls.pop(); call !== undefined; call = calls.pop()) unsent.push(...(await this.#sendCall(call)))
    }
    calls.reverse()
    await Promise.all(Array.from({ length: Math.min(MOST_CALLS_AT_ONCE, calls.length) }, worker))
    return unsent
  }

  async #sendCall(messages: readonly Message[]): Promise<Message[]> {
    const failed = await this.#sendTogether(messages)
    const results = await Promise.all(
      failed.map(async (message) => ((await this.#sendAlone(message)) ? [] : [message])),
    )
    return results.flat()
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

  async #sendAlone({ body, delaySeconds }: Message): Promise<boolean> {
    for (let tries = 1; tries <= SINGLE_TRIES; tries++) {
      try {
        await this.#client.send(
          new SendMessageCommand({ QueueUrl: this.#url, MessageBody: body, DelaySeconds: delaySeconds }),
        )
        return true
      } catch {
        // The SDK has tried several times; whoever sends hears below that it did not help.
      }
    }
    return false
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
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      }),
    )
    return (Messages ?? []).map(({ MessageId = '', Body = '', ReceiptHandle = '', Attributes: attributes }) => ({
      id: MessageId,
      body: Body,
      receipt: ReceiptHandle,
      receiveCount: Number(attributes?.ApproximateReceiveCount ?? 1),
    }))
  }

  async remove(receipts: readonly string[]): Promise<void> {
    for (let first = 0; first < receipts.length; first += MESSAGES_A_CALL) {
      const some = receipts.slice(first, first + MESSAGES_A_CALL)
      const Entries = some.map((ReceiptHandle, place) => ({ Id: String(place), ReceiptHandle }))
      // One that stays is received again, and whoever gets it finds its work done.
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

function refuseWhatCannotBeSent(message: Message): void {
  if (bytesOf(message) > BYTES_A_CALL) {
    throw new Error(`a message of ${bytesOf(message)} bytes cannot be sent: SQS takes ${BYTES_A_CALL} at most`)
  }
  const { delaySeconds = 0 } = message
  if (delaySeconds < 0 || delaySeconds > LONGEST_DELAY_SECONDS || !Number.isInteger(delaySeconds)) {
    throw new Error(
      `a delay of ${delaySeconds} s cannot be sent: SQS takes whole seconds from 0 to ${LONGEST_DELAY_SECONDS}`,
    )
  }
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

// What SQS hands to a function, and how the function says which messages are to come again.

import { log, type Output } from './output.ts'

export interface QueueRecord {
  readonly messageId: string
  readonly body: string
}

/** As far as it matters here. */
export interface QueueDelivery {
  readonly Records: readonly QueueRecord[]
}

export interface BatchResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[]
}

const SHOWN_CHARACTERS = 500

/** Each for itself: one that fails comes again and harms no other. */
export async function eachMessage(
  output: Output,
  records: readonly QueueRecord[],
  work: (record: QueueRecord) => Promise<void>,
): Promise<BatchResult> {
  const failures = await Promise.all(
    records.map(async (record) => {
      try {
        await work(record)
        return []
      } catch (error) {
        const body = record.body.slice(0, SHOWN_CHARACTERS)
        log(output, 'error', 'a message failed and will come again', { body, reason: String(error) })
        return [{ itemIdentifier: record.messageId }]
      }
    }),
  )
  return { batchItemFailures: failures.flat() }
}

import type { IncomingMessage } from 'node:http'
import { StoreError } from '../store-error.ts'

/** Longest time without a byte from the store while it is read, in milliseconds. */
const silence = 20_000

/** How often a download that breaks off without a byte of progress is continued. */
const maxAttempts = 3

/**
 * The bytes of a part of an object, from `open`, which opens it from a byte on. A connection that breaks off is opened
 * again where it ended: stores end connections whose reader pauses for long. Nothing is read before the reader needs it.
 * @throws StoreError
 */
export async function* resumed(
  first: IncomingMessage,
  size: number,
  open: (from: number) => Promise<IncomingMessage | undefined>,
): AsyncGenerator<Buffer> {
  let sent = 0
  let response: IncomingMessage | undefined = first
  for (let attempt = 1; sent < size; attempt++) {
    try {
      response ??= await open(sent)
      if (!response) throw new StoreError('away', 'a content was removed while it was read')
      for await (const chunk of unlessSilent(response)) {
        if (sent + chunk.length > size) throw new StoreError('denied', 'a content is longer than announced')
        sent += chunk.length
        attempt = 0
        yield chunk
      }
      if (sent < size) throw new StoreError('away', `a download ended after ${sent} of ${size} bytes`)
    } catch (error) {
      if (!(error instanceof StoreError) || error.kind !== 'away' || attempt >= maxAttempts) throw error
    } finally {
      response?.destroy()
      response = undefined
    }
  }
}

/** The chunks of a response. The time in which the reader does not ask for the next one is no silence of the store. */
async function* unlessSilent(response: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks = response[Symbol.asyncIterator]()
  for (;;) {
    const timer = setTimeout(() => response.destroy(new Error(`no byte for ${silence / 1000} s`)), silence)
    const next = await chunks
      .next()
      .catch((error: unknown) => {
        throw new StoreError('away', `a download broke off: ${String(error)}`)
      })
      .finally(() => clearTimeout(timer))
    if (next.done) return
    yield Buffer.from(next.value)
  }
}

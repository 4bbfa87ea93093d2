import type { Readable } from 'node:stream'

/**
 * Passes the chunks of a stream to `examine` until that returns a verdict; resolves with it, or undefined if the stream
 * ends first. Only `examine` may put bytes back, and must do so synchronously: later, a stream that has ended accepts no
 * bytes.
 */
export function readHead<Verdict>(
  body: Readable,
  examine: (chunk: Buffer) => Verdict | 'more',
): Promise<Verdict | undefined> {
  return new Promise((resolve) => {
    const settle = (verdict: Verdict | undefined) => {
      body
        .off('readable', onReadable)
        .off('end', onReadable)
        .off('close', onReadable)
        .off('error', onReadable)
      resolve(verdict)
    }
    const onReadable = () => {
      for (let chunk: Buffer | null = body.read(); chunk !== null; chunk = body.read()) {
        const verdict = examine(chunk)
        if (verdict !== 'more') return settle(verdict)
      }
      if (body.readableEnded || body.destroyed) settle(undefined)
    }
    body.on('readable', onReadable).on('end', onReadable).on('close', onReadable).on('error', onReadable)
    onReadable()
  })
}

/** Maximum bytes of a fetch request that are read before git is started; a clone of a thousand refs has fewer. */
const maxSmallRequest = 64 * 1024

/** The request of a fetch. */
interface FetchRequest {
  /** The complete request; undefined if it is long, in which case it is still in the body. */
  whole: Buffer | undefined
  /**
   * Whether it only requests the list of refs (gitprotocol-v2(5), "Command Request"), determined from its first bytes.
   * A long request that arrived in small chunks counts as a clone.
   */
  asksForRefs: boolean
}

/** Reads a request if it is small. */
export async function readFetchRequest(body: Readable): Promise<FetchRequest> {
  const chunks: Buffer[] = []
  let size = 0
  const isLong = await readHead(body, (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size <= maxSmallRequest) return 'more'
    body.unshift(Buffer.concat(chunks))
    return true
  })
  const received = Buffer.concat(chunks)
  const asksForRefs = received.toString('latin1', 4, 19) === 'command=ls-refs'
  return { whole: isLong ? undefined : received, asksForRefs }
}

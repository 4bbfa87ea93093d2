import type { Readable } from 'node:stream'

/**
 * Gives chunks of a stream to `take` until that has a verdict, and gives the verdict; undefined when the stream ends
 * before. Nothing is put back but what `take` puts back, in the same turn: a stream that has come to its end, and was
 * read empty, takes nothing back a moment later.
 */
export function readHead<Verdict>(
  body: Readable,
  take: (chunk: Buffer) => Verdict | 'more',
): Promise<Verdict | undefined> {
  return new Promise((resolve) => {
    const settle = (verdict: Verdict | undefined) => {
      body.off('readable', look).off('end', look).off('close', look).off('error', look)
      resolve(verdict)
    }
    const look = () => {
      for (let chunk: Buffer | null = body.read(); chunk !== null; chunk = body.read()) {
        const verdict = take(chunk)
        if (verdict !== 'more') return settle(verdict)
      }
      if (body.readableEnded || body.destroyed) settle(undefined)
    }
    body.on('readable', look).on('end', look).on('close', look).on('error', look)
    look()
  })
}

/** Longest request of a fetch, in bytes, that is read before git is started; a clone of a thousand refs has less. */
const small = 64 * 1024

/** What a fetch asks for. */
export interface FetchRequest {
  /** All of it; undefined when it is long: then it is still in the body. */
  whole: Buffer | undefined
  /**
   * Whether it asks for the list of refs and no more (gitprotocol-v2(5), "Command Request"), by its first bytes: what is
   * long and came in small pieces is taken for a clone.
   */
  asksForRefs: boolean
}

/** Reads a request that is small. */
export async function readFetchRequest(body: Readable): Promise<FetchRequest> {
  const chunks: Buffer[] = []
  let size = 0
  const isLong = await readHead(body, (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    if (size <= small) return 'more'
    body.unshift(Buffer.concat(chunks))
    return true
  })
  const known = Buffer.concat(chunks)
  const asksForRefs = known.toString('latin1', 4, 19) === 'command=ls-refs'
  return { whole: isLong ? undefined : known, asksForRefs }
}

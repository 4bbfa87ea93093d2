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

/**
 * Whether a fetch asks for the list of refs and no more (gitprotocol-v2(5), "Command Request"). Only the first bytes to
 * arrive are looked at, and they are put back: stock clients send the command in one piece, and whoever does not is
 * taken for a clone.
 */
export async function asksForRefs(body: Readable): Promise<boolean> {
  const isList = await readHead(body, (chunk) => {
    body.unshift(chunk)
    return chunk.toString('latin1', 4, 19) === 'command=ls-refs'
  })
  return isList === true
}

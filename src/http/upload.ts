import type { IncomingMessage, ServerResponse } from 'node:http'
import { headerOf } from './header.ts'
import { badRequest, Problem } from './problem.ts'

/** What an upload may cost. */
export interface UploadLimits {
  /** Largest body, in bytes. */
  bytes: number
  /** How long a client that is waited for may send nothing, in milliseconds. */
  silence: number
}

/**
 * Hands a body on piece by piece; the next piece is not read before `write` has taken the last one. Resolves when all of
 * it has been taken. What `write` rejects with ends it, and is what this rejects with.
 * @throws Problem 400 ended early, 408 silent, 413 too large, 415 compressed
 */
export async function receive(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  limits: UploadLimits,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const encoding = headerOf(req, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw new Problem(415, `content-encoding ${encoding} is not supported`)
  if (Number(headerOf(req, 'content-length') ?? 0) > limits.bytes) throw tooLarge(limits)
  // RFC 9110, section 10.1.1.
  const asks = headerOf(req, 'expect')?.toLowerCase() === '100-continue' && req.httpVersion !== '1.0'
  if (asks) res.writeContinue()
  await pump(req, limits, write)
}

function pump(
  req: IncomingMessage,
  limits: UploadLimits,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0
    let isDone = false
    let isWriting = false
    let hasEnded = false
    const onSilence = () => finish(new Problem(408, 'the body did not arrive in time'))
    let timer = setTimeout(onSilence, limits.silence)
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limits.bytes) return finish(tooLarge(limits))
      req.pause()
      // While the disk works it is not the client that is silent.
      clearTimeout(timer)
      isWriting = true
      write(chunk).then(() => {
        isWriting = false
        if (isDone) return
        if (hasEnded) return finish()
        timer = setTimeout(onSilence, limits.silence)
        req.resume()
      }, finish)
    }
    // Comes for a stream that is paused, too, when its last piece has been read.
    const onEnd = () => {
      hasEnded = true
      if (!isWriting) finish()
    }
    const onGone = () => {
      if (!hasEnded) finish(badRequest('the body ended too early'))
    }
    const finish = (error?: unknown) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      // Whoever still sends may write into nothing (`send.ts`); an error has nobody else to hear it.
      req.on('error', () => {})
      if (error === undefined) return resolve()
      req.pause()
      reject(error)
    }
    req.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
    if (req.destroyed) onGone()
  })
}

const tooLarge = ({ bytes }: UploadLimits) => new Problem(413, `the body is larger than ${bytes} bytes`)

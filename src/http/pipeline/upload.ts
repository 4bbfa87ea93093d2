import type { IncomingMessage, ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { Problem } from '../route/problem.ts'
import { asksToContinue, headerOf } from '../server/header.ts'
import { endedEarly, late, requireUncompressed, tooLarge } from './body.ts'
import { boundaryIn, MULTIPART_OVERHEAD, MultipartReader } from './multipart.ts'

/** Limits of an upload. */
export interface UploadLimits {
  /** Largest body, in bytes. */
  bytes: number
  /** Maximum time without a byte from the client while the server is ready to read, in milliseconds. */
  silence: number
  /** Whether a compressed body is passed on as it arrives; otherwise it is refused. */
  isPacked?: boolean
}

/**
 * Passes a body to `write` chunk by chunk, reading the next chunk only after `write` has finished the last one.
 * Resolves when the whole body is written. If `write` rejects, the upload ends and rejects with the same error.
 * @throws Problem 400 ended early, 408 silent, 413 too large, 415 compressed
 */
export async function receive(
  { req, res }: { req: IncomingMessage; res: ServerResponse },
  limits: UploadLimits,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  if (!limits.isPacked) requireUncompressed(req)
  if (Number(headerOf(req, 'content-length') ?? 0) > limits.bytes) throw tooLarge(limits)
  if (asksToContinue(req)) res.writeContinue()
  await pump(req, limits, write)
}

function pump(
  req: IncomingMessage,
  limits: UploadLimits,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0
    let silence: NodeJS.Timeout | undefined
    // The timeout does not run while the disk is written.
    const wait = () => {
      silence = setTimeout(() => fail(late()), limits.silence)
    }
    const sink = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _, next) => {
        clearTimeout(silence)
        size += chunk.length
        if (size > limits.bytes) return fail(tooLarge(limits))
        write(chunk).then(() => {
          if (!sink.destroyed) wait()
          next()
        }, fail)
      },
    })
    const onClose = () => {
      if (!req.readableEnded) fail(endedEarly())
    }
    const end = () => {
      clearTimeout(silence)
      req.off('close', onClose)
    }
    // The rest of the body is discarded (`send.ts`).
    const fail = (error: unknown) => {
      end()
      req.unpipe(sink).pause()
      sink.destroy()
      reject(error ?? new Error('the upload cannot be written'))
    }
    wait()
    // A request that fails closes as well; its errors need a listener, also later.
    req.on('error', () => {}).on('close', onClose)
    req.pipe(sink).on('finish', () => {
      end()
      resolve()
    })
    if (req.destroyed) onClose()
  })
}

/**
 * The fields of a form that arrive before a file, which is not read, and whether there is one. A form that cannot be read has
 * no fields.
 */
export async function fieldsBefore(
  fileField: string,
  exchange: Parameters<typeof receive>[0],
  values?: number,
): Promise<{ fields: Readonly<Record<string, string>>; hasFile: boolean }> {
  const boundary = boundaryIn(headerOf(exchange.req, 'content-type') ?? '')
  if (boundary === undefined) return { fields: {}, hasFile: false }
  const form = new MultipartReader(boundary, fileField, { hasSeveralFiles: true, values })
  const limits = { bytes: Number.POSITIVE_INFINITY, silence: 10_000 }
  let read = 0
  let hasFile = false
  try {
    await receive(exchange, limits, async (chunk) => {
      read += chunk.length
      hasFile = form.push(chunk).length > 0
      if (hasFile || read > (values ?? 0) + MULTIPART_OVERHEAD) throw new Problem(413, 'enough is read')
    })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
  return { fields: Object.fromEntries(form.fields), hasFile }
}

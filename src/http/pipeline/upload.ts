import type { IncomingMessage, ServerResponse } from 'node:http'
import { badRequest, Problem } from '../route/problem.ts'
import { asksToContinue, headerOf } from '../server/header.ts'

/** Limits of an upload. */
export interface UploadLimits {
  /** Largest body, in bytes. */
  bytes: number
  /** Maximum time without a byte from the client while the server is ready to read, in milliseconds. */
  silence: number
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
  const encoding = headerOf(req, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw new Problem(415, `content-encoding ${encoding} is not supported`)
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
    const upload = new Upload(req, limits, write, (error) =>
      error === undefined ? resolve() : reject(error),
    )
    upload.start()
  })
}

/** An upload in progress. `done` is called once, without an error when the whole body is written. */
class Upload {
  #size = 0
  #isDone = false
  #isWriting = false
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined

  constructor(
    readonly req: IncomingMessage,
    readonly limits: UploadLimits,
    readonly write: (chunk: Buffer) => Promise<void>,
    readonly done: (error?: unknown) => void,
  ) {}

  start(): void {
    const { req } = this
    this.#wait()
    req.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onClose).on('close', this.#onClose)
    if (req.destroyed) this.#onClose()
  }

  #wait(): void {
    this.#timer = setTimeout(
      () => this.#finish(new Problem(408, 'the body did not arrive in time')),
      this.limits.silence,
    )
  }

  #onData = (chunk: Buffer): void => {
    this.#size += chunk.length
    if (this.#size > this.limits.bytes) {
      this.#finish(tooLarge(this.limits))
      return
    }
    this.req.pause()
    // The timeout does not run while the disk is written.
    clearTimeout(this.#timer)
    this.#isWriting = true
    this.write(chunk).then(this.#onWritten, (error: unknown) =>
      this.#finish(error ?? new Error('the taker has failed')),
    )
  }

  #onWritten = (): void => {
    this.#isWriting = false
    if (this.#hasEnded) this.#finish()
    if (this.#isDone) return
    this.#wait()
    this.req.resume()
  }

  /** Node also emits this event on a paused stream, once its last chunk has been read. */
  #onEnd = (): void => {
    this.#hasEnded = true
    if (!this.#isWriting) this.#finish()
  }

  #onClose = (): void => {
    if (!this.#hasEnded) this.#finish(badRequest('the body ended too early'))
  }

  #finish(error?: unknown): void {
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
    const { req } = this
    req
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onClose)
      .off('close', this.#onClose)
    // The rest of the body is discarded (`send.ts`); later errors of the stream need a listener.
    req.on('error', () => {})
    if (error !== undefined) req.pause()
    this.done(error)
  }
}

const tooLarge = ({ bytes }: UploadLimits) => new Problem(413, `the body is larger than ${bytes} bytes`)

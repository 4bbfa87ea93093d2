import type { IncomingMessage, ServerResponse } from 'node:http'
import { badRequest, Problem } from '../route/problem.ts'
import { asksToContinue, headerOf } from '../server/header.ts'

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

/** One body on its way. `done` is called once: with nothing when all of it has been taken. */
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
    req.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onGone).on('close', this.#onGone)
    if (req.destroyed) this.#onGone()
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
    // While the disk works it is not the client that is silent.
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

  /** Comes for a stream that is paused, too, when its last piece has been read. */
  #onEnd = (): void => {
    this.#hasEnded = true
    if (!this.#isWriting) this.#finish()
  }

  #onGone = (): void => {
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
      .off('error', this.#onGone)
      .off('close', this.#onGone)
    // Whoever still sends may write into nothing (`send.ts`); an error has nobody else to hear it.
    req.on('error', () => {})
    if (error !== undefined) req.pause()
    this.done(error)
  }
}

const tooLarge = ({ bytes }: UploadLimits) => new Problem(413, `the body is larger than ${bytes} bytes`)

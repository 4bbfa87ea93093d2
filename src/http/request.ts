import { IncomingMessage } from 'node:http'

/**
 * A request that tells of its end only those who wait for it. node:http ends the stream of every request, and drains it
 * once the answer is sent: a dozen steps in several ticks, mostly for requests without a body, which nobody reads.
 */
export class Request extends IncomingMessage {
  /** Called when its last byte is here, read or not. */
  onComplete: (() => void) | undefined = undefined

  /** Whether somebody has begun to read. */
  #wanted = false

  /** Whether all that will be read has been. */
  #taken = false

  /** Whether node:http need not drain what is left. No documented name: where it is missing, all is drained as ever. */
  declare protected _consuming: boolean | undefined

  /** A body of `length` bytes that came with its head; undefined where some of it may still come. It is read only once. */
  takeBody(length: number): Buffer | undefined {
    if (length === 0 || this.readableLength !== length || this.destroyed) return undefined
    this.#taken = true
    const bytes: unknown = this.read()
    return bytes instanceof Buffer ? bytes : undefined
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk !== null) return super.push(chunk, encoding)
    this.onComplete?.()
    if (this.#wanted) return super.push(chunk)
    this._consuming = true
    return false
  }

  override _read(size: number): void {
    if (this.#taken) return
    this.#wanted = true
    if (this.complete) super.push(null)
    else super._read(size)
  }
}

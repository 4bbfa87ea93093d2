import { Duplex } from 'node:stream'
import { MessageCutter, readStartup } from './protocol.ts'

/** Limit of bytes sent but not yet processed by the server: enough for a hundred pipelined statements. */
const MAX_UNPROCESSED = 256 * 1024

/** The server behind a connection. */
export interface Backend {
  /** Opens the session; resolves with PostgreSQL's greeting. */
  open(connection: Connection, settings: [string, string][]): Promise<Buffer>
  send(connection: Connection, bytes: Buffer): void
  /** The client has read this many reply bytes. */
  consumed(length: number): void
  /** The connection has ended, for any reason. */
  ended(connection: Connection): void
}

/**
 * A client's end of a connection to the embedded server, in place of a socket. postgres.js also reads `readyState` and
 * sends Terminate only to a socket that is open.
 *
 * A connection that cannot be opened fails like a socket, with ECONNREFUSED. If it answered the startup packet with an
 * error message, as PostgreSQL does, postgres.js would enter an endless loop when the previous connection was lost
 * during a statement: it takes the message for the result of that statement.
 */
export class Connection extends Duplex {
  readonly #backend: Backend
  readonly #cutter = new MessageCutter()
  #phase: 'startup' | 'opening' | 'open' = 'startup'
  #buffered: Buffer = Buffer.alloc(0)
  #unprocessed = 0
  #unconsumed = 0
  #resume: (() => void) | undefined

  constructor(backend: Backend) {
    super({
      allowHalfOpen: false,
      writableHighWaterMark: MAX_UNPROCESSED,
      readableHighWaterMark: MAX_UNPROCESSED,
    })
    this.#backend = backend
  }

  /** Like that of a socket. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  /** A reply of the server, which has processed `processed` more bytes of the input. */
  receive(bytes: Buffer, processed: number): void {
    if (bytes.length > 0) {
      this.#unconsumed += bytes.length
      if (this.push(bytes)) this.#reportConsumed()
    }
    this.#unprocessed -= processed
    if (this.#unprocessed >= MAX_UNPROCESSED) return
    const resume = this.#resume
    this.#resume = undefined // before the call, which may cause the next write
    resume?.()
  }

  override _read(): void {
    this.#reportConsumed()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#accept(chunk)
    if (this.#unprocessed < MAX_UNPROCESSED) done()
    else this.#resume = done
  }

  override _writev(chunks: { chunk: Buffer; encoding: string }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done)
  }

  override _final(done: () => void): void {
    done()
    // The client has finished and may not read any more, so an end event might never be emitted.
    setImmediate(() => this.destroy())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#reportConsumed()
    this.#backend.ended(this)
    done(error)
  }

  #reportConsumed(): void {
    if (this.#unconsumed > 0) this.#backend.consumed(this.#unconsumed)
    this.#unconsumed = 0
  }

  #accept(chunk: Buffer): void {
    if (this.#phase === 'open') {
      this.#forward(chunk)
      return
    }
    this.#buffered = Buffer.concat([this.#buffered, chunk])
    if (this.#phase === 'opening' || this.#buffered.length < 8) return
    const length = this.#buffered.readUInt32BE(0)
    if (this.#buffered.length < length) return
    const packet = this.#buffered.subarray(0, length)
    this.#buffered = this.#buffered.subarray(length)
    this.#start(packet)
  }

  #start(packet: Buffer): void {
    const startup = readStartup(packet)
    if (startup.kind === 'encrypt') setImmediate(() => this.push('N'))
    else if (startup.kind === 'cancel') this.end()
    else if (startup.kind === 'unknown')
      this.destroy(connectionRefused(new Error('Unsupported protocol version')))
    else this.#open(startup.settings)
  }

  #open(settings: [string, string][]): void {
    this.#phase = 'opening'
    this.#backend.open(this, settings).then(
      (greeting) => this.#onGreeting(greeting),
      (error) => this.destroy(connectionRefused(error)),
    )
  }

  #onGreeting(greeting: Buffer): void {
    if (this.destroyed) return
    this.#phase = 'open'
    this.push(greeting)
    this.#forward(this.#buffered)
  }

  #forward(chunk: Buffer): void {
    // postgres.js pauses the stream for a slow reader of COPY, and does not resume it if the copy ends first.
    if (this.isPaused()) this.resume()
    const messages = this.#cutter.take(chunk)
    if (messages) {
      this.#unprocessed += messages.length
      this.#backend.send(this, messages)
    }
    if (this.#cutter.terminated) this.end()
  }
}

function connectionRefused(error: Error): Error {
  return Object.assign(error, { code: 'ECONNREFUSED' })
}

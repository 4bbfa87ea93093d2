import { Duplex } from 'node:stream'
import { MessageCutter, readStartup } from './protocol.ts'

/** Bytes the server has not yet worked off, up to which a client may send on: room for a hundred pipelined statements. */
const AHEAD = 256 * 1024

/** The server behind a connection. */
export interface Backend {
  /** Opens the session; resolves with the greeting. */
  open(connection: Connection, settings: [string, string][]): Promise<Buffer>
  send(connection: Connection, bytes: Buffer): void
  /** The client has taken reply bytes. */
  taken(length: number): void
  /** The connection has ended, however that came. */
  ended(connection: Connection): void
}

/**
 * One client's end of the embedded server: what the client would have as a socket. postgres.js also reads `readyState`
 * and says goodbye only to a socket that calls itself open.
 *
 * A connection that cannot be opened fails as a socket does, with ECONNREFUSED. PostgreSQL's own way, an error message
 * in answer to the startup packet, sends postgres.js into an endless loop when the connection before was lost in the
 * middle of a statement: it takes the message for that statement's.
 */
export class Connection extends Duplex {
  readonly #backend: Backend
  readonly #cutter = new MessageCutter()
  #phase: 'startup' | 'opening' | 'open' = 'startup'
  #early: Buffer = Buffer.alloc(0)
  #ahead = 0
  #untaken = 0
  #resume: (() => void) | undefined

  constructor(backend: Backend) {
    super({ allowHalfOpen: false, writableHighWaterMark: AHEAD, readableHighWaterMark: AHEAD })
    this.#backend = backend
  }

  /** As a socket's. */
  get readyState(): 'open' | 'closed' {
    return this.destroyed ? 'closed' : 'open'
  }

  /** The server's reply; it has worked off `done` bytes of what was sent. */
  receive(bytes: Buffer, done: number): void {
    if (bytes.length > 0) {
      this.#untaken += bytes.length
      if (this.push(bytes)) this.#take()
    }
    this.#ahead -= done
    if (this.#ahead >= AHEAD) return
    const resume = this.#resume
    this.#resume = undefined // before the call, which may bring the next write and hold that
    resume?.()
  }

  override _read(): void {
    this.#take()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#accept(chunk)
    if (this.#ahead < AHEAD) done()
    else this.#resume = done
  }

  override _writev(chunks: { chunk: Buffer; encoding: string }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', done)
  }

  override _final(done: () => void): void {
    done()
    // The client has said all; it may have stopped listening, so no end of ours would ever reach it.
    setImmediate(() => this.destroy())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#take()
    this.#backend.ended(this)
    done(error)
  }

  #take(): void {
    if (this.#untaken > 0) this.#backend.taken(this.#untaken)
    this.#untaken = 0
  }

  #accept(chunk: Buffer): void {
    if (this.#phase === 'open') {
      this.#forward(chunk)
      return
    }
    this.#early = Buffer.concat([this.#early, chunk])
    if (this.#phase === 'opening' || this.#early.length < 8) return
    const length = this.#early.readUInt32BE(0)
    if (this.#early.length < length) return
    const packet = this.#early.subarray(0, length)
    this.#early = this.#early.subarray(length)
    this.#start(packet)
  }

  #start(packet: Buffer): void {
    const startup = readStartup(packet)
    if (startup.kind === 'encrypt') setImmediate(() => this.push('N'))
    else if (startup.kind === 'cancel') this.end()
    else if (startup.kind === 'unknown') this.destroy(refused(new Error('Unsupported protocol version')))
    else this.#open(startup.settings)
  }

  #open(settings: [string, string][]): void {
    this.#phase = 'opening'
    this.#backend.open(this, settings).then(
      (greeting) => this.#greet(greeting),
      (error) => this.destroy(refused(error)),
    )
  }

  #greet(greeting: Buffer): void {
    if (this.destroyed) return
    this.#phase = 'open'
    this.push(greeting)
    this.#forward(this.#early)
  }

  #forward(chunk: Buffer): void {
    // postgres.js pauses for a slow reader of COPY and forgets to go on when the copy ends first.
    if (this.isPaused()) this.resume()
    const messages = this.#cutter.take(chunk)
    if (messages) {
      this.#ahead += messages.length
      this.#backend.send(this, messages)
    }
    if (this.#cutter.terminated) this.end()
  }
}

function refused(error: Error): Error {
  return Object.assign(error, { code: 'ECONNREFUSED' })
}

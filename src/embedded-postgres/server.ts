import type { Duplex } from 'node:stream'
import { type Backend, Connection } from './connection.ts'
import { Engine } from './engine.ts'
import type { Parts } from './parts.ts'
import { query, RESET } from './protocol.ts'

/** Milliseconds that a statement and the shutdown checkpoint may still take after the request to stop. */
const STOP_TIMEOUT = 1_000

/** Milliseconds that a client's last statement may still take after the client has disconnected. */
const RESET_TIMEOUT = 5_000

/**
 * Accepts connections to the embedded PostgreSQL, one client at a time; resets the session between clients, and
 * restarts PostgreSQL after it has crashed.
 *
 * One client, because PostgreSQL has one session here. Sharing it would gain nothing (postgres.js pipelines, and one
 * statement runs at a time anyway) and would break advisory locks, settings and prepared statements, which belong to
 * the session.
 */
export class Server implements Backend {
  readonly #folder: string
  readonly #parts: Parts
  #engine: Promise<Engine> | undefined
  /** Number of starts so far: a restarted engine may have replayed commits that were never acknowledged. */
  #starts = 0
  #running: Engine | undefined
  #client: Connection | undefined
  /** Number of the client, or of the reset after it. */
  #clientNumber = 0
  #resetting: { number: number; timer: NodeJS.Timeout } | undefined
  #closed: string | undefined

  constructor(folder: string, parts: Parts) {
    this.#folder = folder
    this.#parts = parts
  }

  /** Starts PostgreSQL, if it is not running. */
  start(): Promise<Engine> {
    this.#engine ??= Engine.start(this.#folder, this.#parts, {
      onReply: (number, bytes, processed) => this.#reply(number, bytes, processed),
      onExit: (error) => this.#exited(error),
    }).then(
      (engine) => {
        this.#running = engine
        this.#starts++
        return engine
      },
      (error) => {
        this.#engine = undefined
        throw error
      },
    )
    return this.#engine
  }

  connect(): Duplex {
    return new Connection(this)
  }

  /** The version of the committed data, or undefined while PostgreSQL is not running. */
  version(): number | undefined {
    return this.#running && this.#starts * 2 ** 32 + this.#running.syncs()
  }

  async open(connection: Connection, settings: [string, string][]): Promise<Buffer> {
    if (this.#closed) throw new Error(this.#closed)
    if (this.#client) throw new Error('The embedded PostgreSQL serves one connection at a time')
    this.#client = connection
    this.#clientNumber += 1
    const engine = await this.start()
    if (this.#client !== connection) throw new Error('The client has disconnected')
    // Sent for client 0: the client does not see the replies, and settings unknown to this server are ignored.
    for (const [name, value] of settings)
      engine.send(0, query(`select set_config(${literal(name)}, ${literal(value)}, false)`))
    return engine.greeting
  }

  send(connection: Connection, bytes: Buffer): void {
    if (connection === this.#client) this.#running?.send(this.#clientNumber, bytes)
  }

  consumed(length: number): void {
    this.#running?.consumed(length)
  }

  ended(connection: Connection): void {
    if (connection !== this.#client) return
    this.#client = undefined
    const engine = this.#running
    if (!engine) return
    this.#resetDone()
    this.#clientNumber += 1
    engine.send(this.#clientNumber, RESET)
    // A statement cannot be interrupted here. If the reset takes too long, the thread is killed; the next client starts
    // PostgreSQL again.
    const timer = setTimeout(() => engine.kill(), RESET_TIMEOUT).unref()
    this.#resetting = { number: this.#clientNumber, timer }
  }

  /** Stops PostgreSQL; a connected client loses its connection. */
  async stop(): Promise<void> {
    this.#closed ??= 'The embedded PostgreSQL has been closed'
    const engine = await this.#engine?.catch(() => undefined)
    this.#client?.destroy()
    this.#resetDone()
    this.#engine = this.#running = undefined
    if (!engine) return
    const timer = setTimeout(() => engine.kill(), STOP_TIMEOUT)
    await engine.stop().finally(() => clearTimeout(timer))
  }

  /** Stops using the folder at once, without another write. */
  abandon(reason: string): void {
    this.#closed = reason
    this.#engine?.then((engine) => engine.kill()).catch(() => {})
  }

  #reply(number: number, bytes: Buffer, processed: number): void {
    if (this.#client && number === this.#clientNumber) {
      this.#client.receive(bytes, processed)
      return
    }
    this.consumed(bytes.length)
    if (number === this.#resetting?.number) this.#resetDone()
  }

  #resetDone(): void {
    clearTimeout(this.#resetting?.timer)
    this.#resetting = undefined
  }

  /** The next connection starts PostgreSQL again, which replays its log. The error code is that of a lost socket. */
  #exited(error: Error): void {
    this.#resetDone()
    this.#engine = this.#running = undefined
    this.#client?.destroy(Object.assign(error, { code: 'ECONNRESET' }))
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

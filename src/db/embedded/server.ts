import type { Duplex } from 'node:stream'
import { type Backend, Connection } from './connection.ts'
import { Engine } from './engine.ts'
import { query, RESET } from './protocol.ts'

/** Milliseconds a statement and the shutdown checkpoint may still take once the server is told to stop. */
const STOP_PATIENCE = 1_000

/** Milliseconds that a client's last statement may run on once the client has gone. */
const RESET_PATIENCE = 5_000

/**
 * The embedded server's front desk: lets one client in at a time, keeps each apart from what the one before has left
 * behind, and starts PostgreSQL again when it has died.
 *
 * One client, because PostgreSQL has one session here. Serving several in turns would add nothing (postgres.js
 * pipelines, and one statement runs at a time anyway) and would lie about advisory locks, settings and prepared
 * statements, which belong to the session.
 */
export class EmbeddedServer implements Backend {
  readonly #folder: string
  #engine: Promise<Engine> | undefined
  /** Engines that have run so far: one that starts again may have replayed what nobody was told of. */
  #starts = 0
  #running: Engine | undefined
  #client: Connection | undefined
  /** Of the client, or of what is sent after it to clear up. */
  #number = 0
  #clearingUp: { number: number; timer: NodeJS.Timeout } | undefined
  #closed: string | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Starts PostgreSQL, if it is not running. */
  start(): Promise<Engine> {
    this.#engine ??= Engine.start(this.#folder, {
      onReply: (number, bytes, done) => this.#reply(number, bytes, done),
      onDeath: (error) => this.#died(error),
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

  /** The state of what is committed, or undefined while PostgreSQL does not run. */
  state(): number | undefined {
    return this.#running && this.#starts * 2 ** 32 + this.#running.syncs()
  }

  async open(connection: Connection, settings: [string, string][]): Promise<Buffer> {
    if (this.#closed) throw new Error(this.#closed)
    if (this.#client) throw new Error('The embedded PostgreSQL serves one connection at a time')
    this.#client = connection
    this.#number += 1
    const engine = await this.start()
    if (this.#client !== connection) throw new Error('The client has gone')
    // Sent as nobody's: a setting this server does not know is passed over, and the client does not see the replies.
    for (const [name, value] of settings)
      engine.send(0, query(`select set_config(${literal(name)}, ${literal(value)}, false)`))
    return engine.greeting
  }

  send(connection: Connection, bytes: Buffer): void {
    if (connection === this.#client) this.#running?.send(this.#number, bytes)
  }

  taken(length: number): void {
    this.#running?.taken(length)
  }

  ended(connection: Connection): void {
    if (connection !== this.#client) return
    this.#client = undefined
    const engine = this.#running
    if (!engine) return
    this.#clearedUp()
    this.#number += 1
    engine.send(this.#number, RESET)
    // Nothing interrupts a statement here. One that nobody waits for any more is ended with the server, which is
    // started again by the next client.
    const timer = setTimeout(() => engine.kill(), RESET_PATIENCE).unref()
    this.#clearingUp = { number: this.#number, timer }
  }

  /** Stops PostgreSQL; a client that is still there loses its connection. */
  async stop(): Promise<void> {
    this.#closed ??= 'The embedded PostgreSQL has been closed'
    const engine = await this.#engine?.catch(() => undefined)
    this.#client?.destroy()
    this.#clearedUp()
    this.#engine = this.#running = undefined
    if (!engine) return
    const timer = setTimeout(() => engine.kill(), STOP_PATIENCE)
    await engine.stop().finally(() => clearTimeout(timer))
  }

  /** Lets go of the folder at once, without another write: somebody else has taken it. */
  abandon(sentence: string): void {
    this.#closed = sentence
    this.#engine?.then((engine) => engine.kill()).catch(() => {})
  }

  #reply(number: number, bytes: Buffer, done: number): void {
    if (this.#client && number === this.#number) {
      this.#client.receive(bytes, done)
      return
    }
    this.taken(bytes.length)
    if (number === this.#clearingUp?.number) this.#clearedUp()
  }

  #clearedUp(): void {
    clearTimeout(this.#clearingUp?.timer)
    this.#clearingUp = undefined
  }

  /** The next connection starts PostgreSQL anew; it replays its log. The code is a socket's, for those who look at it. */
  #died(error: Error): void {
    this.#clearedUp()
    this.#engine = this.#running = undefined
    this.#client?.destroy(Object.assign(error, { code: 'ECONNRESET' }))
  }
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

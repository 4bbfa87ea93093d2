import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { PGlite } from '@electric-sql/pglite'
import { type FromWorker, INBOX, OUTSTANDING, OUTSTANDING_LIMIT, type ToWorker } from './channel.ts'
import { Maintenance } from './maintenance.ts'
import { mainLoop } from './pglite.ts'
import { IDLE, message, query, rowsOf } from './protocol.ts'

/** Reply bytes collected before they are sent on; PostgreSQL itself flushes every 8 KB. */
const FLUSH_BYTES = 64 * 1024
/** The end of a reply that has not started yet. */
const BUSY = new Uint8Array(IDLE.length)

/** Where the input comes from: a client by its number, or one of these. */
const NOBODY = 0
const MAINTENANCE = -1

/**
 * PostgreSQL's only session, run like a server process: its main loop asks for bytes, and this thread sleeps until a
 * client has sent some. So parts of the protocol that read in the middle of a statement (COPY) work as in any server,
 * without parsing the input.
 */
export class Session {
  readonly #runStep: () => void
  readonly #port: MessagePort
  readonly #counters: Int32Array
  readonly #maintenance = new Maintenance(Date.now)
  /** The source of the current input. */
  #source = NOBODY
  #input: Uint8Array | undefined
  #processed = 0
  #output: Uint8Array[] = []
  #outputLength = 0
  /** The last bytes that PostgreSQL has written: they tell whether the session is idle. */
  #tail: Uint8Array = IDLE
  #stopping = false

  constructor(pglite: PGlite, port: MessagePort, counters: Int32Array) {
    this.#port = port
    this.#counters = counters
    this.#runStep = mainLoop(pglite, {
      read: (max) => this.#read(max),
      write: (bytes) => this.#write(bytes.slice()),
    })
  }

  /**
   * Serves until it is stopped; throws when PostgreSQL has crashed. Clients do not get its last messages, which postgres.js
   * would take for the answer to the first statement of its next connection. They are in the error of the thread.
   */
  run(): void {
    while (!this.#stopping) this.#runStep()
  }

  #read(max: number): Uint8Array {
    const input = this.#input ?? this.#nextInput()
    const part = input.subarray(0, max)
    this.#processed += part.length
    this.#input = part.length < input.length ? input.subarray(part.length) : undefined
    return part
  }

  /** PostgreSQL has read all its input: send its output, then alternate between clients and maintenance. */
  #nextInput(): Uint8Array {
    if (this.#source === MAINTENANCE) {
      this.#maintenance.finished(rowsOf(this.#takeOutput()))
      const waiting = this.#poll()
      if (waiting) return this.#accept(waiting)
    } else {
      this.#flush()
    }
    for (;;) {
      const statement = this.#isIdle() ? this.#maintenance.due() : undefined
      if (statement !== undefined) return this.#begin(MAINTENANCE, query(statement))
      const received = this.#receive()
      if (received) return this.#accept(received)
    }
  }

  #accept(received: ToWorker): Uint8Array {
    if (!('stop' in received)) return this.#begin(received.client, received.bytes)
    this.#stopping = true
    return this.#begin(NOBODY, message('S'))
  }

  #begin(source: number, input: Uint8Array): Uint8Array {
    this.#source = source
    this.#processed = 0
    this.#tail = BUSY
    return input
  }

  #poll(): ToWorker | undefined {
    const received: { message: ToWorker } | undefined = receiveMessageOnPort(this.#port)
    return received?.message
  }

  /** Sleeps until a client has sent something or, when idle, until maintenance may be due. */
  #receive(): ToWorker | undefined {
    const observed = Atomics.load(this.#counters, INBOX)
    const received = this.#poll()
    if (received) return received
    const timeout = this.#isIdle() ? this.#maintenance.timeout : Number.POSITIVE_INFINITY
    Atomics.wait(this.#counters, INBOX, observed, timeout)
    return undefined
  }

  #isIdle(): boolean {
    return this.#tail.every((byte, i) => byte === IDLE[i])
  }

  #write(bytes: Uint8Array): void {
    const end = bytes.length < IDLE.length ? Buffer.concat([this.#tail, bytes]) : bytes
    this.#tail = end.subarray(-IDLE.length)
    this.#output.push(bytes)
    this.#outputLength += bytes.length
    if (this.#outputLength >= FLUSH_BYTES && this.#source !== MAINTENANCE) this.#flush()
  }

  #takeOutput(): Buffer {
    const output = joined(this.#output)
    this.#output = []
    this.#outputLength = 0
    return output
  }

  /** Sends the collected output; waits while the client has too much unread. */
  #flush(): void {
    const client = this.#source
    const bytes = this.#takeOutput()
    const processed = this.#processed
    this.#processed = 0
    if (client === NOBODY) return
    this.#port.postMessage({ client, bytes, processed } satisfies FromWorker)
    let outstanding = Atomics.add(this.#counters, OUTSTANDING, bytes.length) + bytes.length
    while (outstanding > OUTSTANDING_LIMIT) {
      Atomics.wait(this.#counters, OUTSTANDING, outstanding)
      outstanding = Atomics.load(this.#counters, OUTSTANDING)
    }
  }
}

/** One buffer with its own memory: with a view, a message to the other thread would include its whole memory. */
function joined(parts: Uint8Array[]): Buffer {
  const whole = Buffer.from(new ArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { type FromWorker, INBOX, OUTSTANDING, OUTSTANDING_LIMIT, type ToWorker } from './channel.ts'
import { Maintenance } from './maintenance.ts'
import type { Runtime } from './postgres.ts'
import { IDLE, message, query, rowsOf } from './protocol.ts'

/** Reply bytes collected before they are sent on; PostgreSQL itself flushes every 8 KB. */
const FLUSH_BYTES = 64 * 1024
/** A tail that is not idle, until PostgreSQL has written something. */
const BUSY = new Uint8Array(IDLE.length)
/** The status of the error that PGlite throws when PostgreSQL's error handling jumps back to its main loop. */
const LONGJMP = 100

/**
 * PostgreSQL's only session, run like a server process: its main loop asks for bytes, and this thread sleeps until a
 * client has sent some. So parts of the protocol that read in the middle of a statement (COPY) work as in any server,
 * without parsing the input.
 */
export class Session {
  readonly #runtime: Runtime
  readonly #port: MessagePort
  readonly #counters: Int32Array
  readonly #maintenance = new Maintenance(Date.now)
  /** The source of the input: a client's number, 0 for no client, or maintenance. */
  #current: number | 'upkeep' = 0
  #input: Uint8Array | undefined
  #processed = 0
  #output: Uint8Array[] = []
  #outputLength = 0
  /** The last bytes that PostgreSQL has written: they tell whether the session is idle. */
  #tail: Uint8Array = IDLE
  #stopping = false

  constructor(runtime: Runtime, port: MessagePort, counters: SharedArrayBuffer) {
    this.#runtime = runtime
    this.#port = port
    this.#counters = new Int32Array(counters)
  }

  /**
   * Serves until told to stop; throws when PostgreSQL has crashed. Its last messages are not passed on: postgres.js
   * would take them for the answer to the first statement of its next connection. They are in the error of the thread.
   */
  run(): void {
    const read = this.#runtime.addFunction((at, max) => this.#read(at, max), 'ipi')
    const write = this.#runtime.addFunction((at, length) => this.#write(at, length), 'ipi')
    this.#runtime._pgl_set_rw_cbs(read, write)
    while (!this.#stopping) this.#loopOnce()
  }

  #loopOnce(): void {
    const stack = this.#runtime.stackSave()
    try {
      this.#runtime._PostgresMainLoopOnce()
    } catch (error) {
      // After anything but PostgreSQL's own jump (a trap, an exit), its memory is in an undefined state.
      if (!isLongJump(error)) throw error
      this.#runtime.stackRestore(stack)
      this.#runtime._PostgresMainLongJmp()
    }
  }

  #read(at: number, max: number): number {
    this.#input ??= this.#nextInput()
    const part = this.#input.subarray(0, max)
    this.#processed += part.length
    this.#memory(at, part.length).set(part)
    this.#input = part.length < this.#input.length ? this.#input.subarray(part.length) : undefined
    return part.length
  }

  /** PostgreSQL has read all its input: send its output, then alternate between clients and maintenance. */
  #nextInput(): Uint8Array {
    const afterMaintenance = this.#current === 'upkeep'
    if (this.#current === 'upkeep') this.#maintenance.finished(rowsOf(this.#takeOutput()))
    else this.#flush()
    const waiting = afterMaintenance ? this.#poll() : undefined
    if (waiting) return this.#accept(waiting)
    for (;;) {
      const statement = this.#isIdle() ? this.#maintenance.due() : undefined
      if (statement !== undefined) return this.#begin('upkeep', query(statement))
      const received = this.#receive()
      if (received) return this.#accept(received)
    }
  }

  #accept(received: ToWorker): Uint8Array {
    if (!('stop' in received)) return this.#begin(received.client, received.bytes)
    this.#stopping = true
    return this.#begin(0, message('S'))
  }

  #begin(turn: number | 'upkeep', input: Uint8Array): Uint8Array {
    this.#current = turn
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

  #write(at: number, length: number): number {
    const bytes = this.#memory(at, length).slice()
    this.#tail =
      length >= IDLE.length ? bytes.subarray(-IDLE.length) : joined([this.#tail, bytes]).subarray(length)
    this.#output.push(bytes)
    this.#outputLength += length
    if (this.#outputLength >= FLUSH_BYTES && this.#current !== 'upkeep') this.#flush()
    return length
  }

  #memory(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#runtime.wasmMemory.buffer, at, length)
  }

  #takeOutput(): Buffer {
    const output = joined(this.#output)
    this.#output = []
    this.#outputLength = 0
    return output
  }

  /** Sends the collected output; waits while clients have too much unread. */
  #flush(): void {
    const client = this.#current
    const bytes = this.#takeOutput()
    const processed = this.#processed
    this.#processed = 0
    if (client === 'upkeep' || client === 0) return
    this.#port.postMessage({ client, bytes, processed } satisfies FromWorker)
    let outstanding = Atomics.add(this.#counters, OUTSTANDING, bytes.length) + bytes.length
    while (outstanding > OUTSTANDING_LIMIT) {
      Atomics.wait(this.#counters, OUTSTANDING, outstanding)
      outstanding = Atomics.load(this.#counters, OUTSTANDING)
    }
  }
}

/** One buffer with its own memory: a view would be transferred to the other thread with its whole buffer. */
function joined(parts: Uint8Array[]): Buffer {
  const [only] = parts
  if (only && parts.length === 1) return Buffer.from(only.buffer, only.byteOffset, only.length)
  const whole = Buffer.from(new ArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

function isLongJump(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === LONGJMP
}

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import {
  COUNTERS_SIZE,
  type FromWorker,
  INBOX,
  OUTSTANDING,
  SYNCS,
  type ToWorker,
  type WorkerStart,
} from './channel.ts'
import type { Parts } from './parts.ts'

/** Stack of the worker thread in MB: enough for PostgreSQL to stop a runaway recursion itself (`max_stack_depth`). */
const STACK = 16

/** Events of the engine. */
interface EngineEvents {
  /** Reply bytes for a client, of whose input `processed` more bytes have been read. */
  onReply(client: number, bytes: Buffer, processed: number): void
  /** PostgreSQL has stopped unexpectedly. */
  onExit(error: Error): void
}

/** PostgreSQL in its worker thread, as seen from the main thread. */
export class Engine {
  readonly greeting: Buffer
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #counters: Int32Array
  readonly #exited: Promise<void>

  private constructor(worker: Worker, port: MessagePort, counters: Int32Array, greeting: Uint8Array) {
    this.#worker = worker
    this.#port = port
    this.#counters = counters
    this.#exited = new Promise((resolve) => worker.once('exit', () => resolve()))
    this.greeting = Buffer.from(greeting)
  }

  /** Starts PostgreSQL on a data folder; rejects with its error message if it cannot. */
  static start(folder: string, parts: Parts, events: EngineEvents): Promise<Engine> {
    const { port1: port, port2 } = new MessageChannel()
    const counters = new SharedArrayBuffer(COUNTERS_SIZE)
    const worker = new Worker(parts.worker(), { eval: true, resourceLimits: { stackSizeMb: STACK } })
    const start: WorkerStart = { folder, wasm: parts.wasm(), files: parts.files(), port: port2, counters }
    worker.postMessage(start, [port2])
    return new Promise((resolve, reject) => {
      let fault = new Error('The embedded PostgreSQL stopped')
      let onThreadExit = reject
      worker.on('error', (error) => {
        fault = error
      })
      worker.on('exit', () => {
        port.close()
        onThreadExit(fault)
      })
      port.on('message', (message: FromWorker) => {
        if ('greeting' in message) {
          onThreadExit = (error) => events.onExit(error)
          resolve(new Engine(worker, port, new Int32Array(counters), message.greeting))
        } else {
          events.onReply(message.client, asBuffer(message.bytes), message.processed)
        }
      })
    })
  }

  /** Sends whole protocol messages of one client, as a copy: with a view, its whole memory would be sent. */
  send(client: number, bytes: Buffer): void {
    this.#post({ client, bytes: new Uint8Array(bytes) })
  }

  /** Reports that the client has read reply bytes, so that more may be sent. */
  consumed(length: number): void {
    Atomics.sub(this.#counters, OUTSTANDING, length)
    Atomics.notify(this.#counters, OUTSTANDING)
  }

  /** Number of files synced to the disk so far: an unsigned 32-bit number that wraps around. */
  syncs(): number {
    return Atomics.load(this.#counters, SYNCS) >>> 0
  }

  /** Stops PostgreSQL after the current statement, with its shutdown checkpoint; resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#post({ stop: true })
    await this.#exited
  }

  /** Ends the thread at once. Acknowledged commits are on disk; the next start replays the log. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  #post(message: ToWorker): void {
    this.#port.postMessage(message)
    Atomics.add(this.#counters, INBOX, 1)
    Atomics.notify(this.#counters, INBOX)
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

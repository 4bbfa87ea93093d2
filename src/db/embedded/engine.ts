import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import {
  COUNTERS_SIZE,
  type FromWorker,
  INBOX,
  OUTSTANDING,
  SYNCS,
  type ToWorker,
  type WorkerStart,
} from './channel.ts'
import { takePrepared } from './prepared.ts'

/** What the engine reports to its owner. */
interface EngineEvents {
  /** Reply bytes for a client, `done` of whose own bytes have been worked off. */
  onReply(client: number, bytes: Buffer, done: number): void
  /** PostgreSQL has stopped without being told to. */
  onDeath(error: Error): void
}

/** PostgreSQL in its worker thread, seen from the main thread. */
export class Engine {
  readonly greeting: Buffer
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #counters: Int32Array

  readonly #gone: Promise<void>

  private constructor(worker: Worker, port: MessagePort, counters: Int32Array, greeting: Uint8Array) {
    this.#worker = worker
    this.#port = port
    this.#counters = counters
    this.#gone = new Promise((resolve) => worker.once('exit', () => resolve()))
    this.greeting = Buffer.from(greeting)
  }

  /** Starts PostgreSQL on a data folder; rejects with its own words when it cannot. */
  static start(folder: string, events: EngineEvents): Promise<Engine> {
    const { port1: port, port2 } = new MessageChannel()
    const counters = new SharedArrayBuffer(COUNTERS_SIZE)
    const { thread, program } = takePrepared()
    return new Promise((resolve, reject) => {
      let fault = new Error('The embedded PostgreSQL stopped')
      let onEnd = reject
      thread.on('error', (error) => {
        fault = error
      })
      thread.on('exit', () => {
        port.close()
        onEnd(fault)
      })
      program.then(
        ({ wasm, files }) => {
          const start: WorkerStart = { folder, port: port2, counters, wasm, files }
          thread.postMessage(start, [port2, files.buffer])
        },
        (error) => {
          fault = error
          void thread.terminate()
        },
      )
      port.on('message', (word: FromWorker) => {
        if ('greeting' in word) {
          onEnd = (error) => events.onDeath(error)
          resolve(new Engine(thread, port, new Int32Array(counters), word.greeting))
        } else {
          events.onReply(word.client, asBuffer(word.bytes), word.done)
        }
      })
    })
  }

  /** Passes on whole protocol messages of one client. */
  send(client: number, bytes: Uint8Array): void {
    this.#post({ client, bytes: bytes.slice() })
  }

  /** Tells that reply bytes have been taken, so that more may come. */
  taken(length: number): void {
    Atomics.sub(this.#counters, OUTSTANDING, length)
    Atomics.notify(this.#counters, OUTSTANDING)
  }

  /** Files written to the disk so far: an unsigned number of 32 bits, which may begin again. */
  syncs(): number {
    return Atomics.load(this.#counters, SYNCS) >>> 0
  }

  /** Stops PostgreSQL after what it is doing, with its shutdown checkpoint; resolves when the thread is gone. */
  async stop(): Promise<void> {
    this.#post({ stop: true })
    await this.#gone
  }

  /** Ends the thread at once. What was acknowledged is on disk; the next start replays the log. */
  async kill(): Promise<void> {
    await this.#worker.terminate()
  }

  #post(word: ToWorker): void {
    this.#port.postMessage(word)
    Atomics.add(this.#counters, INBOX, 1)
    Atomics.notify(this.#counters, INBOX)
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}

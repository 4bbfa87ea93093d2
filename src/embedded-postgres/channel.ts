import type { MessagePort } from 'node:worker_threads'

/** The messages between the main thread and the worker thread, and the layout of their shared memory. */

/** The first message to the worker, on its own port: what to run, and how to reach the main thread. */
export interface WorkerStart {
  /** PostgreSQL's data folder. */
  folder: string
  /** PGlite's program and its read-only files, compressed with raw deflate. */
  wasm: Uint8Array
  files: Uint8Array
  port: MessagePort
  /** Shared counters: INBOX, OUTSTANDING and SYNCS. */
  counters: SharedArrayBuffer
}

/** To the worker: bytes of one client (whole protocol messages), or the request to stop. */
export type ToWorker = { client: number; bytes: Uint8Array } | { stop: true }

/**
 * From the worker: first PostgreSQL's greeting for new connections, then replies. `processed` is the number of the
 * client's bytes that PostgreSQL has read since the previous message; the reply itself may be empty.
 */
export type FromWorker = { greeting: Uint8Array } | { client: number; bytes: Uint8Array; processed: number }

/** Counter of messages posted to the worker, which sleeps on it. */
export const INBOX = 0
/** Counter of reply bytes that the client has not read yet: above the limit the worker waits. */
export const OUTSTANDING = 1
export const OUTSTANDING_LIMIT = 16 * 1024 * 1024
/**
 * Counter of files that PostgreSQL has synced to the disk. PostgreSQL syncs its log on each commit before it
 * acknowledges the commit, so while this number stays the same, no commit has been acknowledged.
 */
export const SYNCS = 2
/** Size of all counters in bytes. */
export const COUNTERS_SIZE = 12

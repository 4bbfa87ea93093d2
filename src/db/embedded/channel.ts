/**
 * The two sides of the worker thread agree on this file: the messages between them and the memory they share.
 */

/** PGlite's program and its read-only files. */
export interface Program {
  wasm: WebAssembly.Module
  files: Uint8Array<ArrayBuffer>
}

/** The first thing the worker is sent, on its own port. */
export interface WorkerStart extends Program {
  /** PostgreSQL's data folder. */
  folder: string
  port: import('node:worker_threads').MessagePort
  /** Shared counters: INBOX, OUTSTANDING and SYNCS. */
  counters: SharedArrayBuffer
}

/** To the worker: bytes of one client (whole protocol messages), or the end. */
export type ToWorker = { client: number; bytes: Uint8Array } | { stop: true }

/**
 * From the worker: first PostgreSQL's greeting for new connections, then replies. `done` is the number of the client's
 * bytes that have been worked off since the last word; the reply itself may be empty.
 */
export type FromWorker = { greeting: Uint8Array } | { client: number; bytes: Uint8Array; done: number }

/** Counter of messages posted to the worker: it sleeps on it. */
export const INBOX = 0
/** Counter of reply bytes that no client has taken yet: over the limit the worker waits. */
export const OUTSTANDING = 1
export const OUTSTANDING_LIMIT = 16 * 1024 * 1024
/**
 * Counter of files that PostgreSQL has had written to the disk. It has its log written with each commit before it tells
 * anybody, so while this number stays, nothing has been committed that somebody knows of.
 */
export const SYNCS = 2
/** Bytes of all counters. */
export const COUNTERS_SIZE = 12

/** What PostgreSQL runs from. The byte sequences are compressed with raw deflate. */
export interface Parts {
  /** The source of the worker thread: `worker.ts` bundled as CommonJS, because it runs with `eval`. */
  worker: () => string
  /** PGlite's program: `pglite.wasm` of its package. */
  wasm: () => Uint8Array
  /** PGlite's read-only files: `pglite.data` of its package. */
  files: () => Uint8Array
  /** A new data folder: what `make-cluster.ts` returns. */
  cluster: () => Uint8Array
}

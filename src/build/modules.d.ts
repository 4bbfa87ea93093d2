/** The texts of all files directly in a folder, by file name: see `folder.ts`. */
declare module 'folder:*' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** The texts of licences, compressed: see `packed.ts`. */
declare module 'packed:licenses' {
  const texts: import('./packed.ts').Packed
  export default texts
}

/** The notices of the bundled libraries, compressed: see `notices.ts`. */
declare module 'packed:notices' {
  const texts: import('./packed.ts').Packed
  export default texts
}

/** A file for browsers: see `asset.ts`. */
declare module 'asset:*' {
  const file: import('./asset.ts').Asset
  export default file
}

/** Returns the source of a worker thread as one CommonJS text: see `worker.ts`. */
declare module 'worker:*' {
  export default function source(): string
}

/** The embedded PostgreSQL, compressed with deflate: see `embedded.ts`. */
declare module 'embedded:postgres' {
  /** PGlite's program. */
  export function wasm(): Buffer
  /** PGlite's read-only files. */
  export function files(): Buffer
  /** A new data folder, packed: see `embedded-postgres/pack.ts`. */
  export function cluster(): Buffer
}

/** The texts of all files directly in a folder, by file name: see `folder.ts`. */
declare module 'folder:*' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** Many texts, compressed: see `packed.ts`. */
declare module 'packed:*' {
  const texts: import('./packed.ts').Packed
  export default texts
}

/** Gives the source of a worker thread as one CommonJS text: see `worker.ts`. */
declare module 'worker:*' {
  export default function source(): string
}

/** The embedded PostgreSQL, brotli-compressed; decoded when called: see `embedded.ts`. */
declare module 'embedded:postgres' {
  /** PGlite's program. */
  export function wasm(): Buffer
  /** PGlite's read-only files. */
  export function files(): Buffer
  /** A freshly made data folder, packed: see `db/embedded/pack.ts`. */
  export function cluster(): Buffer
}

/** A program as a text, without its assets: see `program.ts`. */
declare module 'program:*' {
  /** What it requires by these names, beside Node's own modules. */
  export const modules: Readonly<Record<string, unknown>>
  /** A function of `require` and `module`, in parentheses. */
  export function text(): string
  /** The version of the node that built it, and for which processor. */
  export const host: string
  /** What V8 of that node made of the text. */
  export function codeCache(): Buffer
}

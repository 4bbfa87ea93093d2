/** The texts of all files directly in a folder, by file name: see `folder.ts`. */
declare module 'folder:*' {
  const files: Readonly<Record<string, string>>
  export default files
}

/** Many texts as one compressed string: see `packed.ts`. */
declare module 'packed:*' {
  const texts: import('./packed.ts').Packed
  export default texts
}

/** The source of a worker thread as one CommonJS text: see `worker.ts`. */
declare module 'worker:*' {
  const source: string
  export default source
}

import { posix } from 'node:path'

/** An item, under its cleaned name: the one an answer echoes. */
export interface Found<T> {
  readonly name: string
  readonly content: T
}

/** Named items that never change while the server runs. */
export interface Collection<T> {
  /** All names in the order of their UTF-8 bytes (upper case before lower case). */
  readonly names: readonly string[]
  /** The item of that name once it is cleaned (see {@link cleanName}), case-sensitive. */
  readonly find: (name: string) => Found<T> | undefined
}

/** A collection of items that are made when they are asked for. */
export function collection<T>(items: ReadonlyMap<string, () => T>): Collection<T> {
  return {
    names: [...items.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    find(asked) {
      const name = cleanName(asked)
      const content = items.get(name)
      return content && { name, content: content() }
    },
  }
}

/**
 * A name as a path below the collection: `\` reads as `/`, slashes at either end and repeated ones go, `.`
 * and `..` are resolved without ever leaving the top (forge reference 3.1). The top itself is the empty name.
 */
export function cleanName(name: string): string {
  return posix.resolve('/', name.replaceAll('\\', '/').replace(/^\/+/, '')).slice(1)
}

import { posix } from 'node:path'

/** An item with its cleaned name, which the answer shows. */
export interface Item<T> {
  readonly name: string
  readonly content: T
}

/** Named items that do not change while the server runs. */
export interface Collection<T> {
  /** All names in the order of their UTF-8 bytes (upper case before lower case). */
  readonly names: readonly string[]
  /** Finds an item by its cleaned name (see {@link cleanName}), case-sensitive. */
  readonly find: (name: string) => Item<T> | undefined
}

/** A collection of items that are created on first use. */
export function collection<T>(items: ReadonlyMap<string, () => T>): Collection<T> {
  return {
    names: [...items.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    find(requested) {
      const name = cleanName(requested)
      const content = items.get(name)
      return content && { name, content: content() }
    },
  }
}

/**
 * Cleans a name like a path below the collection: `\` reads as `/`, leading, trailing and repeated slashes are dropped,
 * `.` and `..` are resolved without leaving the top (forge reference 3.1). The top itself is the empty name.
 */
export function cleanName(name: string): string {
  return posix.resolve('/', name.replaceAll('\\', '/').replace(/^\/+/, '')).slice(1)
}

import { LRUCache } from 'lru-cache'
import type { DatabaseVersion, VersionSource } from '../../db/version.ts'

/** Maximum bytes of one entry with its key, and of all entries together. */
const maxBytes = { each: 1024 * 1024, together: 8 * 1024 * 1024 }

/** Maximum number of consecutive runs that skip the version query while the version keeps changing. */
const maxBackoff = 16

/** A read; gets the database version before it, if known. */
type Run<Value> = (version: DatabaseVersion | undefined) => Promise<Value>

/**
 * Caches results until something is written: a result is reused while the database still has the version that it had
 * before the run. So a cached result is as fresh as a new query, without its cost. Only for results that depend on
 * database rows alone.
 */
export class ValidatedCache<Value extends object> {
  readonly #versions: VersionSource
  readonly #entries: LRUCache<string, { version: DatabaseVersion; value: Value }>
  /** The last version queried, how many times in a row it had changed, and how many runs will skip the query. */
  #lastVersion: string | undefined
  #changes = 0
  #skips = 0

  /** `sizeOf` returns the approximate size of a value in bytes; keys count too, since they may contain search texts. */
  constructor(versions: VersionSource, sizeOf: (value: Value) => number) {
    this.#versions = versions
    this.#entries = new LRUCache({
      maxSize: maxBytes.together,
      maxEntrySize: maxBytes.each,
      sizeCalculation: ({ value }, key) => 2 * key.length + sizeOf(value),
    })
  }

  /**
   * The cached result, if it is known to be valid without querying the database. `observed` is a database version that
   * was observed after the caller arrived.
   */
  getIfFresh(key: string, observed?: DatabaseVersion): Value | undefined {
    return this.#valid(key, 'local' in this.#versions ? this.#versions.local() : observed)
  }

  /**
   * The cached result if it is valid, else that of `run`, which gets the version before it. If `observed` missed in
   * `getIfFresh`, the version is not queried again: an entry for that version could be stale for other callers that
   * share this run.
   */
  async get(key: string, run: Run<Value>, observed?: DatabaseVersion): Promise<Value> {
    const versions = this.#versions
    if ('remote' in versions && observed !== undefined) return this.#refresh(key, run, observed)
    const version = 'local' in versions ? versions.local() : await this.#query(versions.remote)
    return this.#valid(key, version) ?? this.#refresh(key, run, version)
  }

  #valid(key: string, version: DatabaseVersion | undefined): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.version === version ? entry.value : undefined
  }

  async #refresh(key: string, run: Run<Value>, version: DatabaseVersion | undefined): Promise<Value> {
    const value = await run(version)
    if (version !== undefined) this.#entries.set(key, { version, value })
    return value
  }

  /** Queries the version. While it keeps changing, the query would be a wasted round trip, so some runs skip it. */
  async #query(read: () => Promise<string | undefined>): Promise<string | undefined> {
    if (this.#skips-- > 0) return undefined
    const version = await read()
    this.#changes = version === this.#lastVersion ? 0 : this.#changes + 1
    this.#skips = Math.min(this.#changes >> 1, maxBackoff)
    this.#lastVersion = version
    return version
  }
}

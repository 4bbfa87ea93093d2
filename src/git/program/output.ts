import type { Readable } from 'node:stream'

/** Reads the output of a process on demand. */
export class Output {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #allowed = Number.POSITIVE_INFINITY

  constructor(stdout: Readable) {
    this.#chunks = stdout[Symbol.asyncIterator]()
  }

  /** Whether all bytes that were read are used. */
  get isEmpty(): boolean {
    return this.#rest.length === 0
  }

  /** Limits how many more bytes may be read. */
  allow(bytes: number): void {
    this.#allowed = bytes
  }

  /** The next line; undefined if the output ends before. */
  async line(): Promise<string | undefined> {
    let end = this.#rest.indexOf(10)
    while (end < 0) {
      const before = this.#rest
      const next = await this.#next()
      if (!next) return undefined
      this.#rest = Buffer.concat([before, next])
      end = this.#rest.indexOf(10, before.length)
    }
    return this.#take(end + 1).toString('utf8', 0, end)
  }

  /** The next bytes; undefined if the output ends before. */
  async bytes(count: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    const isRead = await this.#each(count, (part) => parts.push(part))
    return isRead ? Buffer.concat(parts) : undefined
  }

  /** False if the output ends before. */
  skip(count: number): Promise<boolean> {
    return this.#each(count, () => {})
  }

  async #each(count: number, use: (part: Buffer) => void): Promise<boolean> {
    for (let left = count; ; ) {
      const part = this.#take(left)
      use(part)
      left -= part.length
      if (left === 0) return true
      const next = await this.#next()
      if (!next) return false
      this.#rest = next
    }
  }

  #take(count: number): Buffer {
    const part = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(part.length)
    return part
  }

  async #next(): Promise<Buffer | undefined> {
    // The output breaks when the process is ended.
    const next = await this.#chunks.next().catch(() => undefined)
    if (!next || next.done) return undefined
    this.#allowed -= next.value.length
    return this.#allowed < 0 ? undefined : next.value
  }
}

/** Most bytes of a block. Chunks may be single bytes, each of which would cost a hundred bytes as a buffer of its own. */
const largestBlock = 16 * 1024

const none = Buffer.alloc(0)

/** The bytes of a body that have arrived, copied into blocks. */
export class Blocks {
  size = 0
  #blocks: Buffer[] = []
  /** Bytes that are still free in the last block. */
  #room = 0

  /** `announced`: `Content-Length`, 0 where there is none. */
  constructor(readonly announced: number) {}

  /** Copies a chunk; returns the number of bytes that had to be allocated for it. */
  add(chunk: Buffer): number {
    let allocated = 0
    for (let from = 0; from < chunk.length; ) {
      if (this.#room === 0) allocated += this.#allocate()
      const last = this.#blocks.at(-1) ?? none
      const copied = chunk.copy(last, last.length - this.#room, from)
      this.#room -= copied
      this.size += copied
      from += copied
    }
    return allocated
  }

  #allocate(): number {
    const rest = this.announced - this.size
    this.#room = rest > 0 ? Math.min(rest, largestBlock) : largestBlock
    this.#blocks.push(Buffer.allocUnsafeSlow(this.#room))
    return this.#room
  }

  join(): Buffer {
    const [first = none] = this.#blocks
    return first.length === this.size ? first : Buffer.concat(this.#blocks, this.size)
  }

  clear(): void {
    this.#blocks = []
  }
}

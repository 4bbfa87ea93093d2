/** Maximum size of a block. Without blocks, single-byte chunks would cost about a hundred bytes each as buffers. */
const maxBlockBytes = 16 * 1024

const none = Buffer.alloc(0)

/** The bytes of a body that have arrived, copied into blocks. */
export class Blocks {
  size = 0
  #blocks: Buffer[] = []
  /** Unused bytes of the last block. */
  #free = 0

  /** `announced`: the value of `Content-Length`, 0 if absent. */
  constructor(readonly announced: number) {}

  /** Copies a chunk; returns the number of bytes that had to be allocated for it. */
  add(chunk: Buffer): number {
    let allocated = 0
    for (let from = 0; from < chunk.length; ) {
      if (this.#free === 0) allocated += this.#allocate()
      const last = this.#blocks.at(-1) ?? none
      const copied = chunk.copy(last, last.length - this.#free, from)
      this.#free -= copied
      this.size += copied
      from += copied
    }
    return allocated
  }

  #allocate(): number {
    const rest = this.announced - this.size
    this.#free = rest > 0 ? Math.min(rest, maxBlockBytes) : maxBlockBytes
    this.#blocks.push(Buffer.allocUnsafeSlow(this.#free))
    return this.#free
  }

  join(): Buffer {
    const [first = none] = this.#blocks
    return first.length === this.size ? first : Buffer.concat(this.#blocks, this.size)
  }

  clear(): void {
    this.#blocks = []
  }
}

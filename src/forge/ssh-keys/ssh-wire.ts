/** The data types of RFC 4251 §5 that occur in public keys and signatures. */

/** Reads length-prefixed fields one after another; a read beyond the end returns undefined. */
export class WireReader {
  #at = 0

  constructor(readonly bytes: Buffer) {}

  /** The next `string`; undefined if the bytes end before it does. */
  string(): Buffer | undefined {
    if (this.bytes.length - this.#at < 4) return undefined
    const start = this.#at + 4
    const end = start + this.bytes.readUInt32BE(this.#at)
    if (end > this.bytes.length) return undefined
    this.#at = end
    return this.bytes.subarray(start, end)
  }

  /**
   * The next `string`, decoded as Latin-1: equal to the text if it is ASCII, and different from any ASCII text if not.
   */
  text(): string | undefined {
    return this.string()?.toString('latin1')
  }

  /** The magnitude of the next `mpint` if it is positive and in its shortest form; otherwise undefined. */
  positive(): Buffer | undefined {
    const bytes = this.string()
    const first = bytes?.[0]
    if (bytes === undefined || first === undefined || first >= 0x80) return undefined
    if (first > 0) return bytes
    return (bytes[1] ?? 0) >= 0x80 ? bytes.subarray(1) : undefined
  }

  /** All bytes that were not read yet. */
  rest(): Buffer {
    const rest = this.bytes.subarray(this.#at)
    this.#at = this.bytes.length
    return rest
  }

  /** Whether all bytes were read. */
  get done(): boolean {
    return this.#at === this.bytes.length
  }
}

/** Writes fields as length-prefixed `string`s. */
export function wireStrings(...fields: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    fields.flatMap((field) => {
      const bytes = Buffer.from(field)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(bytes.length)
      return [length, bytes]
    }),
  )
}

/** The bytes of a positive number as an `mpint`: shortest form, with a zero byte before a leading one bit. */
export function mpint(magnitude: Uint8Array): Buffer {
  const start = magnitude.findIndex((byte) => byte !== 0)
  const shortest = start < 0 ? Buffer.alloc(0) : Buffer.from(magnitude.subarray(start))
  return (shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), shortest]) : shortest
}

/** Number of bits of a magnitude without leading zero bytes. */
export function bitLength(magnitude: Uint8Array): number {
  const first = magnitude[0]
  return first === undefined ? 0 : magnitude.length * 8 - Math.clz32(first) + 24
}

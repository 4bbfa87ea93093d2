/** The data types of RFC 4251 §5 that public keys are made of. */

/** Reads length-prefixed fields one after another; whatever is missing makes the reading fail as a whole. */
export class WireReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The next `string`; undefined when the bytes end before it does. */
  string(): Buffer | undefined {
    if (this.#bytes.length - this.#at < 4) return undefined
    const start = this.#at + 4
    const end = start + this.#bytes.readUInt32BE(this.#at)
    if (end > this.#bytes.length) return undefined
    this.#at = end
    return this.#bytes.subarray(start, end)
  }

  /** The next `string` as ASCII text; bytes beyond ASCII stay visible as other characters. */
  text(): string | undefined {
    return this.string()?.toString('latin1')
  }

  /** The magnitude of the next `mpint`, positive and in its shortest form; undefined for any other. */
  positive(): Buffer | undefined {
    const bytes = this.string()
    const first = bytes?.[0]
    if (bytes === undefined || first === undefined || first >= 0x80) return undefined
    if (first > 0) return bytes
    return (bytes[1] ?? 0) >= 0x80 ? bytes.subarray(1) : undefined
  }

  /** Whether everything was read. */
  get done(): boolean {
    return this.#at === this.#bytes.length
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

/** The bytes of a positive number as an `mpint` has them: shortest, and with a zero before a leading one bit. */
export function mpint(magnitude: Uint8Array): Buffer {
  const start = magnitude.findIndex((byte) => byte !== 0)
  const shortest = start < 0 ? Buffer.alloc(0) : Buffer.from(magnitude.subarray(start))
  return (shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), shortest]) : shortest
}

/** How many bits a magnitude without leading zero bytes has. */
export function bitLength(magnitude: Uint8Array): number {
  const first = magnitude[0]
  return first === undefined ? 0 : magnitude.length * 8 - Math.clz32(first) + 24
}

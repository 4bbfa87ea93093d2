/** Packets and their fields (RFC 9580 §4 and §5). */

export interface Packet {
  readonly tag: number
  readonly body: Buffer
}

export const tags = {
  signature: 2,
  secretKey: 5,
  publicKey: 6,
  secretSubkey: 7,
  userId: 13,
  publicSubkey: 14,
} as const

/** Reads fields one after another; a read beyond the end returns undefined. */
export class FieldReader {
  #at = 0

  constructor(readonly bytes: Buffer) {}

  take(length: number): Buffer | undefined {
    const end = this.#at + length
    if (end > this.bytes.length) return undefined
    const taken = this.bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** A number of so many bytes, at most 4. */
  number(length: number): number | undefined {
    return this.take(length)?.readUIntBE(0, length)
  }

  /** A multiprecision integer: the number of its bits, then its bytes. */
  integer(): Buffer | undefined {
    const bits = this.number(2)
    return bits === undefined ? undefined : this.take(Math.ceil(bits / 8))
  }

  get done(): boolean {
    return this.#at === this.bytes.length
  }
}

/** The packets of a text that was taken from its armor; undefined if they are malformed or more than `most`. */
export function packetsIn(bytes: Buffer, most: number): Packet[] | undefined {
  const reader = new FieldReader(bytes)
  const packets: Packet[] = []
  while (!reader.done) {
    const head = reader.number(1) ?? 0
    if (head < 0x80 || packets.length === most) return undefined
    const isNew = (head & 0x40) !== 0
    const length = isNew ? newLength(reader) : oldLength(reader, head & 3)
    const body = length === undefined ? undefined : reader.take(length)
    if (!body) return undefined
    packets.push({ tag: isNew ? head & 0x3f : (head >> 2) & 0xf, body })
  }
  return packets
}

/** The packet as bytes, with the length that all programs read. */
export function packetBytes({ tag, body }: Packet): Buffer {
  const head = Buffer.from([0xc0 | tag, 0xff, 0, 0, 0, 0])
  head.writeUInt32BE(body.length, 2)
  return Buffer.concat([head, body])
}

/** Packets that come in parts are for streams, and keys and signatures are none. */
function newLength(reader: FieldReader): number | undefined {
  const first = reader.number(1)
  return first !== undefined && first >= 224 && first < 255 ? undefined : lengthAfter(reader, first)
}

const oldLength = (reader: FieldReader, kind: number): number | undefined =>
  kind === 3 ? undefined : reader.number(2 ** kind)

/** A length of one, two or five bytes, whose first one was read. */
export function lengthAfter(reader: FieldReader, first: number | undefined): number | undefined {
  if (first === undefined || first < 192) return first
  if (first === 255) return reader.number(4)
  const second = reader.number(1)
  return second === undefined ? undefined : ((first - 192) << 8) + second + 192
}

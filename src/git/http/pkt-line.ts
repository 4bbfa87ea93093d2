/** Longest packet with its four digits of length (gitprotocol-common(5)). */
const longest = 65_520

/** A flush packet. */
export const flush = Buffer.from('0000')

/** A packet of a text or of bytes, which must fit. */
export function packet(payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** A packet of a side band (gitprotocol-pack(5)): 1 data, 2 progress, 3 the error that ends it. */
export const banded = (band: 1 | 2 | 3, payload: string | Buffer): Buffer =>
  packet(Buffer.concat([Buffer.from([band]), Buffer.from(payload)]))

/** `flush` ends a list; `mark` is one of the other lengths below 4; after `broken` nothing comes any more. */
export type Packet = { kind: 'data'; payload: Buffer } | { kind: 'flush' | 'mark' | 'broken' }

/** Cuts bytes that arrive in any pieces into packets; holds one packet at most. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0)
  #broken = false

  /** The packets that are whole with these bytes. */
  read(chunk: Buffer): Packet[] {
    const packets: Packet[] = []
    if (this.#broken) return packets
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (rest.length >= 4) {
      const digits = rest.toString('latin1', 0, 4)
      const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
      if (length === -1 || length > longest) {
        this.#broken = true
        return [...packets, { kind: 'broken' }]
      }
      if (rest.length < length) break
      const end = Math.max(length, 4)
      if (length >= 4) packets.push({ kind: 'data', payload: rest.subarray(4, end) })
      else packets.push({ kind: length === 0 ? 'flush' : 'mark' })
      rest = rest.subarray(end)
    }
    this.#rest = rest
    return packets
  }
}

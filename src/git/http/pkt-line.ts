/** Maximum length of a packet, including its four length digits (gitprotocol-common(5)). */
const maxLength = 65_520

/** A flush packet. */
export const flush = Buffer.from('0000')

/** A packet with a text or bytes, which must not exceed the maximum. */
export function packet(payload: string | Buffer): Buffer {
  const bytes = Buffer.from(payload)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}

/** A side-band packet (gitprotocol-pack(5)): 1 data, 2 progress, 3 fatal error. */
export const banded = (band: 1 | 2 | 3, payload: string | Buffer): Buffer =>
  packet(Buffer.concat([Buffer.from([band]), Buffer.from(payload)]))

/** `flush` ends a list; `mark` is one of the other lengths below 4; after `broken` no more packets are returned. */
type Packet = { kind: 'data'; payload: Buffer } | { kind: 'flush' | 'mark' | 'broken' }

/** Splits a byte stream into packets; buffers at most one packet. */
export class PacketReader {
  #rest: Buffer = Buffer.alloc(0)
  #broken = false

  /** The packets that are complete with these bytes. */
  read(chunk: Buffer): Packet[] {
    const packets: Packet[] = []
    if (this.#broken) return packets
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (rest.length >= 4) {
      const digits = rest.toString('latin1', 0, 4)
      const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
      if (length === -1 || length > maxLength) {
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

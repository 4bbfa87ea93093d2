import type { Readable } from 'node:stream'

/** The client has sent nothing for longer than it may, or something that is not git's protocol: one sentence. */
export class ClientError extends Error {}

/** What the client sends, as chunks and as packets (gitprotocol-common(5)). */
export class Input {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #silence: number
  #rest: Buffer = Buffer.alloc(0)

  /** @param silence milliseconds within which the client sends something when it has the turn */
  constructor(stream: Readable, silence: number) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#silence = silence
  }

  /** The next bytes; undefined if the client has ended its side. @throws ClientError */
  async chunk(): Promise<Buffer | undefined> {
    const rest = this.#rest
    this.#rest = Buffer.alloc(0)
    return rest.length > 0 ? rest : await this.#read()
  }

  /** The next packet with its length; undefined if the client has ended its side. @throws ClientError */
  async packet(): Promise<Buffer | undefined> {
    const head = await this.#atLeast(4)
    if (!head) return undefined
    const digits = head.toString('latin1', 0, 4)
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new ClientError('this is not the protocol of git')
    const length = Math.max(4, Number.parseInt(digits, 16))
    const bytes = await this.#atLeast(length)
    if (!bytes) return undefined
    this.#rest = bytes.subarray(length)
    return bytes.subarray(0, length)
  }

  /** The packets up to the next flush packet, with it; undefined if the client has ended its side. @throws ClientError */
  async untilFlush(maxBytes: number): Promise<Buffer | undefined> {
    const packets: Buffer[] = []
    for (let size = 0; size <= maxBytes; ) {
      const packet = await this.packet()
      if (!packet) return undefined
      packets.push(packet)
      size += packet.length
      if (isFlush(packet)) return Buffer.concat(packets)
    }
    throw new ClientError(`the request is larger than ${maxBytes} bytes`)
  }

  /** All bytes that are read but not used, at least `count`; they stay unused. */
  async #atLeast(count: number): Promise<Buffer | undefined> {
    while (this.#rest.length < count) {
      const next = await this.#read()
      if (!next) return undefined
      this.#rest = Buffer.concat([this.#rest, next])
    }
    return this.#rest
  }

  async #read(): Promise<Buffer | undefined> {
    let timer: NodeJS.Timeout | undefined
    const silent = new Promise<never>((_, reject) => {
      const error = new ClientError('the client has sent nothing for too long')
      timer = setTimeout(() => reject(error), this.#silence)
    })
    try {
      const { done, value } = await Promise.race([this.#chunks.next(), silent])
      return done ? undefined : value
    } finally {
      clearTimeout(timer)
    }
  }
}

export const isFlush = (packet: Buffer) => packet.toString('latin1', 0, 4) === '0000'

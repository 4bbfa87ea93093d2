/**
 * Reads the answers of a connection and tells the status of each when its last byte has come. It understands what the
 * measured servers send: a body with `Content-Length`, or none.
 */
export class AnswerReader {
  readonly #told: (status: number) => void
  /** Start of a head whose end has not come yet. */
  #pending = ''
  #status = 0
  /** Bytes of the body that are still to come. */
  #left = 0

  constructor(told: (status: number) => void) {
    this.#told = told
  }

  /** Takes the first `length` bytes of `buffer`. @throws Error on what is no HTTP */
  feed(buffer: Buffer, length: number): void {
    let at = 0
    while (at < length) {
      if (this.#left > 0) at = this.#skip(at, length)
      else at = this.#readHead(buffer, at, length)
    }
  }

  #skip(at: number, length: number): number {
    const taken = Math.min(this.#left, length - at)
    this.#left -= taken
    if (this.#left === 0) this.#told(this.#status)
    return at + taken
  }

  #readHead(buffer: Buffer, at: number, length: number): number {
    const end = this.#pending === '' ? buffer.indexOf('\r\n\r\n', at) : -1
    if (end !== -1 && end + 4 <= length) {
      this.#begin(buffer.toString('latin1', at, end + 2))
      return end + 4
    }
    // The head is cut by the end of a packet: rare, so it may be slow.
    const before = this.#pending.length
    this.#pending += buffer.toString('latin1', at, length)
    const cut = this.#pending.indexOf('\r\n\r\n')
    if (cut === -1) return length
    const head = this.#pending.slice(0, cut + 2)
    this.#pending = ''
    this.#begin(head)
    return at + cut + 4 - before
  }

  #begin(head: string): void {
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    if (!status) throw new Error(`No HTTP: ${head.slice(0, 80)}`)
    this.#status = status
    if (/\r\ntransfer-encoding:/i.test(head)) throw new Error('A body in chunks is not understood here')
    this.#left = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0)
    if (this.#left === 0) this.#told(status)
  }
}

import { accept, type Outcome, refuse } from '../../protocol/outcome.ts'

/** Why a text is no publication: the caller's sentence, and whether it is only too long. */
export interface ReaderFault {
  kind: 'large' | 'wrong'
  sentence: string
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Deeper texts would be too deep to be written again. */
const deepest = 100
const longestKey = 1000

/**
 * Reads the JSON text that npm publishes piece by piece. The content of the tarball, a text in base64 at
 * `_attachments.<name>.tgz.data`, is handed on as bytes; what is left of the text, with nothing in that place, is kept.
 * Only the place of that text is found here; whether the rest is JSON is for the parser to say.
 */
export class PublicationReader {
  readonly #longest: number
  readonly #rest: Buffer[] = []
  #restSize = 0
  readonly #containers: number[] = []
  /** The keys that lead to where we are, as far as they matter. */
  readonly #path: string[] = []
  #mode: 'between' | 'key' | 'text' | 'data' = 'between'
  #expectsKey = false
  #isEscaped = false
  #key: number[] = []
  readonly #base64 = new Base64Reader()
  #tarball: string | undefined
  #fault: ReaderFault | undefined

  /** `longest`: bytes of what is kept. */
  constructor(longest: number) {
    this.#longest = longest
  }

  /** Takes the next bytes of the text, and gives those of the tarball that they hold. */
  push(chunk: Buffer): Outcome<Buffer, ReaderFault> {
    const found: Buffer[] = []
    let kept = 0
    for (let at = 0; at < chunk.length && !this.#fault; ) {
      if (this.#mode === 'data') {
        const end = chunk.indexOf(quote, at)
        found.push(this.#decode(chunk.subarray(at, end === -1 ? chunk.length : end), end !== -1))
        if (end !== -1) this.#mode = 'between'
        kept = end === -1 ? chunk.length : end
        at = end === -1 ? chunk.length : end + 1
        continue
      }
      this.#step(chunk[at] ?? 0)
      at++
      if (this.#isInData()) this.#keep(chunk.subarray(kept, at))
      if (this.#isInData()) kept = at
    }
    this.#keep(chunk.subarray(kept))
    return this.#fault ? refuse(this.#fault) : accept(Buffer.concat(found))
  }

  /** What is left of the text, and the name of the tarball, where there was one. */
  finish(): Outcome<{ text: Buffer; tarball: string | undefined }, ReaderFault> {
    if (this.#mode !== 'between') this.#refuse('the body is not valid JSON')
    if (this.#fault) return refuse(this.#fault)
    return accept({ text: Buffer.concat(this.#rest, this.#restSize), tarball: this.#tarball })
  }

  /** Asked for anew, because a step may change it. */
  #isInData(): boolean {
    return this.#mode === 'data'
  }

  #keep(bytes: Buffer): void {
    this.#restSize += bytes.length
    if (this.#restSize > this.#longest) {
      this.#fault ??= { kind: 'large', sentence: 'the document beside the tarball is too large' }
      return
    }
    // A copy, so that a few bytes do not keep a whole piece of the tarball in memory.
    if (bytes.length > 0) this.#rest.push(Buffer.from(bytes))
  }

  #decode(bytes: Buffer, isLast: boolean): Buffer {
    const decoded = this.#base64.push(bytes.toString('latin1'), isLast)
    if (!decoded) this.#refuse('the tarball is not valid base64')
    return decoded ?? Buffer.alloc(0)
  }

  #refuse(sentence: string): void {
    this.#fault ??= { kind: 'wrong', sentence }
  }

  #step(byte: number): void {
    if (this.#mode === 'between') this.#between(byte)
    else this.#inText(byte)
  }

  #inText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === backslash) this.#isEscaped = true
    else if (byte === quote) {
      if (this.#mode === 'key') this.#path[this.#containers.length - 1] = keyOf(this.#key)
      this.#mode = 'between'
      return
    }
    if (this.#mode === 'key' && this.#key.length <= longestKey) this.#key.push(byte)
  }

  #between(byte: number): void {
    switch (byte) {
      case quote:
        this.#beginText()
        return
      case openObject:
      case openArray:
        this.#containers.push(byte)
        this.#path[this.#containers.length - 1] = ''
        this.#expectsKey = byte === openObject
        if (this.#containers.length > deepest) this.#refuse('the document is nested too deeply')
        return
      case closeObject:
      case closeArray:
        this.#containers.pop()
        this.#expectsKey = false
        return
      case colon:
        this.#expectsKey = false
        return
      case comma:
        this.#expectsKey = this.#containers.at(-1) === openObject
    }
  }

  #beginText(): void {
    if (this.#expectsKey) {
      this.#mode = 'key'
      this.#key = []
      return
    }
    this.#mode = this.#isTarball() ? 'data' : 'text'
    if (this.#mode !== 'data') return
    if (this.#tarball !== undefined) this.#refuse('one version is published at a time, with one tarball')
    this.#tarball = this.#path[1]
  }

  #isTarball(): boolean {
    const [first, name = '', last] = this.#path
    const isThere = this.#containers.length === 3 && this.#containers.every((each) => each === openObject)
    return isThere && first === '_attachments' && name.endsWith('.tgz') && last === 'data'
  }
}

/** A key as JSON means it; "" for one that is none. */
function keyOf(bytes: readonly number[]): string {
  if (bytes.length > longestKey) return ''
  try {
    const key: unknown = JSON.parse(`"${Buffer.from(bytes).toString('utf8')}"`)
    return typeof key === 'string' ? key : ''
  } catch {
    return ''
  }
}

/** Base64 (RFC 4648, section 4) in pieces; a slash may be escaped, as JSON has it. */
class Base64Reader {
  #left = ''
  #isPadded = false

  /** The bytes of all groups of four that are complete; undefined when the text is wrong, or ends within a group. */
  push(text: string, isLast: boolean): Buffer | undefined {
    const all = (this.#left + text).replaceAll('\\/', '/')
    // What a last backslash escapes is yet to come.
    const length = all.endsWith('\\') ? all.length - 1 : all.length
    const whole = all.slice(0, length - (length % 4))
    this.#left = all.slice(whole.length)
    const isRight = /^[A-Za-z0-9+/]*={0,2}$/.test(whole) && !(this.#isPadded && whole !== '')
    this.#isPadded ||= whole.endsWith('=')
    if (!isRight || (isLast && this.#left !== '')) return undefined
    return Buffer.from(whole, 'base64')
  }
}

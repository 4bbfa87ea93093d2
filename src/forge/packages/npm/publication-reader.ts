import { done, failed, type Outcome } from '../../../common/outcome.ts'

/** Why a text is not a publication: the error message for the client, and whether the text is only too large. */
export interface ReaderFault {
  kind: 'large' | 'wrong'
  sentence: string
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c]
const [openObject, closeObject, openArray, closeArray] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Maximum nesting depth; deeper documents could not be serialized again. */
const maxDepth = 100
const maxKeyLength = 1000

/**
 * Reads the JSON document that npm publishes chunk by chunk. Extracts the tarball, a base64 string at
 * `_attachments.<name>.tgz.data`, as bytes; keeps the rest of the document, with an empty string in that position. It
 * only locates that string; the JSON parser validates the rest.
 */
export class PublicationReader {
  readonly #rest: Buffer[] = []
  #restSize = 0
  readonly #containers: number[] = []
  /** The keys on the path to the current position, as far as they matter. */
  readonly #path: string[] = []
  #mode: 'between' | 'key' | 'text' | 'data' = 'between'
  #expectsKey = false
  #isEscaped = false
  #key: number[] = []
  readonly #base64 = new Base64Reader()
  #tarball: string | undefined
  #fault: ReaderFault | undefined

  /** `maxRest`: maximum size of the rest of the document, in bytes. */
  constructor(readonly maxRest: number) {}

  /** Reads the next chunk of the document and returns the tarball bytes in it. */
  push(chunk: Buffer): Outcome<Buffer, ReaderFault> {
    const tarballBytes: Buffer[] = []
    let keptUpTo = 0
    for (let position = 0; position < chunk.length && !this.#fault; ) {
      if (this.#mode === 'data') {
        const end = chunk.indexOf(quote, position)
        tarballBytes.push(this.#decode(chunk.subarray(position, end === -1 ? chunk.length : end), end !== -1))
        if (end !== -1) this.#mode = 'between'
        keptUpTo = end === -1 ? chunk.length : end
        position = end === -1 ? chunk.length : end + 1
        continue
      }
      this.#step(chunk[position] ?? 0)
      position++
      if (this.#isInData()) this.#keep(chunk.subarray(keptUpTo, position))
      if (this.#isInData()) keptUpTo = position
    }
    this.#keep(chunk.subarray(keptUpTo))
    return this.#fault ? failed(this.#fault) : done(Buffer.concat(tarballBytes))
  }

  /** The rest of the document, and the name of the tarball if there was one. */
  finish(): Outcome<{ text: Buffer; tarball: string | undefined }, ReaderFault> {
    if (this.#mode !== 'between') this.#refuse('the body is not valid JSON')
    if (this.#fault) return failed(this.#fault)
    return done({ text: Buffer.concat(this.#rest, this.#restSize), tarball: this.#tarball })
  }

  /** A method, so that TypeScript does not narrow `#mode` across a step that changes it. */
  #isInData(): boolean {
    return this.#mode === 'data'
  }

  #keep(bytes: Buffer): void {
    this.#restSize += bytes.length
    if (this.#restSize > this.maxRest) {
      this.#fault ??= { kind: 'large', sentence: 'the document beside the tarball is too large' }
      return
    }
    // A copy, so that a few bytes do not keep a whole chunk of the tarball in memory.
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
    if (this.#mode === 'key' && this.#key.length <= maxKeyLength) this.#key.push(byte)
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
        if (this.#containers.length > maxDepth) this.#refuse('the document is nested too deeply')
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
    const isAtDepth = this.#containers.length === 3 && this.#containers.every((each) => each === openObject)
    return isAtDepth && first === '_attachments' && name.endsWith('.tgz') && last === 'data'
  }
}

/** Decodes a JSON key; "" if it is invalid. */
function keyOf(bytes: readonly number[]): string {
  if (bytes.length > maxKeyLength) return ''
  try {
    const key: unknown = JSON.parse(`"${Buffer.from(bytes).toString('utf8')}"`)
    return typeof key === 'string' ? key : ''
  } catch {
    return ''
  }
}

/** Decodes base64 (RFC 4648, section 4) chunk by chunk; slashes may be escaped, as JSON allows. */
class Base64Reader {
  #left = ''
  #isPadded = false

  /** The bytes of all complete groups of four; undefined if the text is invalid or ends within a group. */
  push(text: string, isLast: boolean): Buffer | undefined {
    const all = (this.#left + text).replaceAll('\\/', '/')
    // The character that a trailing backslash escapes is in the next chunk.
    const length = all.endsWith('\\') ? all.length - 1 : all.length
    const whole = all.slice(0, length - (length % 4))
    this.#left = all.slice(whole.length)
    const isValid = /^[A-Za-z0-9+/]*={0,2}$/.test(whole) && !(this.#isPadded && whole !== '')
    this.#isPadded ||= whole.endsWith('=')
    if (!isValid || (isLast && this.#left !== '')) return undefined
    return Buffer.from(whole, 'base64')
  }
}

import { type Step, type Walk, walkOf } from './image-walks.ts'

/** The bytes that tell the formats apart. */
const signatureLength = 12

/**
 * Passes an image on without what it says about its making: the position, the time, the device, comments, previews. Keeps
 * the orientation and what colours need. Decodes no pixels, and holds at most one segment in memory. What follows the end of
 * the image is left out; bytes that are no image pass as they are.
 */
export class MetadataFilter {
  #walk: Walk | undefined
  #step: Step | undefined
  /** What becomes of all bytes after the walk. */
  #rest: 'keep' | 'drop' | undefined
  #pending: Buffer = Buffer.alloc(0)

  /** The bytes that are known to remain, with those of this chunk. */
  push(chunk: Buffer): Buffer {
    this.#pending = Buffer.concat([this.#pending, chunk])
    if (!this.#walk) {
      if (this.#pending.length < signatureLength) return Buffer.alloc(0)
      this.#walk = walkOf(this.#pending)
      this.#advance(Buffer.alloc(0))
    }
    const kept: Buffer[] = []
    while (this.#rest === undefined && this.#take(kept));
    if (this.#rest !== undefined) {
      const left = this.#shift(this.#pending.length)
      if (this.#rest === 'keep') kept.push(left)
    }
    return Buffer.concat(kept)
  }

  /** What remains of an image that ends in the middle of a segment. */
  end(): Buffer {
    const left = this.#shift(this.#pending.length)
    return this.#step?.do === 'inspect' ? Buffer.alloc(0) : left
  }

  /** Does what can be done of the current step; false if that needs more bytes. */
  #take(kept: Buffer[]): boolean {
    const step = this.#step
    if (!step) return false
    if (step.do === 'write') {
      kept.push(step.bytes)
      return this.#advance(Buffer.alloc(0))
    }
    if (step.do === 'scan') {
      const end = endOfScan(this.#pending)
      kept.push(this.#shift(end.at))
      return end.isFound && this.#advance(Buffer.alloc(0))
    }
    if (step.do === 'read' || step.do === 'inspect') {
      if (this.#pending.length < step.length) return false
      return this.#advance(this.#shift(step.length))
    }
    const bytes = this.#shift(Math.min(step.length, this.#pending.length))
    if (step.do !== 'drop') kept.push(step.do === 'blank' ? Buffer.alloc(bytes.length) : bytes)
    if (bytes.length === step.length) return this.#advance(Buffer.alloc(0))
    this.#step = { do: step.do, length: step.length - bytes.length }
    return false
  }

  /** Goes to the next step. */
  #advance(read: Buffer): boolean {
    const next = this.#walk?.next(read)
    if (next?.done) this.#rest = next.value
    else this.#step = next?.value
    return true
  }

  #shift(length: number): Buffer {
    const bytes = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return bytes
  }
}

/** An image in memory, without its metadata. */
export function withoutMetadata(image: Buffer): Buffer {
  const filter = new MetadataFilter()
  return Buffer.concat([filter.push(image), filter.end()])
}

/**
 * Where the entropy-coded data of a JPEG ends: at the first marker that is neither a stuffed zero nor a restart (ITU-T
 * T.81, section B.1.1.5). If there is none, up to where it certainly goes on.
 */
function endOfScan(bytes: Buffer): { at: number; isFound: boolean } {
  for (let at = bytes.indexOf(0xff); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const code = bytes[at + 1]
    if (code === undefined) return { at, isFound: false }
    if (code !== 0 && (code < 0xd0 || code > 0xd7)) return { at, isFound: true }
  }
  return { at: bytes.length, isFound: false }
}

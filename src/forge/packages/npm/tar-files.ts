/** Bytes of a header, and the unit of all sizes. */
const BLOCK = 512

/**
 * Names the files of a tar archive (POSIX.1, "ustar Interchange Format") that arrives in chunks. It holds one header at
 * a time and passes over everything else, extended headers (pax) too, so that an archive made to be slow to read is not:
 * its cost depends on its length alone. Names longer than a header are therefore cut as the header cuts them.
 */
export class TarFiles {
  readonly #header = Buffer.alloc(BLOCK)
  #held = 0
  #skip = 0

  /** Names of the files whose headers end in this chunk. @throws RangeError for a block that is not a header */
  push(chunk: Buffer): string[] {
    const names: string[] = []
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(this.#skip, chunk.length - at)
      this.#skip -= skipped
      at += skipped
      const copied = chunk.copy(this.#header, this.#held, at, at + BLOCK - this.#held)
      this.#held += copied
      at += copied
      if (this.#held < BLOCK) continue
      this.#held = 0
      const name = this.#read(this.#header)
      if (name !== undefined) names.push(name)
    }
    return names
  }

  /** The name of the file; undefined for other entries and the end. */
  #read(header: Buffer): string | undefined {
    // An empty block ends the archive; what comes after it is padding.
    if (header.every((byte) => byte === 0)) {
      this.#skip = Number.POSITIVE_INFINITY
      return
    }
    if (numberIn(header, 148, 8) !== checksumOf(header)) throw new RangeError('not a tar header')
    const type = textIn(header, 156, 1) || '0'
    if (type !== '5') this.#skip = Math.ceil(numberIn(header, 124, 12) / BLOCK) * BLOCK
    if (type !== '0') return
    const prefix = textIn(header, 257, 6) === 'ustar' ? textIn(header, 345, 155) : ''
    const name = textIn(header, 0, 100)
    return prefix ? `${prefix}/${name}` : name
  }
}

/** The sum of all bytes, where those of the field of the sum itself count as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0)
  return sum
}

/** Fields are as long as they are, or end at a zero. */
function textIn(header: Buffer, at: number, length: number): string {
  const [text = ''] = header.toString('utf8', at, at + length).split('\0', 1)
  return text
}

/** Numbers are octal digits. @throws RangeError for anything else, such as the binary form of sizes from 8 GiB */
function numberIn(header: Buffer, at: number, length: number): number {
  const text = textIn(header, at, length).trim()
  if (!/^[0-7]+$/.test(text)) throw new RangeError('not a number of a tar header')
  return Number.parseInt(text, 8)
}

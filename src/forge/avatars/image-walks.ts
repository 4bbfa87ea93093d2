import { crc32 } from 'node:zlib'
import { orientationIn, tiffWith, upright } from './orientation.ts'

/**
 * What becomes of the next bytes of an image. `read` and `inspect` give them to the walk, which may write them; an image that
 * ends in the middle keeps those that were to be read, and loses those that were to be inspected.
 */
export type Step =
  | { do: 'read' | 'inspect' | 'keep' | 'drop' | 'blank'; length: number }
  | { do: 'write'; bytes: Buffer }
  /** Keeps entropy-coded data of a JPEG up to its end. */
  | { do: 'scan' }

/** Goes through the segments of an image from its first byte; returns what becomes of all that follows. */
export type Walk = Generator<Step, 'keep' | 'drop', Buffer>

/** A part of a walk. */
type Part = Generator<Step, void, Buffer>

const read = (length: number): Step => ({ do: 'read', length })
const inspect = (length: number): Step => ({ do: 'inspect', length })
const keep = (length: number): Step => ({ do: 'keep', length })
const drop = (length: number): Step => ({ do: 'drop', length })
const write = (...bytes: Buffer[]): Step => ({ do: 'write', bytes: Buffer.concat(bytes) })

const startsWith = (bytes: Buffer, text: string, at = 0) =>
  bytes.toString('latin1', at, at + text.length) === text

/** The walk for an image with this beginning. */
export function walkOf(bytes: Buffer): Walk {
  if (startsWith(bytes, '\xff\xd8')) return jpeg()
  if (startsWith(bytes, '\x89PNG')) return png()
  if (startsWith(bytes, 'GIF8')) return gif()
  return startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8) ? webp() : unknown()
}

// biome-ignore lint/correctness/useYield: there is nothing to look at
function* unknown(): Walk {
  return 'keep'
}

/** Segments of a JPEG (ITU-T T.81, annex B). */
function* jpeg(): Walk {
  yield keep(2)
  for (;;) {
    const [prefix = 0, second = 0] = yield read(2)
    let code = second
    if (prefix !== 0xff) {
      yield write(Buffer.of(prefix, code))
      return 'keep'
    }
    // Any number of fill bytes may be before a marker.
    while (code === 0xff) code = (yield read(1))[0] ?? 0
    const marker = Buffer.of(0xff, code)
    if (isAlone(code)) yield write(marker)
    else yield* jpegSegment(marker, code)
    if (code === 0xd9) return 'drop'
  }
}

/** Whether a marker has no content: TEM, restarts, and the beginning and the end of the image. */
const isAlone = (code: number) => code === 0x01 || (code >= 0xd0 && code <= 0xd9)

function* jpegSegment(marker: Buffer, code: number): Part {
  const lengths = yield read(2)
  const size = Math.max(0, lengths.readUInt16BE(0) - 2)
  const isOfApplication = code >= 0xe0 && code <= 0xef
  if (isOfApplication || code === 0xfe) {
    const content = yield inspect(size)
    if (isNeeded(code, content)) yield write(marker, lengths, content)
    else if (startsWith(content, 'Exif\0\0')) yield* jpegOrientation(content.subarray(6))
    return
  }
  yield write(marker, lengths)
  yield keep(size)
  if (code === 0xda) yield { do: 'scan' }
}

/** Whether decoders need the segment of an application: JFIF, the colour profile, and the transformation of Adobe. */
const isNeeded = (code: number, content: Buffer) =>
  (code === 0xe0 && startsWith(content, 'JFIF\0')) ||
  (code === 0xe2 && startsWith(content, 'ICC_PROFILE\0')) ||
  (code === 0xee && startsWith(content, 'Adobe'))

function* jpegOrientation(tiff: Buffer): Part {
  const orientation = orientationIn(tiff)
  if (orientation === upright) return
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiffWith(orientation)])
  const head = Buffer.from([0xff, 0xe1, 0, content.length + 2])
  yield write(head, content)
}

/** Chunks of a PNG that say what is no part of the picture (PNG specification, section 11.3). */
const pngMetadata = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME'])

/** The longest metadata that is searched for an orientation; Exif in a JPEG is no longer either. */
const longest = 65_536

function* png(): Walk {
  yield keep(8)
  for (;;) {
    const head = yield read(8)
    const [size, type] = [head.readUInt32BE(0), head.toString('latin1', 4)]
    if (type === 'eXIf' && size <= longest) yield* pngOrientation(yield inspect(size + 4))
    else if (pngMetadata.has(type)) yield drop(size + 4)
    else {
      yield write(head)
      yield keep(size + 4)
    }
    if (type === 'IEND') return 'drop'
  }
}

function* pngOrientation(tiff: Buffer): Part {
  const orientation = orientationIn(tiff)
  if (orientation === upright) return
  const named = Buffer.concat([Buffer.from('eXIf'), tiffWith(orientation)])
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(named.length - 4)
  sum.writeUInt32BE(crc32(named))
  yield write(size, named, sum)
}

/** Application extensions of a GIF that change the picture: how often it repeats, and its colours. */
const gifNeeded = /^(?:NETSCAPE2\.0|ANIMEXTS1\.0|ICCRGBG1012)/

/** Blocks of a GIF (GIF89a, sections 17 to 27). */
function* gif(): Walk {
  const head = yield read(13)
  yield write(head)
  yield keep(coloursIn(head[10]))
  for (;;) {
    const kind = yield read(1)
    if (kind[0] === 0x21) yield* gifExtension()
    else if (kind[0] === 0x2c) {
      const descriptor = yield read(9)
      yield write(kind, descriptor)
      yield keep(coloursIn(descriptor[8]) + 1)
      yield* gifBlocks(true)
    } else {
      yield write(kind)
      return kind[0] === 0x3b ? 'drop' : 'keep'
    }
  }
}

/** Bytes of the table of colours that these flags announce. */
const coloursIn = (flags = 0) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

function* gifExtension(): Part {
  const label = yield read(1)
  if (label[0] !== 0xff) {
    const isComment = label[0] === 0xfe
    if (!isComment) yield write(Buffer.of(0x21), label)
    return yield* gifBlocks(!isComment)
  }
  const size = yield read(1)
  const name = yield read(size[0] ?? 0)
  const isKept = gifNeeded.test(name.toString('latin1'))
  if (isKept) yield write(Buffer.of(0x21), label, size, name)
  yield* gifBlocks(isKept)
}

/** Blocks up to the empty one. */
function* gifBlocks(isKept: boolean): Part {
  for (;;) {
    const size = yield read(1)
    if (isKept) yield write(size)
    const length = size[0] ?? 0
    if (length === 0) return
    yield isKept ? keep(length) : drop(length)
  }
}

/**
 * Chunks of a WebP (RFC 9649, section 2.3). Its first bytes have its size, so chunks are not removed: they become chunks of
 * zeros, which readers ignore.
 */
function* webp(): Walk {
  const riff = yield read(12)
  yield write(riff)
  for (let left = riff.readUInt32LE(4) - 4; left > 0; ) {
    const head = yield read(8)
    const [type, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)]
    const padded = size + (size % 2)
    left -= 8 + padded
    if (type === 'EXIF') yield* webpExif(head, padded)
    else if (type === 'XMP ') {
      yield write(Buffer.from('JUNK'), head.subarray(4))
      yield { do: 'blank', length: padded }
    } else {
      yield write(head)
      if (type === 'VP8X' && padded > 0) {
        const [flags = 0] = yield read(1)
        // The flag says that there is a chunk `XMP `.
        yield write(Buffer.of(flags & ~0x04))
        yield keep(padded - 1)
      } else yield keep(padded)
    }
  }
  return 'drop'
}

function* webpExif(head: Buffer, padded: number): Part {
  const content = yield inspect(Math.min(padded, longest))
  const tiff = tiffWith(orientationIn(content.subarray(startsWith(content, 'Exif\0\0') ? 6 : 0)))
  const isRoom = content.length >= tiff.length
  if (isRoom) yield write(head, tiff, Buffer.alloc(content.length - tiff.length))
  else yield write(Buffer.from('JUNK'), head.subarray(4), Buffer.alloc(content.length))
  yield { do: 'blank', length: padded - content.length }
}

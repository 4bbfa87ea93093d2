/** Facts from the first bytes of an image. */
interface ImageHead {
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  width: number
  height: number
}

/**
 * Type and dimensions of an image, which is not decoded: a few bytes could become gigabytes of pixels. Undefined for
 * bytes that are no PNG, JPEG, GIF or WebP, or have no dimensions.
 */
export function imageHead(bytes: Buffer): ImageHead | undefined {
  const head = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes)
  return head && head.width > 0 && head.height > 0 ? head : undefined
}

const startsWith = (bytes: Buffer, at: number, text: string) =>
  bytes.toString('latin1', at, at + text.length) === text

/** Signature and the chunk `IHDR` (PNG specification, sections 5.2 and 11.2.1). */
function png(bytes: Buffer): ImageHead | undefined {
  const isPng = startsWith(bytes, 0, '\x89PNG\r\n\x1a\n') && startsWith(bytes, 12, 'IHDR')
  if (!isPng || bytes.length < 24) return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** The logical screen (GIF89a, section 18). */
function gif(bytes: Buffer): ImageHead | undefined {
  const isGif = startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')
  if (!isGif || bytes.length < 10) return undefined
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** The first chunk: lossy (RFC 6386, section 9.1), lossless or extended (RFC 9649, sections 3.4 and 2.7). */
function webp(bytes: Buffer): ImageHead | undefined {
  if (!startsWith(bytes, 0, 'RIFF') || !startsWith(bytes, 8, 'WEBP') || bytes.length < 30) return undefined
  const type = 'image/webp'
  if (startsWith(bytes, 12, 'VP8 ') && startsWith(bytes, 23, '\x9d\x01\x2a'))
    return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (startsWith(bytes, 12, 'VP8X'))
    return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
  if (!startsWith(bytes, 12, 'VP8L') || bytes[20] !== 0x2f) return undefined
  const packed = bytes.readUInt32LE(21)
  return { type, width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 }
}

/** The first frame header among the segments (ITU-T T.81, annex B). */
function jpeg(bytes: Buffer): ImageHead | undefined {
  if (!startsWith(bytes, 0, '\xff\xd8\xff')) return undefined
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    // Any number of fill bytes may be before a marker.
    if (marker === 0xff) at++
    else if (isFrame(marker))
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15, without the markers of tables and of the extension among them. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

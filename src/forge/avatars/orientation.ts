/** Tag 274 of TIFF 6.0, section 8: which edge of the stored pixels is the top. */
const tag = 274

/** The orientation of pixels that are stored as they are shown. */
export const upright = 1

/** The orientation in a TIFF structure, as Exif has it (TIFF 6.0, section 2); `upright` if there is none. */
export function orientationIn(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 4)
  const isLittle = order === 'II*\0'
  if ((!isLittle && order !== 'MM\0*') || tiff.length < 10) return upright
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
  const count = first + 2 <= tiff.length ? short(first) : 0
  for (let at = first + 2; at < first + 2 + 12 * count && at + 12 <= tiff.length; at += 12) {
    if (short(at) !== tag) continue
    const value = short(at + 8)
    return value >= 1 && value <= 8 ? value : upright
  }
  return upright
}

/** A TIFF structure that has an orientation and nothing else. */
export function tiffWith(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('MM\0*', 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(1, 8)
  tiff.writeUInt16BE(tag, 10)
  // One value of the type SHORT.
  tiff.writeUInt16BE(3, 12)
  tiff.writeUInt32BE(1, 14)
  tiff.writeUInt16BE(orientation, 18)
  return tiff
}

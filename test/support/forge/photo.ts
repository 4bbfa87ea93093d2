/** What no published picture may contain. */
export const secret = 'SECRET'

/** A TIFF structure as a camera writes it, least significant byte first: the orientation, and a text behind it. */
export function tiffOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(44)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(2, 8)
  // The maker of the device, a text of six characters.
  tiff.writeUInt16LE(271, 10)
  tiff.writeUInt16LE(2, 12)
  tiff.writeUInt32LE(6, 14)
  tiff.writeUInt32LE(38, 18)
  tiff.writeUInt16LE(274, 22)
  tiff.writeUInt16LE(3, 24)
  tiff.writeUInt32LE(1, 26)
  tiff.writeUInt16LE(orientation, 30)
  tiff.write(secret, 38)
  return tiff
}

function segment(code: number, content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}

/** The orientation alone, as the server writes it: the most significant byte first. */
const oriented = (orientation: number) =>
  Buffer.concat([
    Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01', 'latin1'),
    Buffer.from([0, orientation, 0, 0, 0, 0, 0, 0]),
  ])

/**
 * A JPEG of 512 × 384 pixels with what a phone adds to it, and a preview behind its end; `isBare`: without, but with its
 * orientation.
 */
export function photo({ orientation = 1, isBare = false, isFilled = false }): Buffer {
  const metadata = isBare
    ? orientation === 1
      ? []
      : [segment(0xe1, oriented(orientation))]
    : [
        segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiffOf(orientation)])),
        segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${secret}`),
        segment(0xe2, `MPF\0${secret}`),
        segment(0xed, `Photoshop 3.0\0${secret}`),
        segment(0xfe, secret),
      ]
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, 'JFIF\0\x01\x01\0\0\x01\0\x01\0\0'),
    ...(isFilled ? [Buffer.from([0xff, 0xff])] : []),
    ...metadata,
    segment(0xe2, 'ICC_PROFILE\0\x01\x01colours'),
    segment(0xc0, '\x08\x01\x80\x02\0\x01\x01\x11\0'),
    segment(0xda, '\x01\x01\0\0\x3f\0'),
    // Entropy-coded data with a stuffed zero and a restart, and a second scan.
    Buffer.from([1, 2, 0xff, 0, 0xff, 0xd0, 3]),
    segment(0xda, '\x01\x01\0\0\x3f\0'),
    Buffer.from([4, 0xff, 0xd9]),
    ...(isBare ? [] : [Buffer.from(secret)]),
  ])
}

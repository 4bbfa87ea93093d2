import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { MetadataFilter, withoutMetadata } from '../../../src/forge/avatars/metadata-filter.ts'
import { orientationIn, tiffWith } from '../../../src/forge/avatars/orientation.ts'
import { photo, secret, tiffOf } from '../../support/forge/photo.ts'
import { dotPicture } from '../../support/forge/pictures.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const sized = (write: 'writeUInt32BE' | 'writeUInt32LE', value: number) => {
  const bytes = Buffer.alloc(4)
  bytes[write](value)
  return bytes
}

const bytesOf = (content: Buffer | string) => (typeof content === 'string' ? latin1(content) : content)

function chunk(type: string, content: Buffer | string): Buffer {
  const named = Buffer.concat([latin1(type), bytesOf(content)])
  return Buffer.concat([
    sized('writeUInt32BE', named.length - 4),
    named,
    sized('writeUInt32BE', crc32(named)),
  ])
}

const png = (...metadata: Buffer[]) =>
  Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', '\0\0\0\x01\0\0\0\x01\x08\0\0\0\0'),
    ...metadata,
    chunk('IDAT', 'eXIf tEXt'),
    chunk('IEND', ''),
  ])

function riff(...chunks: Buffer[]): Buffer {
  const body = Buffer.concat([latin1('WEBP'), ...chunks])
  return Buffer.concat([latin1('RIFF'), sized('writeUInt32LE', body.length), body])
}

const part = (type: string, content: Buffer | string) => {
  const bytes = bytesOf(content)
  return Buffer.concat([
    latin1(type),
    sized('writeUInt32LE', bytes.length),
    bytes,
    Buffer.alloc(bytes.length % 2),
  ])
}

const gif = (...extensions: string[]) =>
  Buffer.concat([
    dotPicture.bytes.subarray(0, 19),
    ...extensions.map((each) => latin1(`\x21${each}\0`)),
    dotPicture.bytes.subarray(19),
  ])

const head = '\0\0\0\0\x01\0\0\0\0\0'
const images: readonly [name: string, image: Buffer, without: Buffer][] = [
  ['JPEG', photo({ orientation: 6 }), photo({ orientation: 6, isBare: true })],
  ['upright JPEG', photo({ orientation: 1 }), photo({ isBare: true })],
  ['JPEG with fill bytes', photo({ isFilled: true, orientation: 1 }), photo({ isBare: true })],
  [
    'PNG',
    png(
      chunk('tEXt', secret),
      chunk('zTXt', secret),
      chunk('iTXt', secret),
      chunk('tIME', secret),
      chunk('eXIf', tiffOf(8)),
    ),
    png(chunk('eXIf', tiffWith(8))),
  ],
  [
    'upright PNG with a preview behind its end',
    Buffer.concat([png(chunk('eXIf', tiffOf(1))), latin1(secret)]),
    png(),
  ],
  [
    'GIF',
    gif(`\xfe\x06${secret}`, `\xff\x0bXMP DataXMP\x06${secret}`, '\xff\x0bNETSCAPE2.0\x03\x01\0\0'),
    gif('\xff\x0bNETSCAPE2.0\x03\x01\0\0'),
  ],
  [
    'WebP',
    riff(
      part('VP8X', `\x0c${head}`),
      part('VP8L', 'pixel'),
      part('EXIF', tiffOf(3)),
      part('XMP ', `${secret}!`),
    ),
    riff(
      part('VP8X', `\x08${head}`),
      part('VP8L', 'pixel'),
      part('EXIF', Buffer.concat([tiffWith(3), Buffer.alloc(tiffOf(3).length - 26)])),
      part('JUNK', Buffer.alloc(7)),
    ),
  ],
]

/** An image that arrives in these pieces. */
function inPieces(image: Buffer, ends: readonly number[]): Buffer {
  const filter = new MetadataFilter()
  const sorted = [0, ...ends.map((end) => end % (image.length + 1)).sort((a, b) => a - b), image.length]
  const pieces = sorted.map((end, at) => image.subarray(sorted[at - 1] ?? 0, end))
  return Buffer.concat([...pieces.map((piece) => filter.push(piece)), filter.end()])
}

for (const [name, image, without] of images) {
  test(`a ${name} loses its metadata and keeps its orientation, in whatever pieces it arrives`, () => {
    assert.ok(image.includes(secret))
    assert.deepEqual(withoutMetadata(image), without)
    assert.deepEqual(withoutMetadata(without), without)
    const piecewise = fc.property(fc.array(fc.nat(), { maxLength: 8 }), (ends) =>
      inPieces(image, ends).equals(without),
    )
    fc.assert(piecewise)
    assert.deepEqual(inPieces(image, Array.from(image.keys())), without, 'byte by byte')
  })

  test(`a ${name} that ends early shows nothing of its metadata`, () => {
    for (let length = 0; length <= image.length; length++) {
      const cut = withoutMetadata(image.subarray(0, length))
      assert.ok(!cut.includes(secret), `${length}`)
      assert.deepEqual(cut.subarray(0, 2), image.subarray(0, Math.min(2, length)), `${length}`)
    }
  })
}

test('bytes that are no image pass as they are, and no bytes are too odd', () => {
  const signatures = ['', '\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF\0\0\0\0WEBP'].map(latin1)
  const some = fc.tuple(fc.constantFrom(...signatures), fc.uint8Array({ maxLength: 300 }))
  fc.assert(
    fc.property(some, fc.array(fc.nat(), { maxLength: 4 }), ([signature, rest], ends) => {
      const bytes = Buffer.concat([signature, rest])
      const filtered = withoutMetadata(bytes)
      assert.deepEqual(inPieces(bytes, ends), filtered)
      assert.ok(filtered.length <= bytes.length + 26)
      if (signature.length === 0 && !/^(?:\xff\xd8|GIF8|RIFF)/.test(bytes.toString('latin1')))
        assert.deepEqual(filtered, bytes)
    }),
  )
})

test('an orientation is read in both orders of bytes, and only from a structure that has one', () => {
  for (let value = 1; value <= 8; value++) {
    assert.equal(orientationIn(tiffWith(value)), value)
    assert.equal(orientationIn(tiffOf(value)), value)
  }
  for (const value of [0, 9, 65_535]) assert.equal(orientationIn(tiffWith(value)), 1)
  for (let length = 0; length < 22; length++) assert.equal(orientationIn(tiffWith(6).subarray(0, length)), 1)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const value = orientationIn(Buffer.concat([latin1('II*\0'), bytes]))
      return value >= 1 && value <= 8
    }),
  )
})

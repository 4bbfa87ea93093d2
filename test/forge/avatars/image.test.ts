import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { imageHead } from '../../../src/forge/avatars/image.ts'
import { dotPicture, pngHead } from '../../support/forge/pictures.ts'

const webp = (chunk: string, ...body: number[]) =>
  Buffer.concat([
    Buffer.from('RIFF\x20\0\0\0WEBP'),
    Buffer.from(chunk),
    Buffer.from([10, 0, 0, 0, ...body]),
    Buffer.alloc(12),
  ])
const frame = (marker: number) => [0xff, marker, 0, 17, 8, 0x02, 0x58, 0x03, 0x20, 3]
const jpeg = (...segments: number[]) => Buffer.from([0xff, 0xd8, ...segments, ...Array(12).fill(0)])

const images: [name: string, bytes: Buffer, type: string, width: number, height: number][] = [
  ['PNG', pngHead(300, 70_000).bytes, 'image/png', 300, 70_000],
  ['GIF', dotPicture.bytes, 'image/gif', 1, 1],
  ['GIF87a', Buffer.from('GIF87a\x10\x27\x05\0', 'latin1'), 'image/gif', 10_000, 5],
  ['JPEG', jpeg(0xff, 0xe0, 0, 4, 1, 2, ...frame(0xc0)), 'image/jpeg', 800, 600],
  ['progressive JPEG', jpeg(0xff, 0xc4, 0, 3, 9, 0xff, ...frame(0xc2)), 'image/jpeg', 800, 600],
  ['lossy WebP', webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, 0x20, 0x43, 0x58, 0x82), 'image/webp', 800, 600],
  ['lossless WebP', webp('VP8L', 0x2f, 0x1f, 0xc3, 0x95, 0), 'image/webp', 800, 600],
  ['extended WebP', webp('VP8X', 0, 0, 0, 0, 0x1f, 3, 0, 0x57, 2, 0), 'image/webp', 800, 600],
]

for (const [name, bytes, type, width, height] of images)
  test(`the head of a ${name} has type and dimensions`, () => {
    assert.deepEqual(imageHead(bytes), { type, width, height })
  })

test('bytes that are no image, or without dimensions, have no head', () => {
  const without: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['BMP', Buffer.from('BM\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0')],
    ['PNG without width', pngHead(0, 1).bytes],
    ['PNG cut', pngHead(1, 1).bytes.subarray(0, 23)],
    ['GIF without height', Buffer.from('GIF89a\x01\0\0\0', 'latin1')],
    ['JPEG without frame', jpeg(0xff, 0xe0, 0, 4, 1, 2)],
    ['JPEG with a broken segment', jpeg(0xff, 0xe0, 0, 4, 1, 2, 3, ...frame(0xc0))],
    ['WebP of a chunk that is not known', webp('VP8?', 0x2f, 1, 1, 1, 1)],
    ['WebP cut', webp('VP8L', 0x2f).subarray(0, 24)],
  ]
  for (const [name, bytes] of without) assert.equal(imageHead(bytes), undefined, name)
})

test('any bytes behind a signature are read without an error', () => {
  const starts = images.map(([, bytes]) => bytes.subarray(0, 16))
  fc.assert(
    fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 60 }), (start, rest) => {
      imageHead(Buffer.concat([start, rest]))
    }),
  )
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { PublicationReader } from '../../../../src/forge/packages/npm/publication-reader.ts'

/** Reads a text in pieces of a size. */
function read(text: string | Buffer, size = 7, longest = 1_000_000) {
  const reader = new PublicationReader(longest)
  const bytes = Buffer.from(text)
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) {
    const piece = reader.push(bytes.subarray(at, at + size))
    if (!piece.ok) return { fault: piece.fault }
    found.push(piece.value)
  }
  const end = reader.finish()
  if (!end.ok) return { fault: end.fault }
  return { rest: end.value.text.toString(), tarball: end.value.tarball, content: Buffer.concat(found) }
}

const document = (data: string, before = '{"name":"a",') =>
  `${before}"_attachments":{"a-1.0.0.tgz":{"content_type":"x","data":"${data}","length":1}},"z":[1]}`

test('the tarball is returned as bytes, and the rest of the document without it, however the chunks are cut', () => {
  const content = randomBytes(1000)
  for (const length of [0, 1, 2, 3, 4, 999, 1000]) {
    const data = content.subarray(0, length)
    for (const size of [1, 2, 3, 5, 64, 10_000]) {
      const made = read(document(data.toString('base64')), size)
      assert.ok(made.content?.equals(data), `${length} in pieces of ${size}`)
      assert.deepEqual([made.rest, made.tarball], [document(''), 'a-1.0.0.tgz'])
    }
  }
})

test('slashes may be escaped, and keys written in any way that JSON has', () => {
  const data = Buffer.from([255, 255, 255, 255, 255, 255])
  assert.equal(data.toString('base64'), '////////')
  for (const size of [1, 2, 3, 1000]) {
    assert.ok(read(document('\\/'.repeat(8)), size).content?.equals(data))
    const made = read('{"\\u005fattachments":{"\\u0061.tgz":{"d\\u0061ta":"////"}}}', size)
    assert.deepEqual([made.content?.length, made.tarball], [3, 'a.tgz'])
  }
})

test('only the data of a tarball among the attachments is extracted', () => {
  for (const text of [
    '{"_attachments":{"a.sigstore":{"data":"AAAA"}}}',
    '{"x":{"_attachments":{"a.tgz":{"data":"AAAA"}}}}',
    '{"_attachments":{"a.tgz":{"x":"AAAA"}}}',
    '{"_attachments":{"a.tgz":["data","AAAA"]}}',
    '{"_attachments":[{"a.tgz":{"data":"AAAA"}}]}',
    '{"_attachments":{"a.tgz":{"x":{"data":"AAAA"}}}}',
    '{"x":"\\"_attachments\\":{\\"a.tgz\\":{\\"data\\":\\"AAAA\\"}}"}',
    '{"_attachments":"a.tgz","data":"AAAA"}',
    '["_attachments","a.tgz","data"]',
    '""',
    'garbage }}]]',
  ]) {
    const made = read(text)
    assert.deepEqual([made.rest, made.tarball, made.content?.length], [text, undefined, 0], text)
  }
})

test('invalid base64, a second tarball, deep nesting, a truncated and a too long document are refused', () => {
  for (const data of [
    'A',
    'AA',
    'AAAAA',
    'AA=A',
    'AA==AAAA',
    'AAA\\n',
    'A A A',
    'ÄÄÄÄ',
    '\\u0041AAA',
    '====',
  ])
    assert.equal(read(document(data)).fault?.sentence, 'the tarball is not valid base64', data)
  const twice = '{"_attachments":{"a.tgz":{"data":"AAAA"},"b.tgz":{"data":"AAAA"}}}'
  assert.match(read(twice).fault?.sentence ?? '', /one tarball/)
  assert.match(read('['.repeat(101)).fault?.sentence ?? '', /nested too deeply/)
  assert.equal(read('['.repeat(100)).fault, undefined)
  assert.match(read(document('AAAA').slice(0, 70)).fault?.sentence ?? '', /not valid JSON/)
  assert.equal(read(document('A'.repeat(400)), 7, 60).fault?.kind, 'large')
  assert.equal(read(document('A'.repeat(400)), 7, 200).fault, undefined)
})

test('every document is returned unchanged except for the tarball', () => {
  const value = fc.jsonValue({ maxDepth: 5 })
  const name = fc.string().map((text) => `${text}.tgz`)
  fc.assert(
    fc.property(
      value,
      value,
      name,
      fc.uint8Array({ maxLength: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (before, after, key, bytes, size) => {
        const data = Buffer.from(bytes)
        const attachments = (text: string) => ({ [key]: { x: after, data: text, y: before } })
        const text = JSON.stringify({ before, _attachments: attachments(data.toString('base64')), after })
        const made = read(text, size)
        assert.ok(made.content?.equals(data))
        assert.equal(made.tarball, key)
        assert.deepEqual(
          JSON.parse(made.rest ?? ''),
          JSON.parse(JSON.stringify({ before, _attachments: attachments(''), after })),
        )
      },
    ),
  )
})

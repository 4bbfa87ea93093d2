import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { decodeBase32, encodeBase32 } from '../../../src/forge/auth/base32.ts'

// RFC 4648 §10.
for (const [text, encoded] of [
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
] as const) {
  test(`"${text}" is "${encoded}" in base32 and back`, () => {
    assert.equal(encodeBase32(Buffer.from(text)), encoded)
    assert.equal(decodeBase32(encoded)?.toString(), text)
  })
}

test('every length and byte survives', () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = randomBytes(length)
    assert.deepEqual(decodeBase32(encodeBase32(bytes)), bytes)
  }
})

test('decodeBase32() accepts lower case, blanks, dashes and padding', () => {
  assert.equal(decodeBase32('mzxw 6ytb-oi======')?.toString(), 'foobar')
})

for (const text of ['0', '1', '8', '9', 'M=Y', 'MÜ', 'MY\n', '🔑']) {
  test(`decodeBase32() refuses ${JSON.stringify(text)}`, () => {
    assert.equal(decodeBase32(text), undefined)
  })
}

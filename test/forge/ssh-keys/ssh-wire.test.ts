import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bitLength, mpint, WireReader, wireStrings } from '../../../src/forge/ssh-keys/ssh-wire.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test('strings are written with their length in front and read back', () => {
  const bytes = wireStrings('testing', Buffer.of(0, 255), '')
  assert.deepEqual(bytes, hex('00000007 74657374696e67 00000002 00ff 00000000'))
  const reader = new WireReader(bytes)
  assert.deepEqual([reader.text(), reader.string(), reader.text()], ['testing', Buffer.of(0, 255), ''])
  assert.equal(reader.done, true)
})

for (const [what, bytes] of [
  ['nothing', ''],
  ['half a length', '0000'],
  ['a length without bytes', '00000001'],
  ['one byte too few', '00000003 6162'],
  ['a length of four gigabytes', 'ffffffff 61'],
] as const) {
  test(`string() does not read ${what}`, () => {
    assert.equal(new WireReader(hex(bytes)).string(), undefined)
  })
}

test('done is false while bytes are left', () => {
  assert.equal(new WireReader(hex('00')).done, false)
})

// The positive examples of RFC 4251 §5, and their borders.
for (const [number, bytes] of [
  ['09a378f9b2e332a7', '00000008 09a378f9b2e332a7'],
  ['80', '00000002 0080'],
  ['7f', '00000001 7f'],
  ['0100', '00000002 0100'],
] as const) {
  test(`${number} is an mpint, written and read`, () => {
    assert.deepEqual(wireStrings(mpint(hex(number))), hex(bytes))
    assert.deepEqual(new WireReader(hex(bytes)).positive(), hex(number))
  })
}

test('mpint() drops leading zeros', () => {
  assert.deepEqual(mpint(hex('0000ff')), hex('00ff'))
  assert.deepEqual(mpint(hex('0000')), Buffer.alloc(0))
})

for (const [what, bytes] of [
  ['zero', '00000000'],
  ['a negative number', '00000002 edcc'],
  ['a needless zero in front', '00000002 0001'],
  ['zero as a byte', '00000001 00'],
  ['a cut number', '00000002 01'],
] as const) {
  test(`positive() does not read ${what}`, () => {
    assert.equal(new WireReader(hex(bytes)).positive(), undefined)
  })
}

for (const [number, bits] of [
  ['', 0],
  ['01', 1],
  ['80', 8],
  ['0100', 9],
  ['7fff', 15],
  ['ffff', 16],
] as const) {
  test(`"${number}" has ${bits} bits`, () => {
    assert.equal(bitLength(hex(number)), bits)
  })
}

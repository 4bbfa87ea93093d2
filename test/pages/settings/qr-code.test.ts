import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { qrCodeOf } from '../../../src/pages/settings/qr-code.ts'

const text = `otpauth://totp/Forgehall:administrator?secret=QYAYPFOTGPAPYSJJQVO7XZHJQFRLRHXE&issuer=Forgehall&period=30&digits=6&algorithm=SHA1&padding=${'abcdefghijklmnopqrstuvwxyz'.repeat(2)}`

const rowsOf = (code: boolean[][] | undefined) =>
  code?.map((row) => row.map((isDark) => (isDark ? '1' : '0')).join('')).join('\n') ?? ''

test('a QR code is the one that another program makes of the same text', () => {
  assert.equal(
    rowsOf(qrCodeOf('otpauth://totp')),
    [
      '111111100101101111111',
      '100000100110101000001',
      '101110101010001011101',
      '101110101111101011101',
      '101110101100101011101',
      '100000101010101000001',
      '111111101010101111111',
      '000000001100100000000',
      '101111100000101111100',
      '101110000101001011111',
      '001011110001101100110',
      '011110001000100101111',
      '111001110111101111011',
      '000000001101011110101',
      '111111100111111000110',
      '100000101001000101101',
      '101110101101001000011',
      '101110101000011010100',
      '101110101001111001100',
      '100000100110110001100',
      '111111101001111001010',
    ].join('\n'),
  )
})

test('a QR code grows with its text, up to version 9', () => {
  // Of codes that the package qrcode of PyPI (8.2) has made of the same texts.
  for (const [length, size, hash] of [
    [15, 25, '80fbdcb619d20bce'],
    [40, 29, '6eb0ee3960f8c661'],
    [85, 41, '43667f965e53ba09'],
    [107, 45, '9bef61ed570e8ba4'],
    [123, 49, '2c80fc9004cb52b6'],
    [153, 53, '89e31dd9bfbe2a08'],
  ] as const) {
    const rows = rowsOf(qrCodeOf(text.slice(0, length)))
    assert.equal(rows.indexOf('\n'), size, `${length} bytes`)
    assert.equal(createHash('sha256').update(rows).digest('hex').slice(0, 16), hash, `${length} bytes`)
  }
  assert.equal(qrCodeOf('é'.repeat(90))?.length, 53)
  assert.equal(qrCodeOf('é'.repeat(91)), undefined)
})

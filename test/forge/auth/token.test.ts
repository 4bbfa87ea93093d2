import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashToken, isToken, lastEight, newToken } from '../../../src/forge/auth/token.ts'

test('a new token has 40 lower-case hex digits', () => {
  assert.match(newToken(), /^[0-9a-f]{40}$/)
})

test('new tokens differ', () => {
  assert.equal(new Set(Array.from({ length: 1000 }, newToken)).size, 1000)
})

test('a new token is recognised as one', () => {
  assert.equal(isToken(newToken()), true)
})

for (const [what, text] of [
  ['the empty text', ''],
  ['39 digits', 'a'.repeat(39)],
  ['41 digits', 'a'.repeat(41)],
  ['upper-case digits', 'A'.repeat(40)],
  ['a digit beyond f', `${'a'.repeat(39)}g`],
  ['a line break at the end', `${'a'.repeat(40)}\n`],
  ['full-width digits', '\uff11'.repeat(40)],
] as const) {
  test(`${what} is no token`, () => {
    assert.equal(isToken(text), false)
  })
}

test('the stored form is SHA-256 in hex', () => {
  // FIPS 180-4 example: SHA-256("abc").
  assert.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('the stored form does not contain the token', () => {
  const token = newToken()
  assert.equal(hashToken(token).includes(token), false)
})

test('lastEight() gives the last eight digits', () => {
  assert.equal(lastEight('0123456789abcdef0123456789abcdef01234567'), '01234567')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeBase32 } from '../../../src/forge/auth/base32.ts'
import { hotp, newTotpSecret, otpauthUrl, totpAt, verifyTotp } from '../../../src/forge/auth/totp.ts'

const secret = Buffer.from('12345678901234567890')
const at = (seconds: number) => new Date(seconds * 1000)

// RFC 4226, appendix D.
const HOTP = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ')
for (const [counter, code] of HOTP.entries()) {
  test(`the code of counter ${counter} is ${code} (RFC 4226)`, () => {
    assert.equal(hotp(secret, counter, 6), code)
  })
}

// RFC 6238, appendix B, the rows for SHA-1; the table shows eight digits, of which six are the last ones.
for (const [seconds, code] of [
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
] as const) {
  const step = Math.floor(seconds / 30)

  test(`the code at ${seconds} s is ${code} (RFC 6238)`, () => {
    assert.equal(hotp(secret, step, 8), code)
    assert.equal(totpAt(secret, at(seconds)), code.slice(2))
  })

  test(`the code at ${seconds} s is accepted as that of step ${step}`, () => {
    assert.equal(verifyTotp(secret, code.slice(2), at(seconds)), step)
  })
}

const now = at(1_000_000_000)
const step = Math.floor(1_000_000_000 / 30)

for (const [offset, accepted] of [
  [-2, false],
  [-1, true],
  [0, true],
  [1, true],
  [2, false],
] as const) {
  test(`the code ${offset} steps away is ${accepted ? 'accepted as its own step' : 'refused'}`, () => {
    const code = hotp(secret, step + offset, 6)
    assert.equal(verifyTotp(secret, code, now), accepted ? step + offset : undefined)
  })
}

test('a used code is refused', () => {
  assert.equal(verifyTotp(secret, totpAt(secret, now), now, step), undefined)
})

test('a code older than the used one is refused', () => {
  assert.equal(verifyTotp(secret, hotp(secret, step - 1, 6), now, step), undefined)
})

test('the next code after the used one is accepted', () => {
  assert.equal(verifyTotp(secret, hotp(secret, step + 1, 6), now, step), step + 1)
})

test("another secret's code is refused", () => {
  assert.equal(verifyTotp(Buffer.from('09876543210987654321'), totpAt(secret, now), now), undefined)
})

test('blanks around a code do not matter', () => {
  assert.equal(verifyTotp(secret, ` ${totpAt(secret, now)}\t`, now), step)
})

for (const code of [
  '',
  '12345',
  '1234567',
  '12345a',
  '-12345',
  '1e5   ',
  '１２３４５６',
  '123\n456',
  '0x1234',
]) {
  test(`${JSON.stringify(code)} is no code`, () => {
    assert.equal(verifyTotp(secret, code, now), undefined)
  })
}

test('the first step of time has no step before it', () => {
  assert.equal(verifyTotp(secret, '755224', at(0)), 0)
})

test('a new secret has 20 bytes and differs from the next', () => {
  const [one, two] = [newTotpSecret(), newTotpSecret()]
  assert.equal(one.length, 20)
  assert.notDeepEqual(one, two)
})

test('the enrolment URL names issuer, account and secret', () => {
  assert.equal(
    otpauthUrl('Our Forge', 'a&b@example.com', secret),
    'otpauth://totp/Our%20Forge:a%26b%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Our%20Forge&algorithm=SHA1&digits=6&period=30',
  )
})

test('the secret in the enrolment URL reads back', () => {
  const url = new URL(otpauthUrl('F', 'alice', secret))
  assert.deepEqual(decodeBase32(url.searchParams.get('secret') ?? ''), secret)
})

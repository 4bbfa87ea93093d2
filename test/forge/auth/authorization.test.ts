import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneTimeCode, parseAuthorization } from '../../../src/forge/auth/authorization.ts'

const basic = (pair: string | Buffer) => `Basic ${Buffer.from(pair).toString('base64')}`

for (const [what, header] of [
  ['no header', undefined],
  ['an empty header', ''],
  ['blanks alone', '  \t '],
  ['a word', 'foo'],
  ['Bearer alone', 'Bearer'],
  ['Bearer and blanks', 'Bearer   '],
  ['token alone', 'token'],
  ['Basic alone', 'Basic'],
  ['Bearer with two values', 'Bearer a b'],
  ['token with two values', 'token a b'],
  ['Basic with two values', 'Basic YTpi YTpi'],
  ['another scheme', 'Digest x'],
  ['a scheme that only begins like ours', 'Bearers x'],
  ['the scheme with a colon', 'token: x'],
  ['bad base64', 'Basic ?'],
  ['base64 without its padding', 'Basic YTpiYw'],
  ['base64 with too much padding', 'Basic YTpi===='],
  ['the URL alphabet of base64', `Basic ${Buffer.from('a:\xff\xff', 'latin1').toString('base64url')}`],
  ['base64 of a text without colon', basic('alice')],
  ['base64 of nothing', 'Basic ='],
  ['an empty user and password', 'Basic Og=='],
] as const) {
  test(`parseAuthorization() ignores ${what}`, () => {
    assert.equal(parseAuthorization(header), undefined)
  })
}

for (const header of ['token abc', 'Bearer abc', 'TOKEN abc', 'bEARER abc', '  token \t abc  ']) {
  test(`parseAuthorization() finds the token in "${header}"`, () => {
    assert.deepEqual(parseAuthorization(header), { kind: 'token', token: 'abc', via: 'header' })
  })
}

for (const [what, pair, expected] of [
  ['a user and a password', 'alice:secret', { token: 'secret', user: 'alice', password: 'secret' }],
  ['a token as user without password', 'abc:', { token: 'abc', user: 'abc', password: '' }],
  [
    'a token as user with x-oauth-basic',
    'abc:x-oauth-basic',
    { token: 'abc', user: 'abc', password: 'x-oauth-basic' },
  ],
  ['a token as password without user', ':abc', { token: 'abc', user: '', password: 'abc' }],
  ['a password with colons', 'a:b:c:', { token: 'b:c:', user: 'a', password: 'b:c:' }],
  ['a password with blanks at its ends', 'a: b ', { token: ' b ', user: 'a', password: ' b ' }],
  ['x-oauth-basic as user alone', 'x-oauth-basic:t', { token: 't', user: 'x-oauth-basic', password: 't' }],
  [
    'another case of x-oauth-basic',
    'a:X-OAuth-Basic',
    { token: 'X-OAuth-Basic', user: 'a', password: 'X-OAuth-Basic' },
  ],
  ['UTF-8', 'zoë:pässwörd✓', { token: 'pässwörd✓', user: 'zoë', password: 'pässwörd✓' }],
  ['a byte order mark in the user', '\ufeffa:b', { token: 'b', user: '\ufeffa', password: 'b' }],
] as const) {
  test(`parseAuthorization() reads Basic with ${what}`, () => {
    assert.deepEqual(parseAuthorization(basic(pair)), { kind: 'basic', ...expected })
  })
}

test('parseAuthorization() accepts the scheme Basic in any case', () => {
  assert.equal(parseAuthorization(basic('a:b').replace('Basic', 'bAsIc'))?.kind, 'basic')
})

test('parseAuthorization() reads bytes that are not UTF-8 as Latin-1', () => {
  const expected = { kind: 'basic', token: 'pässword', user: 'a', password: 'pässword' }
  assert.deepEqual(parseAuthorization(basic(Buffer.from('a:pässword', 'latin1'))), expected)
})

for (const user of ['a\0b', 'a\r\nb', '\u007f']) {
  test(`parseAuthorization() knows that ${JSON.stringify(user)} is nobody`, () => {
    assert.deepEqual(parseAuthorization(basic(`${user}:secret`)), { kind: 'impossible' })
  })
}

test('parseAuthorization() stands a control character in a password', () => {
  assert.equal(parseAuthorization(basic('a:b\0c'))?.kind, 'basic')
})

test('parseAuthorization() answers a header of 16 kB of blanks at once', () => {
  assert.equal(parseAuthorization(`Bearer${' \t'.repeat(8000)}`), undefined)
})

test('oneTimeCode() reads either header, trimmed', () => {
  assert.deepEqual(
    [oneTimeCode(' 123456 ', '1'), oneTimeCode(' ', '654321'), oneTimeCode(undefined, undefined)],
    ['123456', '654321', undefined],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressTakenMessage,
  email,
  invalidAddressMessage,
  invalidOrganizationAddressMessage,
  parseAddress,
  placeholderAddress,
} from '../../../src/forge/accounts/email-address.ts'
import { brokenRule } from '../../../src/forge/protocol/rules.ts'

const label63 = 'd'.repeat(63)
const longest = `${'l'.repeat(64)}@${label63}.${label63}.${'e'.repeat(61)}`

for (const [address, key] of [
  ['alice@example.com', 'alice@example.com'],
  ['Alice.B+tag@Example.COM', 'alice.b+tag@example.com'],
  ["!#$%&'*+/=?^_`{|}~@example.com", "!#$%&'*+/=?^_`{|}~@example.com"],
  ['a-@example.com', 'a-@example.com'],
  ['a@b.c', 'a@b.c'],
  ['a@1.2.c3', 'a@1.2.c3'],
  ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
  ['a@Bücher.example', 'a@xn--bcher-kva.example'],
  ['a@BU\u0308CHER.example', 'a@xn--bcher-kva.example'],
  ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
  ['a@例え。テスト', 'a@xn--r8jz45g.xn--zckzah'],
  [longest, longest],
] as const) {
  test(`${address.slice(0, 40)} is an address`, () => {
    assert.deepEqual(parseAddress(address), { ok: true, value: { address, key } })
    assert.equal(email.holds(address), true)
  })
}

test('the longest address has 254 characters', () => {
  assert.equal(longest.length, 254)
})

for (const [address, reason] of [
  ['', 'empty'],
  [' ', 'characters'],
  ['alice', 'syntax'],
  ['@', 'syntax'],
  ['@example.com', 'syntax'],
  ['alice@', 'syntax'],
  ['alice@localhost', 'syntax'],
  ['-alice@example.com', 'syntax'],
  ['.alice@example.com', 'syntax'],
  ['alice.@example.com', 'syntax'],
  ['al..ice@example.com', 'syntax'],
  ['alice@.example.com', 'syntax'],
  ['alice@example.com.', 'syntax'],
  ['alice@example..com', 'syntax'],
  ['alice@-example.com', 'syntax'],
  ['alice@example-.com', 'syntax'],
  ['alice@127.0.0.1', 'syntax'],
  ['alice@1.2', 'syntax'],
  ['alice@0x7f.1', 'syntax'],
  ['alice@例.１２７', 'syntax'],
  ['alice@xn--a.com', 'syntax'],
  ['alice@a／b.例', 'syntax'],
  ['alice@\ud800.com', 'syntax'],
  [`${'l'.repeat(65)}@example.com`, 'syntax'],
  [`a@${'d'.repeat(64)}.com`, 'syntax'],
  [`a${longest.slice(0, 10)}${longest.slice(10)}`, 'syntax'],
  [`a@${'d.'.repeat(130)}com`, 'syntax'],
  [`a@${'ü.'.repeat(60)}com`, 'syntax'],
  ['alice@@example.com', 'characters'],
  ['alice@b@example.com', 'characters'],
  ['alice@exam_ple.com', 'characters'],
  ['alice@exa%6dple.com', 'characters'],
  ['alice@[127.0.0.1]', 'characters'],
  ['"al ice"@example.com', 'characters'],
  ['al ice@example.com', 'characters'],
  ['alice@exam ple.com', 'characters'],
  [' alice@example.com', 'characters'],
  ['alice@example.com ', 'characters'],
  ['alice@example.com\r\nBcc: bob@example.com', 'characters'],
  ['alice\r\n@example.com', 'characters'],
  ['alice@example.com\n', 'characters'],
  ['alice\0@example.com', 'characters'],
  ['alice@example.com\0', 'characters'],
  ['zoë@example.com', 'characters'],
  ['Alice <alice@example.com>', 'characters'],
  ['a,b@example.com', 'characters'],
  ['a;b@example.com', 'characters'],
  ['a:b@example.com', 'characters'],
  ['a\\b@example.com', 'characters'],
] as const) {
  test(`${JSON.stringify(address.slice(0, 40))} is no address: ${reason}`, () => {
    assert.deepEqual(parseAddress(address), { ok: false, fault: { reason, address } })
    assert.equal(brokenRule('Email', address, [email]), '[Email]: Email')
  })
}

test('a megabyte of anything is answered', () => {
  for (const part of ['a', '.', '-', 'a-', 'a.', 'ü', '@']) {
    assert.equal(parseAddress(`a@${part.repeat(1_000_000)}`).ok, false)
    assert.equal(parseAddress(`${part.repeat(1_000_000)}@example.com`).ok, false)
  }
})

test('the message for an invalid address of a user ends with the address, also with an empty one', () => {
  assert.equal(invalidAddressMessage({ reason: 'syntax', address: 'x' }), 'email address is invalid: x')
  assert.equal(invalidAddressMessage({ reason: 'empty', address: '' }), 'email address is invalid: ')
})

test('the message for an invalid address of an organization says whether it has invalid characters', () => {
  assert.equal(
    invalidOrganizationAddressMessage({ reason: 'syntax', address: 'x' }),
    'e-mail invalid [email: x]',
  )
  assert.equal(
    invalidOrganizationAddressMessage({ reason: 'characters', address: 'ä' }),
    'e-mail address contains unsupported character [email: ä]',
  )
})

test('the message for a taken address names it', () => {
  assert.equal(addressTakenMessage('a@b.c'), 'e-mail already in use [email: a@b.c]')
})

test('the placeholder holds the id and the name in lower case', () => {
  assert.equal(
    placeholderAddress({ id: 7, name: 'Alice' }, 'https://example.com/'),
    '7+alice@noreply.example.com',
  )
})

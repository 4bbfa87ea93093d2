import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type PasswordClass,
  passwordFault,
  passwordMessageOnCreate,
  passwordMessageOnEdit,
} from '../../../src/forge/auth/password-rules.ts'

const every: readonly PasswordClass[] = ['lower', 'upper', 'digit', 'special']
const longOnly = { minLength: 8, classes: [] }

for (const password of ['', '1234567', 'äöü1']) {
  test(`${JSON.stringify(password)} is too short`, () => {
    assert.deepEqual(passwordFault(password, longOnly), { rule: 'length', minLength: 8 })
  })
}

for (const password of ['12345678', '        ', 'äöüß', '🔑🔑']) {
  test(`${JSON.stringify(password)} has the eight bytes`, () => {
    assert.equal(passwordFault(password, longOnly), undefined)
  })
}

for (const [password, missing] of [
  ['abcdefgh', ['upper', 'digit', 'special']],
  ['ABCDEFGH', ['lower', 'digit', 'special']],
  ['12345678', ['lower', 'upper', 'special']],
  ['        ', ['lower', 'upper', 'digit']],
  ['Abcdefg1', ['special']],
  ['ÄÖÜäöüß٣', ['lower', 'upper', 'digit', 'special']],
] as const) {
  test(`${JSON.stringify(password)} lacks ${missing}`, () => {
    assert.deepEqual(passwordFault(password, { minLength: 8, classes: every }), {
      rule: 'complexity',
      missing,
    })
  })
}

test('every printable ASCII sign that is no letter or digit is special', () => {
  for (const sign of ' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~') {
    assert.equal(passwordFault(sign, { minLength: 1, classes: ['special'] }), undefined, sign)
  }
})

test('control characters are not special', () => {
  for (const sign of ['\0', '\n', '\u007f']) {
    assert.ok(passwordFault(sign, { minLength: 1, classes: ['special'] }), JSON.stringify(sign))
  }
})

test('a password with all classes passes', () => {
  assert.equal(passwordFault('aB3 efgh', { minLength: 8, classes: every }), undefined)
})

test('the length is reported before the classes', () => {
  assert.equal(passwordFault('a', { minLength: 8, classes: every })?.rule, 'length')
})

test('the sentences differ between creating and editing', () => {
  const short = { rule: 'length', minLength: 8 } as const
  const plain = { rule: 'complexity', missing: ['upper'] } as const
  assert.deepEqual(
    [passwordMessageOnCreate(short), passwordMessageOnCreate(plain)],
    ['PasswordIsRequired', 'PasswordComplexity'],
  )
  assert.deepEqual(
    [passwordMessageOnEdit(short), passwordMessageOnEdit(plain)],
    ['password must be at least 8 characters', 'password not complex enough'],
  )
})

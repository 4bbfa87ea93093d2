import assert from 'node:assert/strict'
import { test } from 'node:test'
import { avatarUrl } from '../../../src/forge/accounts/avatar.ts'

test('the picture of an account hangs under the MD5 of its seed in lower case', () => {
  // RFC 1321 §A.5: MD5("abc").
  const url = 'https://forge.example/avatars/900150983cd24fb0d6963f7d28e17f72'
  assert.equal(avatarUrl('https://forge.example/', 'abc'), url)
  assert.equal(avatarUrl('https://forge.example/', 'ABC'), url)
})

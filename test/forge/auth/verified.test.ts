import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Verdict } from '../../../src/forge/auth/password.ts'
import { PasswordCache } from '../../../src/forge/auth/password-cache.ts'

const start = Date.parse('2026-01-31T08:00:00Z')
const at = (seconds: number) => new Date(start + seconds * 1000)

/** A hasher that knows one password and counts. */
function counting(verdict: Verdict = 'match') {
  let checks = 0
  const verified = new PasswordCache({
    hash: async () => 'busy',
    verify: async (password) => {
      checks++
      return password === 'right' ? verdict : 'mismatch'
    },
  })
  return { verified, checks: () => checks }
}

test('a right password is checked once a minute', async () => {
  const { verified, checks } = counting()
  for (const seconds of [0, 1, 59])
    assert.equal(await verified.verify(1, 'record', 'right', at(seconds)), 'match')
  assert.equal(checks(), 1)
  await verified.verify(1, 'record', 'right', at(60))
  assert.equal(checks(), 2)
})

test('another account, record or password is another check', async () => {
  const { verified, checks } = counting()
  await verified.verify(1, 'record', 'right', at(0))
  await verified.verify(2, 'record', 'right', at(0))
  await verified.verify(1, 'other', 'right', at(0))
  await verified.verify(1, 'record', 'wrong', at(0))
  assert.equal(checks(), 4)
})

for (const [password, verdict] of [
  ['wrong', 'match'],
  ['right', 'stale'],
  ['right', 'busy'],
] as const) {
  test(`what is not a plain match is not remembered: ${password} ${verdict}`, async () => {
    const { verified, checks } = counting(verdict)
    for (const seconds of [0, 1]) await verified.verify(1, 'record', password, at(seconds))
    assert.equal(checks(), 2)
  })
}

test('equal checks that run at the same time are one', async () => {
  const { verified, checks } = counting()
  await Promise.all(Array.from({ length: 50 }, () => verified.verify(1, 'record', 'right', at(0))))
  assert.equal(checks(), 1)
})

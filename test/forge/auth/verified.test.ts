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

const turn = { network: '192.0.2.1', login: 'ada' }
const claimOf = (password = 'right', id = 1, record = 'record') => ({
  password,
  account: { id, record },
  code: '',
  isRemembered: true,
  turn,
})

test('a right password is checked once a minute', async () => {
  const { verified, checks } = counting()
  for (const seconds of [0, 1, 59]) assert.equal(await verified.verify(claimOf(), at(seconds)), 'match')
  assert.equal(checks(), 1)
  await verified.verify(claimOf(), at(60))
  assert.equal(checks(), 2)
})

test('another account, record or password is another check', async () => {
  const { verified, checks } = counting()
  await verified.verify(claimOf(), at(0))
  await verified.verify(claimOf('right', 2, 'record'), at(0))
  await verified.verify(claimOf('right', 1, 'other'), at(0))
  await verified.verify(claimOf('wrong'), at(0))
  assert.equal(checks(), 4)
})

for (const [password, verdict] of [
  ['wrong', 'match'],
  ['right', 'stale'],
  ['right', 'busy'],
] as const) {
  test(`what is not a plain match is not remembered: ${password} ${verdict}`, async () => {
    const { verified, checks } = counting(verdict)
    for (const seconds of [0, 1]) await verified.verify(claimOf(password), at(seconds))
    assert.equal(checks(), 2)
  })
}

test('equal checks that run at the same time are one', async () => {
  const { verified, checks } = counting()
  await Promise.all(Array.from({ length: 50 }, () => verified.verify(claimOf(), at(0))))
  assert.equal(checks(), 1)
})

test('equal checks of an unknown name share one run too; those with another code or from another network do not', async () => {
  const { verified, checks } = counting()
  const nobody = { ...claimOf('wrong'), account: undefined }
  await Promise.all(Array.from({ length: 50 }, () => verified.verify(nobody, at(0))))
  assert.equal(checks(), 1)
  const others = [
    { ...nobody, code: '123456' },
    { ...nobody, turn: { ...turn, network: '192.0.2.2' } },
    { ...nobody, turn: { ...turn, login: 'eve' } },
  ]
  await Promise.all([nobody, ...others].map((claim) => verified.verify(claim, at(0))))
  assert.equal(checks(), 5)
})

test('what may not be remembered is checked each time', async () => {
  const { verified, checks } = counting()
  for (const seconds of [0, 1]) await verified.verify({ ...claimOf(), isRemembered: false }, at(seconds))
  assert.equal(checks(), 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords, PASSWORD_DEFAULTS, type Passwords } from '../../../src/forge/auth/password.ts'
import { formatRecord, parseRecord } from '../../../src/forge/auth/password-record.ts'

/** The least cost there is: these tests check what is computed, not how dear it is. */
const cheap = { ln: 4, r: 1, p: 1 }
const passwords = createPasswords({ cost: cheap, concurrency: 2, queue: 20 })

async function hashed(password: string, by: Passwords = passwords): Promise<string> {
  const text = await by.hash(password)
  assert.notEqual(text, 'busy')
  return text
}

test('hash() follows RFC 7914', async () => {
  // Section 12, third vector: scrypt("pleaseletmein", "SodiumChloride", N=16384, r=8, p=1), 64 bytes.
  const salt = Buffer.from('SodiumChloride')
  const hash = Buffer.from(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2' +
      'd5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
    'hex',
  )
  const stored = formatRecord({ cost: { ln: 14, r: 8, p: 1 }, salt, hash })
  assert.equal(await passwords.verify('pleaseletmein', stored), 'stale')
  assert.equal(await passwords.verify('pleaseletmeIn', stored), 'mismatch')
})

test('verify() accepts the right password', async () => {
  assert.equal(await passwords.verify('correct horse', await hashed('correct horse')), 'match')
})

for (const wrong of ['correct hors', 'correct horse ', 'Correct horse', '', '\0correct horse']) {
  test(`verify() refuses ${JSON.stringify(wrong)}`, async () => {
    assert.equal(await passwords.verify(wrong, await hashed('correct horse')), 'mismatch')
  })
}

test('the same password is stored differently each time', async () => {
  assert.notEqual(await hashed('twice'), await hashed('twice'))
})

test('the stored text names the cost and holds 16 bytes of salt and 32 of hash', async () => {
  const record = parseRecord(await hashed('x'))
  assert.deepEqual([record?.cost, record?.salt.length, record?.hash.length], [cheap, 16, 32])
})

test('verify() treats composed and decomposed letters as equal', async () => {
  assert.equal(await passwords.verify('pa\u0308ssword', await hashed('p\u00e4ssword')), 'match')
})

test('verify() reads beyond the 72 bytes at which other algorithms stop', async () => {
  assert.equal(await passwords.verify(`${'x'.repeat(254)}y`, await hashed('x'.repeat(255))), 'mismatch')
})

test('a password stored at another cost is right but stale', async () => {
  const older = createPasswords({ cost: { ln: 3, r: 1, p: 1 }, concurrency: 1, queue: 0 })
  assert.equal(await passwords.verify('old', await hashed('old', older)), 'stale')
})

for (const [what, stored] of [
  ['an unknown user', undefined],
  ['an account without password', ''],
  ['an account whose stored text is not ours', '$2b$10$abcdefghijklmnopqrstuv'],
] as const) {
  test(`verify() refuses every password for ${what}`, async () => {
    assert.equal(await passwords.verify('', stored), 'mismatch')
    assert.equal(await passwords.verify('anything', stored), 'mismatch')
  })
}

test('verify() takes a place in the queue for unknown users too', async () => {
  const narrow = createPasswords({ cost: cheap, concurrency: 1, queue: 0 })
  const first = narrow.verify('a', undefined)
  assert.equal(await narrow.verify('a', undefined), 'busy')
  assert.equal(await first, 'mismatch')
})

test('hash() and verify() share one semaphore and answer busy when its queue is full', async () => {
  const narrow = createPasswords({ cost: cheap, concurrency: 1, queue: 1 })
  const stored = await hashed('a', narrow)
  const admitted = [narrow.hash('a'), narrow.verify('a', stored)]
  assert.equal(await narrow.hash('a'), 'busy')
  assert.equal(await narrow.verify('a', stored), 'busy')
  assert.equal((await Promise.all(admitted))[1], 'match')
  assert.equal(await narrow.verify('a', stored), 'match')
})

test('the default cost can be computed and is recorded', async () => {
  const real = createPasswords(PASSWORD_DEFAULTS)
  const stored = await hashed('real', real)
  assert.match(stored, /^\$scrypt\$ln=15,r=8,p=3\$/)
  assert.equal(await real.verify('real', stored), 'match')
})

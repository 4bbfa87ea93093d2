import assert from 'node:assert/strict'
import { type FileHandle, open, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeSecretKeys, parseSecretKeys, readSecretKeys } from '../../../src/db/encryption/secret-key.ts'
import { createSecrets, DecryptionError } from '../../../src/db/encryption/secrets.ts'
import { temporaryFolder } from '../../support/folder.ts'

const folder = await temporaryFolder()

const [old, fresh, other] = ['o'.repeat(32), 'f'.repeat(40), 'x'.repeat(32)]

test('an encrypted text is decrypted, whatever it is', () => {
  const secrets = createSecrets([fresh])
  for (const text of ['', 'swordfish', 'ключ 🔑\0\n', 'x'.repeat(100_000)]) {
    assert.equal(secrets.decrypt(secrets.encrypt(text, 'hook 1 secret'), 'hook 1 secret'), text)
  }
})

test('a ciphertext shows neither the text nor that two texts are equal', () => {
  const secrets = createSecrets([fresh])
  const [first, second] = [secrets.encrypt('swordfish', 'p'), secrets.encrypt('swordfish', 'p')]
  assert.equal(first.includes('swordfish'), false)
  assert.equal(first.equals(second), false)
})

test('it opens for its purpose only', () => {
  const secrets = createSecrets([fresh])
  const sealed = secrets.encrypt('swordfish', 'hook 1 secret')
  for (const purpose of ['hook 2 secret', 'hook 1 authorization', '']) {
    assert.throws(() => secrets.decrypt(sealed, purpose), DecryptionError)
  }
})

test('a changed byte, a cut and a foreign text are noticed, in words that hold no secret', () => {
  const secrets = createSecrets([fresh])
  const sealed = secrets.encrypt('swordfish', 'p')
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    assert.throws(
      () => secrets.decrypt(changed, 'p'),
      (error: unknown) => {
        return (
          error instanceof DecryptionError &&
          !error.message.includes('swordfish') &&
          !error.message.includes(fresh)
        )
      },
    )
  }
  assert.throws(() => secrets.decrypt(sealed.subarray(0, sealed.length - 1), 'p'), DecryptionError)
  assert.throws(() => secrets.decrypt(sealed.subarray(0, 30), 'p'), DecryptionError)
  assert.throws(() => secrets.decrypt(Buffer.from('swordfish'), 'p'), DecryptionError)
  assert.throws(() => secrets.decrypt(Buffer.alloc(0), 'p'), DecryptionError)
})

test('after a key change the new key encrypts, and the old one decrypts until it is removed', () => {
  const before = createSecrets([old])
  const during = createSecrets([fresh, old])
  const afterwards = createSecrets([fresh])
  const sealedBefore = before.encrypt('swordfish', 'p')
  assert.equal(during.decrypt(sealedBefore, 'p'), 'swordfish')
  assert.equal(during.isCurrent(sealedBefore), false)
  assert.throws(() => afterwards.decrypt(sealedBefore, 'p'), /a key that SECRET_KEY does not hold/)
  const sealedDuring = during.encrypt('swordfish', 'p')
  assert.equal(during.isCurrent(sealedDuring), true)
  assert.equal(afterwards.decrypt(sealedDuring, 'p'), 'swordfish')
  assert.throws(() => before.decrypt(sealedDuring, 'p'), DecryptionError)
})

test('keys are separated by commas and have at least 32 characters', () => {
  assert.deepEqual(parseSecretKeys(fresh), [fresh])
  assert.deepEqual(parseSecretKeys(`${fresh} , ${old}`), [fresh, old])
  for (const text of ['', 'short', 'x'.repeat(31), `${fresh},`, `${fresh},short`, `,${fresh}`]) {
    assert.equal(parseSecretKeys(text), undefined, text)
  }
})

test('without SECRET_KEY, processes that start together create one key, which only their user can read', async () => {
  const dataDir = join(folder, 'new', 'data')
  assert.equal(await readSecretKeys(dataDir), undefined)
  const [made, ...others] = await Promise.all(Array.from({ length: 8 }, () => makeSecretKeys(dataDir)))
  for (const keys of [...others, await readSecretKeys(dataDir)]) assert.deepEqual(keys, made)
  assert.deepEqual(await readdir(dataDir), ['secret.key'])
  assert.equal((await stat(join(dataDir, 'secret.key'))).mode & 0o777, 0o600)
  assert.notDeepEqual(await makeSecretKeys(join(folder, 'other')), made)
})

test('the id of a new key is stored before anything is encrypted with it', async (t) => {
  const handle = await open(folder)
  const synced: number[] = []
  t.mock.method(Object.getPrototypeOf(handle), 'sync', async function (this: FileHandle) {
    synced.push((await this.stat()).ino)
  })
  await handle.close()
  const dataDir = join(folder, 'synced')
  await makeSecretKeys(dataDir)
  assert.ok(synced.includes((await stat(dataDir)).ino))
})

test('a key file may hold several keys, one a line; a damaged one is refused and left as it is', async () => {
  const path = join(folder, 'secret.key')
  await writeFile(path, `${fresh}\n${other}\n`)
  assert.deepEqual(await readSecretKeys(folder), [fresh, other])
  for (const damaged of ['', 'short\n']) {
    await writeFile(path, damaged)
    await assert.rejects(readSecretKeys(folder), /secret\.key is damaged/)
  }
})

test('a signature is for one text, one purpose and any of the keys', () => {
  const [before, after] = [createSecrets([old]), createSecrets([fresh, old])]
  const signature = before.sign('a text', 'p')
  assert.ok(before.isSigned('a text', signature, 'p'))
  assert.ok(after.isSigned('a text', signature, 'p'), 'its key is still known')
  assert.ok(after.isSigned('a text', after.sign('a text', 'p'), 'p'))
  for (const [text, bytes, purpose] of [
    ['another text', signature, 'p'],
    ['a text', signature, 'q'],
    ['a text', signature.subarray(1), 'p'],
    ['a text', Buffer.alloc(0), 'p'],
    ['a text', createSecrets([other]).sign('a text', 'p'), 'p'],
  ] as const)
    assert.equal(after.isSigned(text, bytes, purpose), false)
})

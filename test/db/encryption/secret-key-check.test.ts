import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { checkSecretKeys, recordedKeys, SecretKeyError } from '../../../src/db/encryption/secret-key-check.ts'
import { createSecrets, type Secrets } from '../../../src/db/encryption/secrets.ts'
import { encryptedColumns } from '../../../src/forge/encrypted-columns.ts'
import { openTestDatabase } from '../../support/database.ts'

const { pool, close } = await openTestDatabase()
after(close)

const keyOf = (letter: string) => letter.repeat(32)
const keys = (first: string, ...others: string[]) => createSecrets([keyOf(first), ...others.map(keyOf)])
const [a, b] = [keys('a'), keys('b')]

const check = (secrets: Secrets | undefined, acceptsLoss = false) =>
  checkSecretKeys({
    pool,
    secrets,
    acceptsLoss,
    columns: encryptedColumns,
    clock: () => new Date('2026-01-31T08:00:00Z'),
  })

const recorded = async () => (await recordedKeys(pool)).toSorted()
const idsOf = (...each: Secrets[]) => each.map(({ keyIds }) => keyIds[0]).toSorted()
const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof SecretKeyError)
  assert.equal(error.exitCode, 2)
  assert.match(error.message, words)
  assert.match(error.message, /SECRET_KEY_LOST=accept/)
  return true
}

const [owner] = await pool<{ id: number }[]>`
  insert into forge.account (kind, name, created_at, updated_at)
  values ('organization', 'guild', '2026-01-01', '2026-01-01') returning id`

/** A secret of Actions that is sealed with these. */
async function insertSealed(name: string, secrets: Secrets): Promise<void> {
  await pool`
    insert into forge.secret (owner_id, name, description, sealed, created_at, updated_at)
    values (${owner?.id ?? 0}, ${name}, '', ${secrets.encrypt('text', name)}, '2026-01-01', '2026-01-01')`
}

beforeEach(async () => {
  await pool`delete from forgehall.secret_key`
  await pool`delete from forge.secret`
})

test('the first start records its key, and another key is refused from then on', async () => {
  assert.deepEqual(await check(a), {})
  assert.deepEqual(await recorded(), idsOf(a))
  assert.deepEqual(await check(a), {})
  await assert.rejects(check(b), refused(/is not the key of this database/))
  await assert.rejects(check(undefined), refused(/neither SECRET_KEY nor secret\.key/))
  assert.deepEqual(await recorded(), idsOf(a))
})

test('without a key nothing is recorded, and a database that is not encrypted is fine', async () => {
  assert.deepEqual(await check(undefined), {})
  assert.deepEqual(await recorded(), [])
})

test('a new key in front is recorded beside the former one, which stays necessary', async () => {
  await check(a)
  // The order says what seals; a key that only opens is not recorded.
  await check(keys('a', 'b'))
  assert.deepEqual(await recorded(), idsOf(a))
  await check(keys('b', 'a'))
  assert.deepEqual(await recorded(), idsOf(a, b))
  await check(keys('a', 'b'))
  for (const one of [a, b]) await assert.rejects(check(one), refused(/lacks a previous key.*secret rekey/))
  await assert.rejects(check(keys('c', 'b')), refused(/lacks a previous key/))
  assert.deepEqual(await recorded(), idsOf(a, b))
})

test('a loss that is accepted is reported once, and the lost key is no longer necessary', async () => {
  await check(a)
  await check(keys('b', 'a'))
  await insertSealed('LOST', b)
  await insertSealed('KEPT', a)
  assert.deepEqual(await check(keys('c', 'a'), true), { 'secrets of Actions': 1 })
  assert.deepEqual(await recorded(), idsOf(a, keys('c')))
  assert.deepEqual(await check(keys('c', 'a'), true), {})
  assert.deepEqual(await check(keys('c', 'a')), {})
  await assert.rejects(check(b), refused(/is not the key/))
})

test('a loss that is accepted without any key changes nothing', async () => {
  await check(a)
  assert.deepEqual(await check(undefined, true), {})
  assert.deepEqual(await recorded(), idsOf(a))
})

test('what an earlier release has encrypted tells which keys are those of the database', async () => {
  await insertSealed('OLD', a)
  await assert.rejects(check(b), refused(/is not the key of this database/))
  assert.deepEqual(await recorded(), [])
  assert.deepEqual(await check(keys('b', 'a')), {})
  assert.deepEqual(await recorded(), idsOf(a, b))
})

test('texts that an earlier release could not read are reported, and the server starts', async () => {
  await insertSealed('OLD', a)
  await insertSealed('STRAY', b)
  await pool`update forge.secret set sealed = '\\x00' where name = 'STRAY'`
  assert.deepEqual(await check(a), { 'secrets of Actions': 1 })
  assert.deepEqual(await recorded(), idsOf(a))
  assert.deepEqual(await check(a), {})
})

test('of many with keys of their own that start on a new database one succeeds', async () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f']
  const outcomes = await Promise.allSettled(letters.map((letter) => check(keys(letter))))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await recorded()).length, 1)
})

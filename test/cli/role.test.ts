import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { onServer, openTestDatabase } from '../support/database.ts'
import { runInProcess } from '../support/in-process.ts'
import { folderForBackups, secretKey } from './archives.ts'

const skip = !onServer && 'the embedded database has one role'

/** The rights that the page for operators names. */
const [, documented = ''] =
  /`grant ([\w, ]+) on\s+database forgehall to forgehall`/.exec(readFileSync('docs/operating.md', 'utf8')) ??
  []

/** A database without the schema, of which a role has exactly these rights; its address for that role. */
async function databaseFor(rights: string): Promise<{ environment: Record<string, string>; grant: Grant }> {
  const { pool, url, close } = await openTestDatabase(1)
  const address = new URL(url ?? '')
  const name = address.pathname.slice(1)
  const role = `${name}_role`
  const grant: Grant = async (statement) => {
    await pool.unsafe(statement.replaceAll('DATABASE', name).replaceAll('ROLE', role))
  }
  after(async () => {
    await grant('drop owned by ROLE; drop role ROLE')
    await close()
  })
  await grant('drop schema site, forge, forgehall cascade; create role ROLE login')
  await grant('revoke all on database DATABASE from public; revoke all on schema public from public')
  await grant(`grant ${rights} on database DATABASE to ROLE`)
  address.username = role
  const DATA_DIR = join(await folderForBackups(), 'data')
  return { environment: { DATABASE_URL: address.href, DATA_DIR, SECRET_KEY: secretKey }, grant }
}

type Grant = (statement: string) => Promise<void>

const ran = async (args: readonly string[], environment: Record<string, string>) => {
  const { code, err } = await runInProcess(args, environment)
  assert.deepEqual([code, err], [0, ''], args.join(' '))
}

test('the rights in docs/operating.md are enough for the schema, its use, a backup and a restore', {
  skip,
}, async () => {
  const { environment, grant } = await databaseFor(documented)
  await ran(['migrate'], environment)
  await grant('revoke create on database DATABASE from ROLE')
  await ran(['migrate'], environment)
  await ran(['seed'], environment)
  const file = join(await folderForBackups(), 'file')
  await ran(['backup', file], environment)
  await ran(['restore', file], (await databaseFor(documented)).environment)
})

test('a role that lacks one of the rights in docs/operating.md is told so in one sentence', {
  skip,
}, async () => {
  const rights = documented.split(', ')
  assert.deepEqual(rights.length, 2)
  for (const missing of rights) {
    const others = rights.filter((right) => right !== missing).join(', ')
    const { environment } = await databaseFor(others)
    const { code, err } = await runInProcess(['migrate'], environment)
    assert.equal(code, 2, missing)
    assert.match(err, /^forgehall: [^\n]*42501 permission denied[^\n]*\n$/, missing)
  }
})

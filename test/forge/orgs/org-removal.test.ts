import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { orgCalls } from '../../support/forge/orgs.fixtures.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const app = await startApp()
const { pool, make } = app

const boss = await make.admin({ name: 'boss' })
const [ada, bob] = await make.people('Ada', 'bob')
const { create, edit, rename, remove, show, trail } = orgCalls(app, ada)

test('DELETE /orgs/{org} removes teams, memberships and redirects with it, and frees the name', async () => {
  const { id } = (await create({ username: 'gone' })).body
  await make.team({ id }, [bob])
  assert.equal((await rename('gone', 'gone-for-good')).status, 204)
  assert.equal((await remove('Gone-For-Good')).status, 204)
  holdRefusal(await show('gone-for-good', boss), 404, 'not found')
  holdRefusal(await show('gone', boss), 404, 'not found')
  holdRefusal(await remove('gone-for-good'), 404, 'not found')
  for (const table of ['team', 'membership', 'team_member'] as const) {
    const rows = await pool`select from forge.${pool(table)} where organization_id = ${id}`
    assert.equal(rows.length, 0, table)
  }
  assert.equal((await trail(1))[0]?.action, 'organization.deleted')
  assert.equal((await create({ username: 'gone' }, bob)).status, 201)
})

test('DELETE /orgs/{org} is refused while something refers to the organization as its owner, and changes nothing', async () => {
  // The answer depends on the name of the constraint, so other tables can stand for those of repositories and packages.
  await pool`create schema belongings`
  for (const [table, what] of [
    ['repository', 'repositories'],
    ['package', 'packages'],
  ] as const) {
    const { id, name } = (await create({ username: `with-${what}` })).body
    const known = pool(`${table}_owner_known`)
    await pool`
      create table belongings.${pool(table)} (owner_id bigint constraint ${known} references forge.account (id))`
    await pool`insert into belongings.${pool(table)} values (${id})`
    const before = await trail(1)
    for (const as of [ada, boss]) {
      holdRefusal(await remove(name, as), 422, `user still has ownership of ${what} [uid: ${id}]`)
    }
    assert.equal((await show(name, ada)).status, 200)
    assert.deepEqual(await trail(1), before)
    await pool`delete from belongings.${pool(table)}`
    assert.equal((await remove(name)).status, 204)
  }
})

test('PATCH and others are a 404 if the organization is deleted at the same moment', async () => {
  for (let round = 0; round < 5; round++) {
    await create({ username: 'fleeting' })
    const statuses = await Promise.all([
      remove('fleeting'),
      edit('fleeting', { location: 'here' }),
      remove('fleeting', boss),
      rename('fleeting', 'Fleeting', boss),
    ])
    const [first, edited, second, renamed] = statuses.map(({ status }) => status)
    assert.deepEqual([first, second].sort(), [204, 404])
    assert.ok(edited === 200 || edited === 404, String(edited))
    assert.ok(renamed === 204 || renamed === 404, String(renamed))
  }
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../../src/db/open.ts'
import { serveApp } from '../../support/app.ts'
import type { Answered } from '../../support/client.ts'
import { openTestDatabase } from '../../support/database.ts'
import { bearer, makersFor } from '../../support/forge/make.ts'

/** Servers that share nothing but a database; the embedded one serves both through one session. */
const database = await openTestDatabase()
const ownPool = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 5 })
const [left, right] = [await serveApp(database), await serveApp({ ...database, pool: ownPool })]
after(async () => {
  await Promise.all([left.close(), right.close()])
  if (ownPool !== database.pool) await ownPool.end({ timeout: 5 })
  await database.close()
})
const { pool } = database
const make = makersFor(left)
const boss = await make.admin({ name: 'boss' })
const rounds = 6

type Server = typeof left
const creating = 'POST /api/v1/admin/users'
const editing = 'PATCH /api/v1/admin/users/{username}'
const renaming = 'POST /api/v1/admin/users/{username}/rename'
const removing = 'DELETE /api/v1/admin/users/{username}'
const founding = 'POST /api/v1/orgs'
const renamingOrg = 'POST /api/v1/orgs/{org}/rename'

const password = 'a long password'
const create = ({ call }: Server, username: string, email = `${username}@example.com`) =>
  call(creating, { as: boss, body: { username, email, password } })
const found = ({ call }: Server, username: string) => call(founding, { as: boss, body: { username } })
const rename = ({ call }: Server, username: string, new_username: string) =>
  call(renaming, { as: boss, params: { username }, body: { new_username } })
const renameOrg = ({ call }: Server, org: string, new_name: string) =>
  call(renamingOrg, { as: boss, params: { org }, body: { new_name } })

/** Of all answers one is a success, and the others are these refusals. */
function holdOneWinner(answers: readonly Answered[], refusals: readonly number[]): void {
  const statuses = answers.map(({ status }) => status)
  const lost = statuses.filter((status) => status >= 300)
  assert.equal(lost.length, statuses.length - 1, String(statuses))
  for (const status of lost) assert.ok(refusals.includes(status), String(statuses))
}

async function holdOneBearer(name: string): Promise<void> {
  assert.equal((await pool`select from forge.account where key = ${name.toLowerCase()}`).length, 1)
  const orphans = await pool`
    select
    from forge.name_redirect
    where key in (select key from forge.account)`
  assert.equal(orphans.length, 0, 'no name leads to two accounts')
}

test(`${creating}: of many creations of one name in two processes one wins, nothing is left of the others`, async () => {
  for (let round = 0; round < rounds; round++) {
    const name = `wanted${round}`
    const answers = await Promise.all(
      [left, right, left, right].map((at, each) =>
        create(at, each % 2 ? name.toUpperCase() : name, `${name}-${each}@example.com`),
      ),
    )
    holdOneWinner(answers, [409])
    await holdOneBearer(name)
    assert.equal((await pool`select from forge.email_address where key like ${`${name}-%`}`).length, 1)
  }
})

test(`${creating} with one address in two processes: one has it`, async () => {
  for (let round = 0; round < rounds; round++) {
    const email = `shared${round}@example.com`
    const answers = await Promise.all([
      create(left, `one${round}`, email),
      create(right, `two${round}`, email.toUpperCase()),
    ])
    holdOneWinner(answers, [409])
    assert.equal((await pool`select from forge.email_address where key = ${email}`).length, 1)
  }
})

test(`${renaming} and ${renamingOrg} against ${creating} and ${founding} in two processes: one has the name`, async () => {
  for (let round = 0; round < rounds; round++) {
    const [user, org, name] = [`user${round}`, `org${round}`, `prize${round}`]
    await Promise.all([create(left, user), found(right, org)])
    const answers = await Promise.all([
      rename(left, user, name),
      renameOrg(right, org, name),
      create(right, name),
      found(left, name),
    ])
    holdOneWinner(answers, [409, 422])
    await holdOneBearer(name)
  }
})

test(`${renaming} against a creation of the old name in another process: each name leads to one account`, async () => {
  for (let round = 0; round < rounds; round++) {
    const name = `leaving${round}`
    await create(left, name)
    const [renamed, created] = await Promise.all([
      rename(left, name, `left${round}`),
      create(right, name, `new-${name}@example.com`),
    ])
    assert.equal(renamed.status, 204)
    assert.ok([201, 409].includes(created.status), String(created.status))
    await holdOneBearer(`left${round}`)
    const { status, headers } = await right.call('GET /api/v1/users/{username}', {
      params: { username: name },
    })
    if (created.status === 201) assert.equal(status, 200)
    else assert.deepEqual([status, headers.get('location')], [307, `/api/v1/users/left${round}`])
  }
})

test(`${editing} and ${removing}: of two administrators who depose each other in two processes one stays`, async () => {
  for (let round = 0; round < 2 * rounds; round++) {
    const [one, two] = [
      await make.admin({ name: `one-${round}` }),
      await make.admin({ name: `two-${round}` }),
    ]
    await pool`update forge.account set is_admin = false where id not in (${one.id}, ${two.id})`
    const ways = [
      { body: { admin: false } },
      { body: { active: false } },
      { body: { prohibit_login: true } },
      undefined,
    ]
    const depose = ({ call }: Server, way: { body: object } | undefined, victim: string, as: typeof one) =>
      call(way ? editing : removing, { ...way, as, params: { username: victim } })
    const answers = await Promise.all([
      depose(left, ways[round % 4], two.name, one),
      depose(right, ways[(round + (round >> 2)) % 4], one.name, two),
    ])
    // The loser may be deposed, or gone, before it is heard.
    holdOneWinner(answers, [400, 401, 403, 404, 422])
    const able = await pool`
      select
      from forge.account
      where is_admin and is_active and not prohibit_login and kind = 'person'`
    assert.equal(able.length, 1)
    await pool`update forge.account set is_admin = true where id = ${boss.id}`
  }
})

test('access that one process removes is refused by every other at once', async () => {
  const ada = await make.person({ name: 'ada' })
  const status = async (as: { authorization: string }) =>
    (await right.call('GET /api/v1/user', { as })).status
  const token = bearer(ada.token)
  assert.equal(await status(token), 200)
  await left.call(editing, { as: boss, params: { username: 'ada' }, body: { prohibit_login: true } })
  assert.equal(await status(token), 403)
  await left.call(editing, { as: boss, params: { username: 'ada' }, body: { prohibit_login: false } })
  assert.equal(await status(token), 200)
  const revoked = await left.call('DELETE /api/v1/users/{username}/tokens/{token}', {
    as: boss,
    params: { username: 'ada', token: 'first' },
  })
  assert.deepEqual([revoked.status, await status(token)], [204, 401])
})

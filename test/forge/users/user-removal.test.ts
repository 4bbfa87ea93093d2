import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertTeamMember } from '../../../src/forge/orgs/membership-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { untilLocked } from '../../support/wait.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })

const literal = 'DELETE /api/v1/admin/users/{username}'
const remove = (username: string, query: Record<string, string> = {}, as: { authorization: string } = boss) =>
  call(literal, { as, params: { username }, query })
const exists = async (id: number) => (await pool`select id from forge.account where id = ${id}`).length === 1

/** Adds a user to the team of owners. */
async function own(organization: { id: number }, who: Pick<Somebody, 'id'>): Promise<void> {
  const [team] = await pool<{ id: number; organization_id: number }[]>`
    select id, organization_id from forge.team where organization_id = ${organization.id} and permission = 'owner'`
  assert.ok(team)
  await make.begin((tx) => insertTeamMember(tx, team, who.id))
}

test(`${literal} deletes a user and all that belongs to it alone; the name is free at once`, async () => {
  const ada = await make.person({ name: 'ada' })
  await call('POST /api/v1/admin/users/{username}/rename', {
    as: boss,
    params: { username: 'ada' },
    body: { new_username: 'countess' },
  })
  const { status, body } = await remove('countess')
  assert.deepEqual([status, body], [204, undefined])
  for (const table of ['account', 'email_address', 'access_token', 'password', 'name_redirect']) {
    const column = table === 'account' ? 'id' : 'account_id'
    const left = await pool`select from ${pool(`forge.${table}`)} where ${pool(column)} = ${ada.id}`
    assert.equal(left.length, 0, table)
  }
  assert.equal((await call('GET /api/v1/user', { as: ada })).status, 401)
  assert.equal((await remove('countess')).status, 404)
  assert.equal((await remove('ada')).body.message, 'user redirect does not exist [name: ada]')
  assert.notEqual((await make.person({ name: 'ada' })).id, ada.id)
})

test(`${literal} deletes a bot`, async () => {
  const { id } = await make.bot({ name: 'robot' })
  assert.equal((await remove('robot')).status, 204)
  assert.equal(await exists(id), false)
})

test(`${literal} leaves a row in the audit trail that outlives the user`, async () => {
  const bob = await make.person({ name: 'Bob' })
  await remove('bob')
  const [row] = await pool`select * from forge.audit where target_id = ${bob.id}`
  assert.deepEqual([row?.action, row?.target_name, row?.actor_name], ['user.deleted', 'Bob', 'boss'])
})

test(`${literal} refuses an organization, oneself, and the one who acts as another`, async () => {
  const guild = await make.organization(boss, { name: 'guild' })
  const other = await make.admin({ name: 'other' })
  for (const [name, query, message] of [
    ['guild', {}, 'target is an organization but not user'],
    ['guild', { purge: 'true' }, 'target is an organization but not user'],
    ['boss', { purge: 'true' }, 'you cannot delete yourself'],
    ['boss', { sudo: 'other' }, 'you cannot delete yourself'],
    ['other', { sudo: 'other' }, 'you cannot delete yourself'],
  ] as const) {
    const { status, body } = await remove(name, query)
    assert.equal(status, 422)
    assert.equal(body.message, message)
  }
  for (const { id } of [guild, boss, other]) assert.ok(await exists(id))
  await remove('other')
})

test(`${literal} names the organizations that keep a user, and changes nothing`, async () => {
  const carol = await make.person({ name: 'carol' })
  for (const at of [7, 3, 5, 1, 4, 2, 6]) {
    const organization = await make.organization(boss, { name: `club-${at}` })
    await make.team(organization, [carol])
    if (at === 7) {
      const { status, body } = await remove('carol')
      assert.equal(status, 422)
      assert.equal(body.message, `user still has membership of organizations [uid: ${carol.id}]: club-7`)
    }
  }
  const { body } = await remove('carol', { purge: 'false' })
  assert.equal(
    body.message,
    `user still has membership of organizations [uid: ${carol.id}]: club-1, club-2, club-3, club-4, club-5 and more`,
  )
  assert.ok(await exists(carol.id))
  assert.equal((await call('GET /api/v1/user', { as: carol })).status, 200)
})

test(`${literal} with purge removes the user from organizations, and deletes those without another owner`, async () => {
  const dora = await make.person({ name: 'dora' })
  const alone = await make.organization(dora, { name: 'alone' })
  await make.team(alone, [boss])
  const shared = await make.organization(dora, { name: 'shared' })
  await own(shared, boss)
  const joined = await make.organization(boss, { name: 'joined' })
  await make.team(joined, [dora])
  assert.equal((await remove('dora', { purge: 'true' })).status, 204)
  assert.deepEqual(await Promise.all([dora, alone, shared, joined].map(({ id }) => exists(id))), [
    false,
    false,
    true,
    true,
  ])
  assert.equal((await pool`select from forge.membership where account_id = ${dora.id}`).length, 0)
  const [row] = await pool`select details from forge.audit where target_id = ${dora.id}`
  assert.deepEqual(row?.details, { purge: true, organizations: ['alone'] })
})

test(`${literal} is refused while something refers to the user that is not deleted with it`, async () => {
  await pool`create schema other`
  for (const table of ['repository', 'package']) {
    const gil = await make.person()
    const held = pool(`other.${table}`)
    const known = pool(`${table}_owner_known`)
    await pool`create table ${held} (owner_id bigint constraint ${known} references forge.account (id))`
    await pool`insert into ${held} values (${gil.id})`
    const { status, body } = await remove(gil.name)
    assert.equal(status, 422)
    assert.match(body.message, new RegExp(`^user still has ownership of .* \\[uid: ${gil.id}\\]`))
    assert.ok(await exists(gil.id))
    await pool`drop table ${held}`
    assert.equal((await remove(gil.name)).status, 204)
  }
})

test(`${literal} keeps the last administrator who can work, also when two delete each other`, async () => {
  for (let round = 0; round < 4; round++) {
    const rival = await make.admin({ name: `rival${round}` })
    const query = { purge: 'true' }
    const answers = await Promise.all([remove(rival.name, query, boss), remove('boss', query, rival)])
    const won = answers.filter(({ status }) => status === 204).length
    assert.equal(won, 1, answers.map(({ status }) => status).join())
    // The loser may be deleted before its request is authorized.
    for (const { status } of answers) assert.ok([204, 401, 404, 422].includes(status))
    const left = await pool`select id from forge.account where is_admin and kind = 'person'`
    assert.equal(left.length, 1)
    if (!(await exists(boss.id))) Object.assign(boss, await make.admin({ name: 'boss' }))
    else if (await exists(rival.id)) assert.fail('both are left')
    await pool`delete from forge.account where name like 'rival%'`
  }
})

test(`${literal} says with 422 who is the last administrator`, async () => {
  // A third account: the caller itself can no longer sign in.
  const second = await make.admin({ name: 'second' })
  await pool`update forge.account set kind = 'bot' where id = ${second.id}`
  const { status, body } = await remove('boss', {}, second)
  assert.equal(status, 422)
  assert.equal(body.message, `can not delete the last admin user [uid: ${boss.id}]`)
})

test(`${literal} while the user is put into a team: never both`, async () => {
  for (let round = 0; round < 6; round++) {
    const eve = await make.person({ name: `eve${round}` })
    const organization = await make.organization(boss, { name: `race-${round}` })
    const [removed, joined] = await Promise.all([
      remove(eve.name),
      own(organization, eve).then(
        () => true,
        () => false,
      ),
    ])
    assert.equal(removed.status === 204, !joined || !(await exists(eve.id)))
    const orphans = await pool`
      select from forge.membership where account_id = ${eve.id} and not exists (
        select from forge.account where id = account_id)`
    assert.equal(orphans.length, 0)
  }
})

for (const [what, rows] of [
  ['an issue', 'forge.issue where poster_id = $1'],
  [
    'an issue with a comment',
    'forge.issue where id in (select issue_id from forge.issue_comment where poster_id = $1)',
  ],
  ['a repository', 'forge.repository where owner_id = $1'],
  [
    'a repository of an organization',
    'forge.repository where owner_id in (select organization_id from forge.membership where account_id = $1)',
  ],
  ['a package', 'forge.package where owner_id = $1'],
] as const) {
  test(`${literal} with purge lets a request of the user end that has locked ${what}`, {
    skip: !onServer && 'one session: nothing can be made to wait',
  }, async () => {
    const eve = await make.person()
    const { name: org } = await make.organization(eve)
    const params = { owner: boss.name, repo: eve.name }
    await call('POST /api/v1/user/repos', { as: boss, body: { name: eve.name } })
    await call('POST /api/v1/user/repos', { as: eve, body: { name: 'own' } })
    await call('POST /api/v1/orgs/{org}/repos', { as: eve, params: { org }, body: { name: 'shared' } })
    for (const as of [eve, boss])
      await call('POST /api/v1/repos/{owner}/{repo}/issues', { as, params, body: { title: 'one' } })
    const about = { ...params, index: '2' }
    const comment = { as: eve, params: about, body: { body: 'of eve' } }
    const { status } = await call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments', comment)
    assert.equal(status, 201)
    await pool`
      insert into forge.package (owner_id, type, name, created_at)
      values (${eve.id}, 'generic', 'tool', now())`
    const removing = await pool.begin(async (tx) => {
      const locked = await tx.unsafe(`select from ${rows} for no key update`, [eve.id])
      assert.ok(locked.length > 0)
      const answer = remove(eve.name, { purge: 'true' })
      await untilLocked(pool, 'the removal waits')
      // What the request does next: it refers to the account. If that is locked, neither of the two can go on.
      await tx`select from forge.account where id = ${eve.id} for key share nowait`
      return { answer }
    })
    assert.equal((await removing.answer).status, 204)
  })
}

test(`${literal} of an unknown user is 404; only administrators may use it`, async () => {
  const fay = await make.person({ name: 'fay' })
  assert.equal((await remove('nobody')).status, 404)
  assert.equal((await remove('no/body')).status, 404)
  assert.equal((await remove('nobody', {}, fay)).status, 403)
  assert.equal((await remove('fay', {}, fay)).status, 403)
  assert.equal((await remove('fay', {}, bearer(await make.token(boss, 'read:admin')))).status, 403)
  assert.equal((await call(literal, { params: { username: 'fay' } })).status, 401)
  assert.ok(await exists(fay.id))
})

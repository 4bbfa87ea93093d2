import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'

/** The caller is deleted during the request: triggers do that at a chosen moment. */
const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const owner = await make.person({ name: 'ada' })
await call('POST /api/v1/orgs', { as: owner, body: { username: 'mill' } })
const team = await call('POST /api/v1/orgs/{org}/teams', {
  as: owner,
  params: { org: 'mill' },
  body: { name: 'makers', permission: 'read', units: ['repo.code'], can_create_org_repo: true },
})

const ways = ['POST /api/v1/orgs/{org}/repos', 'POST /api/v1/org/{org}/repos'] as const
const show = 'GET /api/v1/repos/{owner}/{repo}'

/** A user who may create repositories there and owns nothing. */
async function maker(name: string) {
  const person = await make.person({ name })
  const params = { id: team.body.id, username: name }
  const put = await call('PUT /api/v1/teams/{id}/members/{username}', { as: owner, params })
  assert.equal(put.status, 204)
  return person
}

/** Deletes an account when a row of a table is written, until `work` is done. */
async function losing<Result>(
  name: string,
  moment: string,
  work: () => Promise<Result>,
  table = 'forge.repository',
): Promise<Result> {
  await pool.unsafe(`
    create function forge.lose() returns trigger language plpgsql as $$
      begin
        delete from forge.account where key = '${name}';
        return new;
      end $$;
    create trigger lose ${moment} on ${table} for each row execute function forge.lose()`)
  try {
    return await work()
  } finally {
    await pool.unsafe(`drop trigger lose on ${table}; drop function forge.lose()`)
  }
}

for (const [at, create] of ways.entries()) {
  test(`${create}: a caller who is deleted while the directory is made leaves a whole repository`, async () => {
    const name = `late${at}`
    const as = await maker(name)
    const { status } = await losing(name, 'after update of state', () =>
      call(create, { as, params: { org: 'mill' }, body: { name, auto_init: true } }),
    )
    assert.equal(status, 201)
    assert.equal((await call(show, { as: owner, params: { owner: 'mill', repo: name } })).status, 200)
    assert.equal((await pool`select from forge.repository where state <> 'ready'`).length, 0)
  })

  test(`${create}: a caller who is deleted before the creation is anonymous (401), and the name is free`, async () => {
    const name = `early${at}`
    const as = await maker(name)
    const body = { name }
    const refused = await losing(name, 'before insert', () =>
      call(create, { as, params: { org: 'mill' }, body }),
    )
    assert.deepEqual([refused.status, refused.body.message], [401, 'token is required'])
    assert.equal((await call(create, { as: owner, params: { org: 'mill' }, body })).status, 201)
  })
}

test('POST /api/v1/user/repos: a caller who is deleted before the creation is anonymous (401)', async () => {
  const as = await make.person({ name: 'eve' })
  const refused = await losing('eve', 'before insert', () =>
    call('POST /api/v1/user/repos', { as, body: { name: 'own' } }),
  )
  assert.deepEqual([refused.status, refused.body.message], [401, 'token is required'])
})

test('POST /api/v1/admin/users/{username}/repos: an owner who is deleted meanwhile is 404', async () => {
  await make.person({ name: 'bob' })
  const refused = await losing('bob', 'before insert', () =>
    call('POST /api/v1/admin/users/{username}/repos', {
      as: boss,
      params: { username: 'bob' },
      body: { name: 'his' },
    }),
  )
  assert.equal(refused.status, 404)
})

for (const [literal, table] of [
  ['POST /api/v1/repos/{owner}/{repo}/issues', 'forge.issue'],
  ['POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments', 'forge.issue_comment'],
  ['PUT /api/v1/repos/{owner}/{repo}/subscription', 'forge.repository_watch'],
  ['PUT /api/v1/repos/{owner}/{repo}/issues/{index}/subscriptions/{user}', 'forge.issue_watch'],
] as const) {
  test(`${literal}: a caller who is deleted meanwhile finds nothing there (404) and writes nothing`, async () => {
    const repo = await make.repository(owner)
    const params = { owner: 'ada', repo: repo.name, index: 1 }
    const body = { title: 'It leaks', body: 'all the time' }
    await call('POST /api/v1/repos/{owner}/{repo}/issues', { as: owner, params, body })
    const rows = async () => (await pool.unsafe(`select from ${table}`)).length
    const before = await rows()
    const as = await make.person()
    const ask = () => call(literal, { as, params: { ...params, user: as.name }, body })
    const refused = await losing(as.name.toLowerCase(), 'before insert', ask, table)
    assert.deepEqual([refused.status, refused.body.message], [404, 'not found'])
    assert.equal(await rows(), before)
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertStar } from '../../../src/forge/stars/star-store.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { untilLocked } from '../../support/wait.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')

const MINE = 'GET /api/v1/user/starred'
const THEIRS = 'GET /api/v1/users/{username}/starred'
const CHECK = 'GET /api/v1/user/starred/{owner}/{repo}'
const STAR = 'PUT /api/v1/user/starred/{owner}/{repo}'
const UNSTAR = 'DELETE /api/v1/user/starred/{owner}/{repo}'
const STARGAZERS = 'GET /api/v1/repos/{owner}/{repo}/stargazers'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}'
const USER = 'GET /api/v1/users/{username}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}'
const SEARCH = 'GET /api/v1/repos/search'

interface Named {
  name: string
}

const ask = (literal: string, { name }: Named, as?: { authorization: string }, more = {}) =>
  call(literal, { ...(as && { as }), params: { owner: 'owner', repo: name }, ...more })
const starsOf = async (repo: Named) => (await ask(SHOW, repo, owner)).body.stars_count
const starredBy = async ({ name }: Named) =>
  (await call(USER, { as: boss, params: { username: name } })).body.starred_repos_count
const namesIn = ({ body }: { body: { name: string }[] }) => body.map(({ name }) => name)
const theirs = (whose: Named, as: Somebody) => call(THEIRS, { as, params: { username: whose.name } })
const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login)

test(`${STAR}, ${UNSTAR} and ${CHECK} are idempotent, and both counters follow`, async () => {
  const repo = await make.repository(owner)
  const somebody = await make.person()
  holdRefusal(await ask(CHECK, repo, somebody), 404, 'not found')
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await ask(STAR, repo, somebody)).status, 204)
    assert.deepEqual([await starsOf(repo), await starredBy(somebody)], [1, 1])
  }
  assert.equal((await ask(CHECK, repo, somebody)).status, 204)
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await ask(UNSTAR, repo, somebody)).status, 204)
    assert.deepEqual([await starsOf(repo), await starredBy(somebody)], [0, 0])
  }
  holdRefusal(await ask(CHECK, repo, somebody), 404, 'not found')
})

test(`${STAR} refuses whom the repository is not for, and what there is not`, async () => {
  const hidden = await make.repository(owner, { is_private: true })
  for (const literal of [CHECK, STAR, UNSTAR]) {
    holdRefusal(await ask(literal, hidden, eve), 404, 'not found')
    holdRefusal(await ask(literal, { name: 'nothing' }, eve), 404, 'not found')
    holdRefusal(await ask(literal, await make.repository(owner)), 401, 'token is required')
  }
  const narrow = bearer(await make.token(eve, 'write:user'))
  assert.equal((await ask(STAR, await make.repository(owner), narrow)).status, 403)
  assert.equal(await starsOf(hidden), 0)
})

test(`${STAR} follows a repository to its new name`, async () => {
  const repo = await make.repository(owner)
  await ask(EDIT, repo, owner, { body: { name: `${repo.name}-renamed` } })
  const { status, headers } = await ask(STAR, repo, ada)
  assert.deepEqual(
    [status, headers.get('location')],
    [307, `/api/v1/user/starred/owner/${repo.name}-renamed`],
  )
})

test(`${STAR} by many at once is counted right, and so are the ends of accounts and repositories`, async () => {
  const repos = await Promise.all([make.repository(owner), make.repository(owner), make.repository(owner)])
  const people = await Promise.all(Array.from({ length: 8 }, () => make.person()))
  const all = people.flatMap((each) => repos.map((repo) => [each, repo] as const))
  await Promise.all([...all, ...all].map(([each, repo]) => ask(STAR, repo, each)))
  assert.deepEqual(await Promise.all(repos.map(starsOf)), [8, 8, 8])
  assert.deepEqual(new Set(await Promise.all(people.map(starredBy))), new Set([3]))

  const [first, second, third] = repos
  assert.ok(first && second && third)
  const answers = await Promise.all([
    ...people.slice(0, 3).map((each) => ask(UNSTAR, first, each)),
    ...people
      .slice(3, 6)
      .map(({ name: username }) =>
        call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username } }),
      ),
    ask('DELETE /api/v1/repos/{owner}/{repo}', third, owner),
  ])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]))
  assert.deepEqual([await starsOf(first), await starsOf(second)], [2, 5])
  const left = await Promise.all([...people.slice(0, 3), ...people.slice(6)].map(starredBy))
  assert.deepEqual(left, [1, 1, 1, 2, 2])
  const [row] = await pool`
    select count(*) as stars
    from forge.repository_star
    where repository_id = any(${repos.map(({ id }) => id)}::bigint[])`
  assert.equal(row?.stars, 7)
})

test(`${STAR} waits for the deletion of the repository, and then stars nothing`, {
  skip: onServer ? false : 'needs two connections',
}, async () => {
  const repo = await make.repository(owner)
  let starring: Promise<void> | undefined
  await make.begin(async (tx) => {
    await tx`update forge.repository set state = 'removing', owner_id = null where id = ${repo.id}`
    starring = make.begin((other) => insertStar(other, repo.id, ada.id))
    await untilLocked(pool, 'the star waits')
  })
  await starring
  const stars = await pool`select from forge.repository_star where repository_id = ${repo.id}`
  assert.equal(stars.length, 0)
})

test(`${MINE} and ${THEIRS} list what the reader may read, in pages`, async () => {
  const somebody = await make.person()
  const open = await make.repository(owner)
  const shared = await make.repository(owner, { is_private: true })
  const add = 'PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}'
  const params = { owner: 'owner', repo: shared.name, collaborator: somebody.name }
  assert.equal((await call(add, { as: owner, params, body: {} })).status, 204)
  for (const repo of [shared, open]) assert.equal((await ask(STAR, repo, somebody)).status, 204)

  const mine = await call(MINE, { as: somebody })
  assert.deepEqual(namesIn(mine), [open.name, shared.name])
  assert.deepEqual(mine.body[0].permissions, { admin: false, push: false, pull: true })
  assert.equal(mine.headers.get('x-total-count'), '2')
  const page = await call(MINE, { as: somebody, query: { page: 2, limit: 1 } })
  assert.deepEqual([namesIn(page), page.headers.get('x-total-count')], [[shared.name], '2'])
  assert.match(page.headers.get('link') ?? '', /rel="first"/)
  assert.deepEqual(namesIn(await theirs(somebody, somebody)), [open.name, shared.name])
  for (const other of [eve, owner]) {
    const seen = await theirs(somebody, other)
    assert.deepEqual([namesIn(seen), seen.headers.get('x-total-count')], [[open.name], '1'])
  }
  const limited = bearer(await make.token(somebody, 'read:user', 'read:repository', 'public-only'))
  assert.deepEqual(namesIn(await call(MINE, { as: limited })), [open.name])

  assert.deepEqual(logins(await ask(STARGAZERS, shared, owner)), [somebody.name])
  assert.equal((await call(add.replace('PUT', 'DELETE'), { as: owner, params })).status, 204)
  const after = await call(MINE, { as: somebody })
  assert.deepEqual([namesIn(after), after.headers.get('x-total-count')], [[open.name], '1'])
  assert.deepEqual(logins(await ask(STARGAZERS, shared, owner)), [], 'who may not read it is not shown')
})

test(`${MINE} and ${THEIRS} refuse as other lists do`, async () => {
  const hidden = await make.person({ visibility: 'private' })
  holdRefusal(await call(MINE), 401, 'token is required')
  holdRefusal(await call(THEIRS, { params: { username: 'ada' } }), 401, 'token is required')
  assert.equal((await theirs(hidden, eve)).status, 404)
  assert.equal((await theirs({ name: 'nobody' }, eve)).status, 404)
  const narrow = bearer(await make.token(eve, 'read:user'))
  assert.equal((await call(MINE, { as: narrow })).status, 403)
  assert.deepEqual((await call(THEIRS, { as: narrow, params: { username: 'eve' } })).body, [])
})

test(`${STARGAZERS} lists the accounts in pages, to anybody who may read the repository`, async () => {
  const repo = await make.repository(owner)
  const [first, second] = [await make.person(), await make.person()]
  for (const somebody of [second, first]) await ask(STAR, repo, somebody)
  const { body, headers } = await ask(STARGAZERS, repo, undefined, { query: { limit: 1, page: 2 } })
  assert.deepEqual([logins({ body }), headers.get('x-total-count')], [[second.name], '2'])
  holdRefusal(
    await ask(STARGAZERS, await make.repository(owner, { is_private: true }), eve),
    404,
    'not found',
  )
})

test(`${SEARCH} sorts by stars`, async () => {
  const fan = await make.person()
  const [few, many] = [
    await make.repository(fan, { name: 'sorted-few' }),
    await make.repository(fan, { name: 'sorted-many' }),
  ]
  const star = (repo: Named, as: Somebody) => call(STAR, { as, params: { owner: fan.name, repo: repo.name } })
  for (const as of [ada, eve]) await star(many, as)
  await star(few, ada)
  for (const [order, names] of [
    ['asc', ['sorted-few', 'sorted-many']],
    ['desc', ['sorted-many', 'sorted-few']],
  ] as const) {
    const { body } = await call(SEARCH, { query: { q: 'sorted-', sort: 'stars', order } })
    assert.deepEqual(namesIn({ body: body.data }), names)
  }
})

test(`${MINE} and GET /api/v1/user/subscriptions count to a bound, and lead through all without gaps`, async () => {
  const somebody = await make.person()
  const many = await pool<{ id: number }[]>`
    insert into forge.repository (owner_id, name, folder_owner, folder_name, state, is_private, default_branch,
      object_format, created_at, updated_at)
    select ${owner.id}, 'many' || n, 'owner', 'many' || n, 'ready', n % 3 = 0, 'main', 'sha1',
      timestamptz '2026-01-01' - n * interval '1 minute', timestamptz '2026-01-01'
    from generate_series(1, 1800) as n
    returning id`
  for (const table of ['repository_star', 'repository_watch'])
    await pool`
      insert into ${pool.unsafe(`forge.${table}`)} (repository_id, account_id, created_at)
      select id, ${somebody.id}, timestamptz '2026-01-01'
      from unnest(${many.map(({ id }) => id)}::bigint[]) as id`
  const readable = many.map(({ id }) => id).filter((_, index) => (index + 1) % 3 > 0)
  for (const literal of [MINE, 'GET /api/v1/user/subscriptions']) {
    const ids: number[] = []
    for (let page = 1; ; page++) {
      const { body, headers } = await call(literal, { as: somebody, query: { page, limit: 50 } })
      ids.push(...body.map(({ id }: { id: number }) => id))
      const link = headers.get('link') ?? ''
      const total = Number(headers.get('x-total-count'))
      assert.equal(total, Math.min(readable.length, Math.max(1000, page * 50 + 1)))
      assert.equal(link.includes('rel="last"'), total === readable.length && page < 24, `page ${page}`)
      if (!link.includes('rel="next"')) break
    }
    assert.deepEqual(ids, readable)
  }
})

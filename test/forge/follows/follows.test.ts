import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })

const FOLLOW = 'PUT /api/v1/user/following/{username}'
const UNFOLLOW = 'DELETE /api/v1/user/following/{username}'
const CHECK = 'GET /api/v1/user/following/{username}'
const CHECK_THEIRS = 'GET /api/v1/users/{username}/following/{target}'
const MY_FOLLOWERS = 'GET /api/v1/user/followers'
const MY_FOLLOWING = 'GET /api/v1/user/following'
const FOLLOWERS = 'GET /api/v1/users/{username}/followers'
const FOLLOWING = 'GET /api/v1/users/{username}/following'
const USER = 'GET /api/v1/users/{username}'

interface Named {
  name: string
}
const ask = (literal: string, { name }: Named, as?: { authorization: string }) =>
  call(literal, { ...(as && { as }), params: { username: name } })
const logins = ({ body }: { body: { login: string }[] }) => body.map(({ login }) => login)
const countsOf = async (who: Named) => {
  const { body } = await ask(USER, who, boss)
  return [body.followers_count, body.following_count]
}

test(`${FOLLOW}, ${UNFOLLOW} and ${CHECK} are idempotent, and the counters of both follow`, async () => {
  const [ada, eve] = await make.people('ada', 'eve')
  holdRefusal(await ask(CHECK, eve, ada), 404, 'not found')
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await ask(FOLLOW, eve, ada)).status, 204)
    assert.deepEqual(
      [await countsOf(ada), await countsOf(eve)],
      [
        [0, 1],
        [1, 0],
      ],
    )
  }
  assert.equal((await ask(CHECK, eve, ada)).status, 204)
  holdRefusal(await ask(CHECK, ada, eve), 404, 'not found')
  for (let twice = 0; twice < 2; twice++) {
    assert.equal((await ask(UNFOLLOW, eve, ada)).status, 204)
    assert.deepEqual(
      [await countsOf(ada), await countsOf(eve)],
      [
        [0, 0],
        [0, 0],
      ],
    )
  }
})

test(`${FOLLOW} and ${UNFOLLOW} of the caller do nothing`, async () => {
  const somebody = await make.person()
  assert.equal((await ask(FOLLOW, somebody, somebody)).status, 204)
  assert.deepEqual(await countsOf(somebody), [0, 0])
  holdRefusal(await ask(CHECK, somebody, somebody), 404, 'not found')
  assert.equal((await ask(UNFOLLOW, somebody, somebody)).status, 204)
})

test(`${FOLLOWERS}, ${FOLLOWING}, ${MY_FOLLOWERS} and ${MY_FOLLOWING} list both sides, in pages`, async () => {
  const [first, second, third] = await make.people('first', 'second', 'third')
  const crew = await make.organization(third, { name: 'crew' })
  for (const followed of [second, third, crew]) await ask(FOLLOW, followed, first)
  await ask(FOLLOW, third, second)
  assert.deepEqual(logins(await ask(FOLLOWERS, third, first)), ['first', 'second'])
  assert.deepEqual(logins(await call(MY_FOLLOWERS, { as: third })), ['first', 'second'])
  assert.deepEqual(logins(await ask(FOLLOWERS, crew, second)), ['first'])
  assert.deepEqual(logins(await ask(FOLLOWING, first, third)), ['second', 'third', 'crew'])
  assert.deepEqual(logins(await call(MY_FOLLOWING, { as: third })), [])
  const page = await call(MY_FOLLOWING, { as: first, query: { page: 2, limit: 2 } })
  assert.deepEqual([logins(page), page.headers.get('x-total-count')], [['crew'], '3'])
  assert.match(page.headers.get('link') ?? '', /page=1.*rel="first"/)
})

test(`${CHECK_THEIRS} says whether a user follows another one`, async () => {
  const [one, two, other] = [await make.person(), await make.person(), await make.person()]
  await ask(FOLLOW, two, one)
  const check = (username: string, target: string) =>
    call(CHECK_THEIRS, { as: other, params: { username, target } })
  assert.equal((await check(one.name, two.name)).status, 204)
  holdRefusal(await check(two.name, one.name), 404, 'not found')
  const hidden = await make.person({ visibility: 'private' })
  const chief = await make.admin({ name: 'chief' })
  await ask(FOLLOW, hidden, chief)
  const [ofHidden, ofNobody] = [await check('chief', hidden.name), await check('chief', 'nobody')]
  assert.equal(ofHidden.status, 404)
  assert.equal(JSON.stringify(ofHidden.body).replaceAll(hidden.name, 'nobody'), JSON.stringify(ofNobody.body))
})

test('lists and checks of follows show no account that the caller may not see', async () => {
  const [reader, star] = [await make.person(), await make.person()]
  const hidden = await make.person({ visibility: 'private' })
  const limited = await make.person({ visibility: 'limited' })
  const secret = await make.organization(hidden, { name: 'secret', visibility: 'private' })
  for (const each of [hidden, limited]) await ask(FOLLOW, star, each)
  for (const each of [hidden, secret, limited]) await ask(FOLLOW, each, boss)
  const seen = async (as: { authorization: string }) => [
    logins(await ask(FOLLOWERS, star, as)),
    logins(await ask(FOLLOWING, boss, as)),
  ]
  const all = [hidden.name, limited.name]
  assert.deepEqual(await seen(boss), [all, [hidden.name, limited.name, secret.name]])
  assert.deepEqual(await seen(reader), [[limited.name], [limited.name]])
  assert.deepEqual(await seen(hidden), [all, [hidden.name, limited.name, secret.name]])
  const total = (await ask(FOLLOWERS, star, reader)).headers.get('x-total-count')
  assert.equal(total, '1')
  const narrow = bearer(await make.token(hidden, 'public-only', 'read:user'))
  assert.deepEqual(logins(await ask(FOLLOWERS, star, narrow)), [])
  for (const literal of [CHECK, FOLLOW, UNFOLLOW, FOLLOWERS, FOLLOWING])
    assert.equal((await ask(literal, hidden, reader)).status, 404, literal)
})

test('follows need a token that may write users', async () => {
  const [reader, star] = [await make.person(), await make.person()]
  for (const literal of [CHECK, FOLLOW, UNFOLLOW, FOLLOWERS, FOLLOWING])
    holdRefusal(await ask(literal, star), 401, 'token is required')
  const narrow = bearer(await make.token(reader, 'read:user'))
  assert.equal((await ask(FOLLOW, star, narrow)).status, 403)
  assert.equal((await ask(UNFOLLOW, star, narrow)).status, 403)
  assert.equal((await ask(CHECK, star, narrow)).status, 404)
})

test(`${FOLLOW} by concurrent requests is counted correctly, and so are deletions of accounts`, async () => {
  const people: Somebody[] = await Promise.all(Array.from({ length: 6 }, () => make.person()))
  const pairs = people.flatMap((from) => people.map((to) => [from, to] as const))
  await Promise.all([...pairs, ...pairs].map(([from, to]) => ask(FOLLOW, to, from)))
  for (const each of people) assert.deepEqual(await countsOf(each), [5, 5])
  const answers = await Promise.all(
    people.slice(0, 3).map(({ name: username }) => {
      return call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username } })
    }),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204, 204],
  )
  for (const each of people.slice(3)) assert.deepEqual(await countsOf(each), [2, 2])
  const [row] = await pool`
    select count(*) as follows from forge.follow
    where followed_id = any(${people.map(({ id }) => id)}::bigint[])`
  assert.equal(row?.follows, 6)
})

test('deleting an organization ends the follows of it', async () => {
  const [fan, head] = [await make.person(), await make.person()]
  const club = await make.organization(head, { name: 'club' })
  await ask(FOLLOW, club, fan)
  assert.deepEqual(await countsOf(fan), [0, 1])
  const { status } = await call('DELETE /api/v1/orgs/{org}', { as: head, params: { org: 'club' } })
  assert.equal(status, 204)
  assert.deepEqual(await countsOf(fan), [0, 0])
})

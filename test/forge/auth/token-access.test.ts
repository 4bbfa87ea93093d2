import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { basic, bearer, samePassword } from '../../support/forge/make.ts'
import { type As, creating, inBasic, listing, removing, tokenCalls } from '../../support/forge/tokens.ts'

const { call, pool, make } = await startApp()

const boss = await make.admin({ name: 'Boss' })
const [ada, bob] = await make.people('Ada', 'bob')

const own = 'GET /api/v1/token'
const removingOwn = 'DELETE /api/v1/token'

const { list, create, remove, namesOf } = tokenCalls({ call, pool })

/** The answers to a caller who lists, creates and revokes, one after the other. */
async function heard(username: string, as: As): Promise<string[]> {
  const name = 'of all three'
  const answers = [
    await list(username, as),
    await create(username, { name, scopes: ['read:user'] }, as),
    await remove(username, name, as),
  ]
  return answers.map(({ status, body }) => `${status} ${body?.message ?? ''}`.trim())
}
const thrice = (text: string) => [text, text, text]
const done = ['200', '201', '204']

test(`${listing}, ${creating}, ${removing}: users must use Basic, also with a token inside; others are refused`, async () => {
  const stranger = '403 doer should be the site admin or be same as the contextUser'
  assert.deepEqual(await heard('ada', basic('ada', samePassword)), done)
  assert.deepEqual(await heard('ada', inBasic(ada.token)), done)
  assert.deepEqual(await heard('ada', ada), thrice('401 auth required'))
  assert.deepEqual(await heard('ada', bearer(ada.token)), thrice('401 auth required'))
  assert.deepEqual(await heard('ada', bob), thrice(stranger))
  assert.deepEqual(await heard('ada', basic('bob')), thrice(stranger))
  assert.deepEqual(await heard('ada', { authorization: '' }), thrice('401 token is required'))
  assert.deepEqual(
    await heard('ada', basic('ada', 'wrong')),
    thrice('401 invalid username, password or token'),
  )
})

test(`${listing}, ${creating}, ${removing}: an administrator manages those of any user or bot, with a token too`, async () => {
  await make.bot({ name: 'robot', visibility: 'private' })
  for (const as of [basic('boss'), boss, bearer(boss.token), inBasic(boss.token)]) {
    assert.deepEqual(await heard('ada', as), done)
    assert.deepEqual(await heard('robot', as), done)
    assert.deepEqual(await heard('boss', as), done)
  }
  const { body } = await create('robot', { name: 'pipeline', scopes: ['all'] }, boss)
  assert.equal((await call('GET /api/v1/user', { as: bearer(body.sha1) })).body.login, 'robot')
})

test(`${listing}, ${creating}, ${removing}: whoever an administrator acts as, it is the administrator's token`, async () => {
  const answers = [
    await call(listing, { params: { username: 'ada' }, as: boss, query: { sudo: 'ada' } }),
    await call(listing, { params: { username: 'bob' }, as: boss, query: { sudo: 'ada' } }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 403],
  )
})

test(`${listing}, ${creating}, ${removing}: unknown users, organizations and hidden users have no tokens`, async () => {
  await make.organization(ada, { name: 'guild' })
  await make.person({ name: 'quiet', visibility: 'private' })
  await make.person({ name: 'shy', visibility: 'limited' })
  assert.deepEqual(await heard('nobody', boss), thrice('404 user redirect does not exist [name: nobody]'))
  assert.deepEqual(await heard('guild', boss), thrice('404 user redirect does not exist [name: guild]'))
  // An account that the caller may not see is answered like an unknown one.
  const unknown = (name: string) => thrice(`404 user redirect does not exist [name: ${name}]`)
  assert.deepEqual(await heard('quiet', basic('bob')), unknown('quiet'))
  assert.deepEqual(await heard('shy', { authorization: '' }), unknown('shy'))
  const bobs = inBasic(await make.token(bob, 'public-only', 'all'))
  assert.deepEqual(await heard('quiet', bobs), unknown('quiet'))
  assert.deepEqual(await heard('quiet', boss), done)
  const limited = inBasic(await make.token(boss, 'public-only', 'all'))
  assert.deepEqual(await heard('quiet', limited), thrice('403 token scope is limited to public users'))
})

test(`${listing}, ${creating}, ${removing} need the scope of users, before anything else`, async () => {
  const reading = inBasic(await make.token(ada, 'read:user'))
  const refusal = (level: string, has: string) =>
    `403 token does not have at least one of required scope(s), required=[${level}:user], token scope=${has}`
  const answers = [
    await heard('ada', reading),
    await heard('nobody', inBasic(await make.token(ada, 'write:issue'))),
  ]
  assert.deepEqual(answers, [
    ['200', refusal('write', 'read:user'), refusal('write', 'read:user')],
    [refusal('read', 'write:issue'), refusal('write', 'write:issue'), refusal('write', 'write:issue')],
  ])
})

test(`${listing} under a former name is sent on`, async () => {
  await make.person({ name: 'before' })
  const rename = 'POST /api/v1/admin/users/{username}/rename'
  await call(rename, { params: { username: 'before' }, body: { new_username: 'after' }, as: boss })
  const { status, headers } = await list('before', basic('after'))
  assert.deepEqual([status, headers.get('location')], [307, '/api/v1/users/after/tokens'])
})

test(`${own} describes the token of the header, with any scopes`, async () => {
  const as = bearer(await make.token(ada, 'write:issue'))
  const { status, body } = await call(own, { as })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    id: body.id,
    name: body.name,
    scopes: ['write:issue'],
    created_at: '2026-01-31T08:00:00Z',
    last_used_at: body.last_used_at,
    expires_at: null,
    user: { id: ada.id, login: 'Ada' },
  })
  const throughSudo = await call(own, { as: boss, query: { sudo: 'ada' } })
  assert.deepEqual(throughSudo.body.user, { id: boss.id, login: 'Boss' })
})

test(`${own} and ${removingOwn} are 404 with any other credential, 401 without one`, async () => {
  for (const literal of [own, removingOwn]) {
    assert.equal((await call(literal, { as: basic('ada') })).status, 404)
    assert.equal((await call(literal, { as: inBasic(ada.token) })).status, 404)
    const { status, body } = await call(literal)
    assert.deepEqual([status, body.message], [401, 'token is required'])
  }
  assert.equal((await call(own, { as: ada })).status, 200)
})

test(`${removingOwn} ends the token and no other`, async () => {
  const before = await namesOf(ada)
  const as = bearer(await make.token(ada, 'read:user'))
  assert.equal((await call(removingOwn, { as })).status, 204)
  assert.equal((await call(removingOwn, { as })).status, 401)
  assert.equal((await call(own, { as })).status, 401)
  assert.deepEqual(await namesOf(ada), before)
})

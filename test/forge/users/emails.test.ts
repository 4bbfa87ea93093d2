import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { updateAccount } from '../../../src/forge/accounts/account-store.ts'
import { startApp } from '../../support/app.ts'
import { bearer } from '../../support/forge/make.ts'

const { call, pool, make } = await startApp()

const LIST = 'GET /api/v1/admin/emails'
const SEARCH = 'GET /api/v1/admin/emails/search'
const OWN = 'GET /api/v1/user/emails'
const ADD = 'POST /api/v1/user/emails'
const REMOVE = 'DELETE /api/v1/user/emails'

const boss = await make.admin({ name: 'boss', email: 'boss@example.org' })
const ada = await make.person({
  name: 'Ada',
  full_name: 'Countess Élan_L',
  email: 'Ada.Lovelace@analytical.example',
})

interface Listed {
  email: string
  verified: boolean
  primary: boolean
  user_id: number
  username: string
}
const emails = ({ body }: { body: Listed[] }) => body.map(({ email }) => email)
const total = ({ headers }: { headers: Headers }) => headers.get('x-total-count')
const search = (query: Record<string, string | number>) => call(SEARCH, { as: boss, query })
const add = (as: { authorization: string }, ...emails: unknown[]) => call(ADD, { as, body: { emails } })
const remove = (as: { authorization: string }, ...emails: unknown[]) => call(REMOVE, { as, body: { emails } })
const own = async (as: { authorization: string }) => emails(await call(OWN, { as }))
const deeds = async (name: string) =>
  (
    await pool`
      select action, details from forge.audit
      where target_name = ${name} and action like 'email.%'
      order by id`
  ).map(({ action, details }) => [action, details.emails])

before(async () => {
  const bot = await make.bot({ name: 'robot', email: 'robot@example.org' })
  await add(bot, 'second.robot@example.org')
  await make.organization(ada, { name: 'guild', email: 'guild@example.org' })
  assert.equal((await add(ada, 'under_score@example.org', 'underXscore@example.org')).status, 201)
  await pool`update forge.email_address set is_activated = false where address = 'underXscore@example.org'`
})

test(`${LIST} shows addresses of people alone, all of them, in their order`, async () => {
  const answer = await call(LIST, { as: boss })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, [
    {
      email: 'Ada.Lovelace@analytical.example',
      verified: true,
      primary: true,
      user_id: ada.id,
      username: 'Ada',
    },
    { email: 'boss@example.org', verified: true, primary: true, user_id: boss.id, username: 'boss' },
    {
      email: 'under_score@example.org',
      verified: true,
      primary: false,
      user_id: ada.id,
      username: 'Ada',
    },
    {
      email: 'underXscore@example.org',
      verified: false,
      primary: false,
      user_id: ada.id,
      username: 'Ada',
    },
  ])
  assert.deepEqual([total(answer), answer.headers.get('link')], ['4', null])
  assert.deepEqual(emails(await call(LIST, { as: boss, query: { q: 'boss' } })), emails(answer))
})

test(`${LIST} and ${SEARCH} page; the total is that of all pages, also of one beyond the end`, async () => {
  for (const [literal, query, all] of [
    [LIST, {}, 4],
    [SEARCH, {}, 4],
    [SEARCH, { q: 'example' }, 4],
    [SEARCH, { q: 'e' }, 4],
    [SEARCH, { q: 'score' }, 2],
  ] as const) {
    const seen: string[] = []
    for (const page of [1, 2, 3, 4, 5]) {
      const answer = await call(literal, { as: boss, query: { ...query, page, limit: 1 } })
      assert.equal(total(answer), String(all), `${literal} ${JSON.stringify(query)} ${page}`)
      assert.match(answer.headers.get('link') ?? '', /limit=1/)
      seen.push(...emails(answer))
    }
    const whole = await call(literal, { as: boss, query })
    assert.deepEqual(seen, emails(whole))
    assert.equal(seen.length, all)
  }
  const linked = await search({ q: 'score', limit: 1 })
  assert.equal(
    linked.headers.get('link')?.split(',')[0],
    '<https://forgehall.example/api/v1/admin/emails/search?limit=1&page=2&q=score>; rel="next"',
  )
  for (const page of ['x', '-1', '0', '1.5', '']) {
    assert.deepEqual(emails(await call(LIST, { as: boss, query: { page, limit: page } })).length, 4)
  }
})

test(`${SEARCH} finds by address, name and full name, in any case, and each character stands for itself`, async () => {
  const ofAda = [ada.email, 'under_score@example.org', 'underXscore@example.org']
  for (const [q, expected] of [
    ['', [ada.email, boss.email, ...ofAda.slice(1)]],
    ['   ', [ada.email, boss.email, ...ofAda.slice(1)]],
    [' BOSS@ ', [boss.email]],
    ['LOVELACE@ANA', [ada.email]],
    ['ada', ofAda],
    ['Ad', ofAda],
    ['countess', ofAda],
    ['Élan', ofAda],
    ['n_l', ofAda],
    ['under_', ['under_score@example.org']],
    ['r_s', ['under_score@example.org']],
    ['_', ofAda],
    ['%', []],
    ['b%s', []],
    ['boss@%', []],
    ['%@example.org', []],
    ["'; drop table forge.account; --", []],
    ['\\', []],
    ['\\_', []],
    ['a\0b', []],
    ['robot', []],
    ['guild', []],
    ['x'.repeat(4000), []],
    ['😀', []],
  ] as const) {
    const answer = await search({ q })
    assert.equal(answer.status, 200)
    assert.deepEqual(emails(answer), expected, JSON.stringify(q))
    assert.equal(total(answer), String(expected.length), JSON.stringify(q))
  }
})

test(`${LIST} and ${SEARCH} are for administrators alone`, async () => {
  const readOnly = bearer(await make.token(boss, 'read:admin'))
  const other = bearer(await make.token(boss, 'write:user'))
  for (const literal of [LIST, SEARCH]) {
    assert.equal((await call(literal)).status, 401)
    for (const as of [ada, other]) assert.equal((await call(literal, { as })).status, 403)
    assert.equal((await call(literal, { as: readOnly })).status, 200)
  }
})

test(`${LIST} hides the addresses of people who become bots or are deleted, until they are people again`, async () => {
  const eve = await make.person({ name: 'eve' })
  await add(eve, 'eve2@example.org')
  const counted = async () => [
    total(await call(LIST, { as: boss })),
    (await search({ q: 'eve' })).body.length,
  ]
  assert.deepEqual(await counted(), ['6', 2])
  await make.begin((tx) => updateAccount(tx, eve.id, { kind: 'bot' }))
  assert.deepEqual(await counted(), ['4', 0])
  // An address that a bot adds is not listed either.
  assert.equal((await add(eve, 'eve3@example.org')).status, 201)
  assert.deepEqual(await counted(), ['4', 0])
  await make.begin((tx) => updateAccount(tx, eve.id, { kind: 'person' }))
  assert.deepEqual(await counted(), ['7', 3])
  await call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: 'eve' } })
  assert.deepEqual(await counted(), ['4', 0])
})

test(`${ADD}, ${OWN} and ${REMOVE} are what a user does with addresses of its own`, async () => {
  const bob = await make.person({ name: 'bob' })
  const added = await add(bob, 'Bob@Work.example', 'a@bücher.example')
  assert.equal(added.status, 201)
  // The answer lists all addresses of the user, not only the new ones.
  assert.deepEqual(added.body, [
    { email: bob.email, verified: true, primary: true, user_id: bob.id, username: 'bob' },
    { email: 'a@bücher.example', verified: true, primary: false, user_id: bob.id, username: 'bob' },
    { email: 'Bob@Work.example', verified: true, primary: false, user_id: bob.id, username: 'bob' },
  ])
  const listed = await call(OWN, { as: bob })
  assert.deepEqual(listed.body, added.body)
  assert.equal(total(listed), '3')
  assert.equal((await remove(bob, 'BOB@work.example', 'a@xn--bcher-kva.example')).status, 204)
  assert.deepEqual(await own(bob), [bob.email])
  assert.deepEqual(
    (await deeds('bob')).map(([action]) => action),
    ['email.added', 'email.removed'],
  )
  assert.deepEqual((await deeds('bob'))[0]?.[1], ['Bob@Work.example', 'a@bücher.example'])
})

test(`${OWN} of somebody else is what an administrator asks for by sudo`, async () => {
  const cy = await make.person({ name: 'cy' })
  const { body } = await call(OWN, { as: boss, query: { sudo: 'cy' } })
  assert.deepEqual(emails({ body }), [cy.email])
  await call(ADD, { as: boss, headers: { sudo: 'cy' }, body: { emails: ['by.boss@example.org'] } })
  const [row] = await pool`
    select actor_name, acting_as from forge.audit where target_name = 'cy' and action = 'email.added'`
  assert.deepEqual({ ...row }, { actor_name: 'boss', acting_as: 'cy' })
})

test(`${ADD} refuses what is taken by anybody, or no address, and then adds nothing`, async () => {
  const dan = await make.person({ name: 'dan' })
  for (const [emails, message] of [
    [['fine@example.org', 'BOSS@example.ORG'], 'e-mail already in use [email: BOSS@example.ORG]'],
    [['fine@example.org', dan.email], `e-mail already in use [email: ${dan.email}]`],
    [['underxscore@example.org'], 'e-mail already in use [email: underxscore@example.org]'],
    [['robot@example.org'], 'e-mail already in use [email: robot@example.org]'],
    [['fine@example.org', 'none'], 'email address is invalid: none'],
    [['a@b.example\r\nBcc: x@example.org'], 'email address is invalid: a@b.example\r\nBcc: x@example.org'],
    [[''], 'email address is invalid: '],
    [[`${'a'.repeat(250)}@example.org`], `email address is invalid: ${'a'.repeat(250)}@example.org`],
    [['-x@example.org'], 'email address is invalid: -x@example.org'],
    [[], '[Emails]: Required'],
  ] as const) {
    const { status, body } = await add(dan, ...emails)
    assert.deepEqual([status, body.message], [422, message])
  }
  for (const body of [
    {},
    { emails: null },
    { emails: 'a@b.example' },
    { emails: [7] },
    { emails: { a: 1 } },
    [],
    '',
  ]) {
    const answer = await call(ADD, { as: dan, body, headers: { 'content-type': 'application/json' } })
    assert.equal(answer.status, 422, JSON.stringify(body))
  }
  assert.equal((await add(dan, 'a\0@b.example')).status, 422)
  assert.deepEqual([await own(dan), await deeds('dan')], [[dan.email], []])
})

test(`${ADD} of the same address twice in one list adds it once`, async () => {
  const fay = await make.person({ name: 'fay' })
  const { body } = await add(fay, 'fay@one.example', 'FAY@one.example')
  assert.equal(body.length, 2)
  assert.equal((await own(fay)).length, 2)
})

test(`${ADD} of the same addresses by many at once: one succeeds, the others are refused, in any order of the lists`, async () => {
  const people = await Promise.all([1, 2, 3, 4].map(() => make.person()))
  const emails = ['race1@example.org', 'race2@example.org', 'race3@example.org']
  const answers = await Promise.all(
    people.map((each, at) => add(each, ...(at % 2 === 0 ? emails : [...emails].reverse()))),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 422, 422, 422])
  const owners =
    await pool`select distinct account_id from forge.email_address where address like 'race_@example.org'`
  assert.equal(owners.length, 1)
})

test(`${REMOVE} refuses the primary address and addresses that the user does not have, and then deletes nothing`, async () => {
  const gus = await make.person({ name: 'gus' })
  await add(gus, 'gus2@example.org')
  for (const [emails, status, message] of [
    [['gus2@example.org', gus.email], 422, `the primary address cannot be deleted [email: ${gus.email}]`],
    [['gus2@example.org', boss.email], 404, `email address does not exist [email: ${boss.email}]`],
    [['nobody@example.org'], 404, 'email address does not exist [email: nobody@example.org]'],
    [['none'], 404, 'email address does not exist [email: none]'],
  ] as const) {
    const answer = await remove(gus, ...emails)
    assert.deepEqual([answer.status, answer.body.message], [status, message])
  }
  for (const body of [{ emails: 'gus2@example.org' }, { emails: [7] }, [], '']) {
    const answer = await call(REMOVE, { as: gus, body, headers: { 'content-type': 'application/json' } })
    assert.equal(answer.status, 422, JSON.stringify(body))
  }
  assert.deepEqual(await own(gus), [gus.email, 'gus2@example.org'])
  assert.equal((await call(REMOVE, { as: gus, body: {} })).status, 204)
  assert.equal((await remove(gus, 'gus2@example.org', 'GUS2@example.org')).status, 204)
  assert.equal((await remove(gus, 'gus2@example.org')).status, 404)
  assert.deepEqual(await own(gus), [gus.email])
  assert.equal((await deeds('gus')).length, 2)
})

test('addresses of oneself need a sign-in, the scope of users, and a token that is not limited to public things', async () => {
  const hal = await make.person({ name: 'hal' })
  const read = bearer(await make.token(hal, 'read:user'))
  const other = bearer(await make.token(hal, 'write:admin'))
  const narrow = bearer(await make.token(hal, 'public-only,all'))
  for (const literal of [OWN, ADD, REMOVE]) {
    const request = literal === OWN ? {} : { body: { emails: ['hal2@example.org'] } }
    assert.equal((await call(literal, request)).status, 401)
    for (const as of [other, narrow]) assert.equal((await call(literal, { ...request, as })).status, 403)
    assert.equal((await call(literal, { ...request, as: read })).status, literal === OWN ? 200 : 403)
  }
  assert.deepEqual(await own(hal), [hal.email])
})

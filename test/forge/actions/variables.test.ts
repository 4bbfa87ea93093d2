import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variablesForJobs } from '../../../src/actions/secrets/variable-store.ts'
import { startApp } from '../../support/app.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('Ada', 'eve')
const org = await make.organization(ada, { name: 'Guild' })
const { body: repo } = await call('POST /api/v1/user/repos', { as: ada, body: { name: 'Kept' } })

const LIST = 'GET /api/v1/orgs/{org}/actions/variables'
const GET = 'GET /api/v1/orgs/{org}/actions/variables/{variablename}'
const POST = 'POST /api/v1/orgs/{org}/actions/variables/{variablename}'
const PUT = 'PUT /api/v1/orgs/{org}/actions/variables/{variablename}'
const DELETE = 'DELETE /api/v1/orgs/{org}/actions/variables/{variablename}'

const inGuild = (variablename: string) => ({ org: 'guild', variablename })
const add = (name: string, body: unknown, as: As = ada) => call(POST, { as, params: inGuild(name), body })
const change = (name: string, body: unknown, as: As = ada) => call(PUT, { as, params: inGuild(name), body })
const show = (name: string, as: As = ada) => call(GET, { as, params: inGuild(name) })
const remove = (name: string, as: As = ada) => call(DELETE, { as, params: inGuild(name) })
const list = (as: As = ada, query = {}) => call(LIST, { as, params: { org: 'guild' }, query })
const count = async () => (await list()).body.length

test(`${POST} creates a variable, once`, async () => {
  const created = await add('Level', { value: ' 1.10 \r\n', description: 'how high' })
  assert.deepEqual([created.status, created.body], [201, undefined])
  const shown = { owner_id: org.id, repo_id: 0, name: 'LEVEL', data: ' 1.10 \r\n', description: 'how high' }
  assert.deepEqual((await show('level')).body, shown)
  holdRefusal(await add('LEVEL', { value: 'x' }), 409, 'a variable of that name exists')
  assert.deepEqual((await list()).body, [shown])
  assert.equal((await remove('level')).status, 204)
})

test(`${POST}: of many who create one name at once, one succeeds`, async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => add('RACE', { value: `${n}` })))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, ...Array.from({ length: 11 }, () => 409)])
  await remove('RACE')
})

test(`${POST} and ${PUT} refuse names, sizes and bodies that cannot be, and keep nothing of them`, async () => {
  await add('THERE', { value: 'x' })
  const nine = 'invalid variable or secret name'
  for (const name of ['1A', 'a-b', 'CI', 'github_x', 'GITEA_TOKEN', 'a'.repeat(256), '\0'])
    holdRefusal(await add(name, { value: 'x' }), 400, nine)
  for (const name of ['CI', 'a b']) holdRefusal(await change('THERE', { name, value: 'x' }), 400, nine)
  for (const attempt of [
    add('NEW', { value: '🙂'.repeat(65_537) }),
    change('THERE', { value: 'x'.repeat(65_537) }),
  ])
    holdRefusal(await attempt, 400, 'data too long')
  for (const [body, message] of [
    [{}, '[Value]: Required'],
    [{ value: '' }, '[Value]: Required'],
    [{ value: null }, '[Value]: Required'],
    [{ value: 1 }, '[]: cannot read value: expected string'],
    [[], '[]: the body is no JSON object'],
    ['', '[]: unexpected end of JSON input'],
    ['{"value":"\\u0000"}', '[]: the body must not contain NUL characters'],
  ] as const) {
    holdRefusal(await add('NEW', body), 422, message)
    holdRefusal(await change('THERE', body), 422, message)
  }
  assert.equal((await add('WIDE', { value: '🙂'.repeat(65_536) })).status, 201)
  assert.equal((await show('there')).body.data, 'x')
  await remove('WIDE')
  await remove('THERE')
  assert.equal(await count(), 0)
})

test(`${PUT} changes value and name; a description that is left out stays`, async () => {
  await add('OLD', { value: 'a', description: 'said' })
  await add('TAKEN', { value: 'b' })
  const changed = await change('old', { value: 'c' })
  assert.deepEqual([changed.status, changed.body], [204, undefined])
  assert.deepEqual((await show('OLD')).body.description, 'said')
  holdRefusal(await change('OLD', { name: 'taken', value: 'c' }), 409, 'a variable of that name exists')
  assert.equal((await change('OLD', { name: 'renamed', value: 'd' })).status, 204)
  assert.equal((await show('OLD')).status, 404)
  assert.equal((await show('RENAMED')).body.data, 'd')
  for (const name of ['OLD', 'a-b', '\0']) holdRefusal(await change(name, { value: 'x' }), 404, 'not found')
  const deeds = await pool<{ action: string; details: object }[]>`
    select action, details from forge.audit where target_id = ${org.id} and details ->> 'name' in ('OLD', 'RENAMED')
    order by id`
  assert.deepEqual(
    deeds.map((deed) => ({ ...deed })),
    [
      { action: 'variable.created', details: { name: 'OLD' } },
      { action: 'variable.updated', details: { name: 'OLD' } },
      { action: 'variable.updated', details: { name: 'RENAMED', from: 'OLD' } },
    ],
  )
  await remove('renamed')
  await remove('taken')
})

test(`${GET} and ${DELETE} answer 404 to whatever names none`, async () => {
  for (const name of ['NONE', 'a-b', 'CI', '\0', 'x'.repeat(300)]) {
    holdRefusal(await show(name), 404, 'not found')
    holdRefusal(await remove(name), 404, 'not found')
  }
})

test(`${LIST} shows variables page by page in the order of creation`, async () => {
  for (const name of ['C', 'A', 'B']) await add(name, { value: name })
  const second = await list(ada, { page: 2, limit: 2 })
  assert.deepEqual(
    second.body.map(({ name }: { name: string }) => name),
    ['B'],
  )
  assert.equal(second.headers.get('x-total-count'), '3')
  for (const name of ['C', 'A', 'B']) await remove(name)
})

for (const literal of [LIST, GET, POST, PUT, DELETE]) {
  test(`${literal} is for owners and administrators, with a token that reaches organizations`, async () => {
    const member = await make.person()
    await make.team(org, [member])
    const ask = (as: As | undefined, of = 'guild') =>
      call(literal, {
        ...(as && { as }),
        params: literal === LIST ? { org: of } : { org: of, variablename: 'ANY' },
        ...((literal === POST || literal === PUT) && { body: { value: 'x' } }),
      })
    for (const who of [eve, member]) holdRefusal(await ask(who), 403, 'Must be an organization owner')
    holdRefusal(await ask(undefined), 401, 'token is required')
    holdRefusal(await ask(boss, 'nobody'), 404, 'not found')
    assert.notEqual((await ask(boss)).status, 403)
    const narrow = bearer(await make.token(ada, 'write:user'))
    assert.match((await ask(narrow)).body.message, /^token does not have at least one of required scope/)
  })
}

const families = [
  ['/api/v1/repos/{owner}/{repo}/actions/variables', { owner: 'ada', repo: 'kept' }, ada, 403],
  ['/api/v1/user/actions/variables', {}, ada, 200],
  ['/api/v1/admin/actions/variables', {}, boss, 403],
] as const
for (const [path, params, keeper, stranger] of families) {
  test(`GET ${path} and what is below it: created, shown, changed and deleted`, async () => {
    const one = { ...params, variablename: 'Wing' }
    const at = `${path}/{variablename}`
    assert.equal((await call(`POST ${at}`, { as: keeper, params: one, body: { value: 'a' } })).status, 201)
    assert.equal((await call(`POST ${at}`, { as: keeper, params: one, body: { value: 'a' } })).status, 409)
    assert.equal((await call(`PUT ${at}`, { as: keeper, params: one, body: { value: 'b' } })).status, 204)
    assert.equal((await call(`GET ${at}`, { as: keeper, params: one })).body.data, 'b')
    const listed = await call(`GET ${path}`, { as: keeper, params })
    assert.deepEqual(
      listed.body.map(({ name }: { name: string }) => name),
      ['WING'],
    )
    assert.equal((await call(`GET ${path}`, { as: eve, params })).status, stranger)
    holdRefusal(await call(`GET ${path}`, { params }), 401, 'token is required')
    assert.equal((await call(`DELETE ${at}`, { as: keeper, params: one })).status, 204)
    holdRefusal(await call(`DELETE ${at}`, { as: keeper, params: one }), 404, 'not found')
  })
}

test('jobs receive the variables of site, owner and repository; the most specific one wins', async () => {
  const value = (data: string) => ({ as: boss, body: { value: data } })
  const own = { as: ada, body: { value: 'owner' } }
  for (const variablename of ['ONE', 'TWO', 'THREE'])
    await call('POST /api/v1/admin/actions/variables/{variablename}', {
      ...value('site'),
      params: { variablename },
    })
  for (const variablename of ['TWO', 'THREE'])
    await call('POST /api/v1/user/actions/variables/{variablename}', { ...own, params: { variablename } })
  await call('POST /api/v1/repos/{owner}/{repo}/actions/variables/{variablename}', {
    as: ada,
    params: { owner: 'ada', repo: 'kept', variablename: 'THREE' },
    body: { value: 'repository' },
  })
  assert.deepEqual(await variablesForJobs(pool, { owner: ada.id, repository: repo.id }), {
    ONE: 'site',
    TWO: 'owner',
    THREE: 'repository',
  })
  assert.deepEqual(await variablesForJobs(pool, { owner: eve.id, repository: 0 }), {
    ONE: 'site',
    TWO: 'site',
    THREE: 'site',
  })
})

test('variables go with their owner', async () => {
  const bob = await make.person()
  const params = { variablename: 'DOOMED' }
  await call('POST /api/v1/user/actions/variables/{variablename}', { as: bob, params, body: { value: 'x' } })
  await call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: bob.name } })
  assert.equal((await pool`select id from forge.action_variable where name = 'DOOMED'`).length, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageOfSecrets, secretsForJobs } from '../../../src/actions/secrets/secret-store.ts'
import { createSecrets } from '../../../src/db/encryption/secrets.ts'
import { createLog } from '../../../src/log.ts'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { type As, bearer, testSecrets } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { plansOf } from '../../support/plans.ts'
import { keepLines } from '../../support/sink.ts'

const app = await startApp()
const { call, pool, clock, database, make } = app
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('Ada', 'eve')
const org = await make.organization(ada, { name: 'Guild' })

const LIST = 'GET /api/v1/orgs/{org}/actions/secrets'
const PUT = 'PUT /api/v1/orgs/{org}/actions/secrets/{secretname}'
const DELETE = 'DELETE /api/v1/orgs/{org}/actions/secrets/{secretname}'
const LIST_REPO = 'GET /api/v1/repos/{owner}/{repo}/actions/secrets'
const PUT_REPO = 'PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}'
const DELETE_REPO = 'DELETE /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}'
const LIST_OWN = 'GET /api/v1/user/actions/secrets'
const PUT_OWN = 'PUT /api/v1/user/actions/secrets/{secretname}'
const DELETE_OWN = 'DELETE /api/v1/user/actions/secrets/{secretname}'

const put = (secretname: string, body: unknown, as: As = ada, of = 'guild') =>
  call(PUT, { as, params: { org: of, secretname }, body })
const remove = (secretname: string, as: As = ada, of = 'guild') =>
  call(DELETE, { as, params: { org: of, secretname } })
const list = (as: As = ada, query = {}, of = 'guild') => call(LIST, { as, params: { org: of }, query })
const fresh = async (owner = ada) => (await make.organization(owner)).name
const names = async (of: string) => (await list(boss, {}, of)).body.map(({ name }: { name: string }) => name)
const repository = async (name: string, as: As = ada) => {
  const { status, body } = await call('POST /api/v1/user/repos', { as, body: { name } })
  assert.equal(status, 201)
  return body as { id: number; full_name: string }
}
const reaching = async (owner: number, repo: number, secrets = testSecrets) => {
  const lines = keepLines()
  const opened = await secretsForJobs(
    pool,
    { owner, repository: repo },
    { secrets, log: createLog('debug', lines) },
  )
  // Lines are written at the end of a turn.
  await new Promise((resolve) => setImmediate(resolve))
  return { opened, lines: lines.lines() }
}

test(`${PUT} creates a secret once and replaces it ever after, in whatever case its name is written`, async () => {
  const created = await put('Deploy_Key', { data: 'first', description: 'for deploys' })
  assert.deepEqual([created.status, created.body], [201, undefined])
  clock.tick(60_000)
  const replaced = await put('DEPLOY_KEY', { data: 'second', description: 'still for deploys' })
  assert.deepEqual([replaced.status, replaced.body], [204, undefined])
  const { body, headers } = await list()
  assert.deepEqual(body, [
    { name: 'DEPLOY_KEY', description: 'still for deploys', created_at: '2026-01-31T08:00:00Z' },
  ])
  assert.equal(headers.get('x-total-count'), '1')
  assert.equal((await remove('deploy_key')).status, 204)
})

test(`${PUT} keeps a description that is left out, and cuts one that is too long`, async () => {
  const of = await fresh()
  await put('A', { data: 'x', description: 'said' }, ada, of)
  await put('A', { data: 'x' }, ada, of)
  assert.equal((await list(ada, {}, of)).body[0].description, 'said')
  await put('A', { data: 'x', description: '' }, ada, of)
  assert.equal((await list(ada, {}, of)).body[0].description, '')
  await put('A', { data: 'x', description: '🙂'.repeat(5000) }, ada, of)
  assert.equal((await list(ada, {}, of)).body[0].description, '🙂'.repeat(4096))
})

test(`${PUT} accepts every name that jobs can see, and answers 400 to all others`, async () => {
  const of = await fresh()
  const good = ['_', 'a', 'A1', '_1', 'CI_', 'ci2', 'GITHUB', 'gitea', 'MY_GITHUB_TOKEN', 'x'.repeat(255)]
  for (const name of good) assert.equal((await put(name, { data: 'x' }, ada, of)).status, 201, name)
  const bad = [
    '1A',
    'a-b',
    'a b',
    'a.b',
    'ä',
    'CI',
    'ci',
    'GITHUB_X',
    'github_token',
    'Gitea_',
    'a\n',
    '\0',
    '%',
  ]
  for (const name of [...bad, 'x'.repeat(256)])
    holdRefusal(await put(name, { data: 'x' }, ada, of), 400, 'invalid variable or secret name')
  assert.deepEqual(
    await names(of),
    good.map((name) => name.toUpperCase()),
  )
})

test(`${PUT} without a name is no operation`, async () => {
  const response = await fetch(`${app.url}/api/v1/orgs/guild/actions/secrets/`, {
    method: 'PUT',
    headers: { authorization: ada.authorization, 'content-type': 'application/json' },
    body: '{"data":"x"}',
  })
  // A trailing slash is ignored: this is the list, which has no PUT.
  assert.equal(response.status, 405)
  assert.deepEqual(response.headers.get('allow'), 'GET, HEAD')
})

test(`${PUT} counts bytes: it stores 65,536 unchanged, one more is 400`, async () => {
  const of = await fresh()
  const largest = 'é'.repeat(32_768)
  assert.equal((await put('BIG', { data: largest }, ada, of)).status, 201)
  holdRefusal(await put('BIG', { data: `${largest}x` }, ada, of), 400, 'data too long')
  const verbatim = '  \r\n two\tlines \n'
  assert.equal((await put('VERBATIM', { data: verbatim }, ada, of)).status, 201)
  const [{ id = 0 } = {}] = await pool<{ id: number }[]>`select id from forge.account where name = ${of}`
  const { opened } = await reaching(id, 0)
  assert.deepEqual(opened, { BIG: largest, VERBATIM: verbatim })
})

test(`${PUT} answers 422 to bodies that hold no data, and keeps nothing`, async () => {
  const of = await fresh()
  for (const [body, message] of [
    [{}, '[Data]: Required'],
    [{ data: '' }, '[Data]: Required'],
    [{ data: null, description: 'x' }, '[Data]: Required'],
    [{ description: 'x' }, '[Data]: Required'],
    [{ data: 7 }, '[]: cannot read data: expected string'],
    [{ data: ['x'] }, '[]: cannot read data: expected string'],
    [{ data: { a: 'x' } }, '[]: cannot read data: expected string'],
    [{ data: 'x', description: false }, '[]: cannot read description: expected string'],
    [['x'], '[]: the body is no JSON object'],
    ['', '[]: unexpected end of JSON input'],
    ['{', '[]: the body is not valid JSON'],
    ['{"data":"\\u0000"}', '[]: the body must not contain NUL characters'],
    ['{"data":"\\ud800"}', '[]: the body must not contain lone surrogates'],
    [null, '[Data]: Required'],
  ] as const)
    holdRefusal(await put('A', body === null ? 'null' : body, ada, of), 422, message)
  // An unreadable body is reported before an invalid name.
  holdRefusal(await put('a-b', {}, ada, of), 422, '[Data]: Required')
  assert.deepEqual(await names(of), [])
})

test(`${PUT} reads a form too`, async () => {
  const of = await fresh()
  const { status } = await call(PUT, {
    as: ada,
    params: { org: of, secretname: 'FORM' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ data: 'a&b', description: 'd' }).toString(),
  })
  assert.equal(status, 201)
  assert.equal((await list(ada, {}, of)).body[0].description, 'd')
})

test(`${PUT} keeps nothing that shows what the secret holds: not in the database, the trail or the log`, async () => {
  const of = await fresh()
  const data = 'the-plaintext-of-this-test'
  await put('QUIET', { data }, ada, of)
  await put('QUIET', { data: `${data}-too` }, ada, of)
  await put('a-b', { data }, ada, of)
  await put('QUIET', { data: [data] }, ada, of)
  const [row] = await pool<{ sealed: Buffer }[]>`
    select sealed from forge.secret join forge.account on account.id = secret.owner_id
    where account.name = ${of}`
  assert.ok(row)
  for (const text of ['latin1', 'base64', 'hex'] as const) {
    const plain = Buffer.from(data).toString(text).slice(0, 16)
    assert.ok(!row.sealed.toString(text).includes(plain))
  }
  const deeds = await pool<{ action: string; details: object }[]>`
    select action, details, target_kind, actor_name from forge.audit where target_name = ${of}
    and action like 'secret.%' order by id`
  assert.deepEqual(
    deeds.map((deed) => ({ ...deed })),
    ['secret.created', 'secret.updated'].map((action) => ({
      action,
      details: { name: 'QUIET' },
      target_kind: 'organization',
      actor_name: 'Ada',
    })),
  )
  const rows = await pool`select row_to_json(audit)::text as line from forge.audit`
  assert.ok(!rows.some(({ line }) => line.includes(data)))
  assert.ok(!JSON.stringify(app.log.lines()).includes(data))
})

test(`${PUT}: of many concurrent calls for one name, one creates it and the others replace it`, async () => {
  const of = await fresh()
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) => put(n % 2 ? 'RACE' : 'race', { data: `value ${n}` }, ada, of)),
  )
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, ...Array.from({ length: 23 }, () => 204)])
  const [{ id = 0 } = {}] = await pool<{ id: number }[]>`select id from forge.account where name = ${of}`
  const { opened } = await reaching(id, 0)
  assert.match(opened.RACE ?? '', /^value \d+$/)
})

test(`${PUT} and ${DELETE} of one name at once leave it or not, and answer nothing else`, async () => {
  const of = await fresh()
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      n % 2 ? put('FLAP', { data: 'x' }, ada, of) : remove('FLAP', ada, of),
    ),
  )
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  assert.equal(count(201) + count(204) + count(404), 24)
  const removed = answers.filter(({ status }, n) => n % 2 === 0 && status === 204).length
  const left = (await names(of)).length
  // Each removal deleted what one creation had created.
  assert.equal(count(201) - removed, left)
})

test(`${DELETE} ends a secret; whatever names none is 404`, async () => {
  const of = await fresh()
  await put('GONE', { data: 'x' }, ada, of)
  const { status, body } = await remove('gone', ada, of)
  assert.deepEqual([status, body], [204, undefined])
  for (const name of ['GONE', 'never', 'a-b', 'CI', 'GITHUB_X', '\0', 'x'.repeat(300)])
    holdRefusal(await remove(name, ada, of), 404, 'not found')
  const [deed] = await pool`
    select action, details from forge.audit where target_name = ${of} order by id desc limit 1`
  assert.deepEqual({ ...deed }, { action: 'secret.removed', details: { name: 'GONE' } })
})

test(`${LIST} shows names page by page in the order of creation`, async () => {
  const of = await fresh()
  for (const name of ['C', 'A', 'B']) await put(name, { data: 'x' }, ada, of)
  assert.deepEqual(await names(of), ['C', 'A', 'B'])
  const second = await list(ada, { page: 2, limit: 2 }, of)
  assert.deepEqual(
    second.body.map(({ name }: { name: string }) => name),
    ['B'],
  )
  assert.equal(second.headers.get('x-total-count'), '3')
  assert.match(second.headers.get('link') ?? '', /rel="first".*rel="prev"/)
  const beyond = await list(ada, { page: 9 }, of)
  assert.deepEqual([beyond.status, beyond.body, beyond.headers.get('x-total-count')], [200, [], '3'])
  assert.deepEqual((await list(ada, {}, await fresh())).body, [])
})

for (const literal of [LIST, PUT, DELETE]) {
  test(`${literal} is for owners and administrators, with a token that reaches organizations`, async () => {
    const member = await make.person()
    const manager = await make.person()
    await make.team(org, [member])
    await make.team(org, [manager], { permission: 'admin' })
    const ask = (as: As | undefined, of = 'guild') =>
      call(literal, {
        ...(as && { as }),
        params: literal === LIST ? { org: of } : { org: of, secretname: 'NONE' },
        ...(literal === PUT && { body: { data: 'x' } }),
      })
    for (const who of [eve, member, manager])
      holdRefusal(await ask(who), 403, 'Must be an organization owner')
    holdRefusal(await ask(undefined), 401, 'token is required')
    if (literal === DELETE) await put('NONE', { data: 'x' })
    const done = { [LIST]: 200, [PUT]: 201, [DELETE]: 204 }[literal]
    assert.equal((await ask(boss)).status, done)
    holdRefusal(await ask(boss, 'nobody'), 404, 'not found')
    holdRefusal(await ask(boss, 'ada'), 404, 'not found')
    const wide = bearer(await make.token(ada, literal === LIST ? 'read:organization' : 'write:organization'))
    assert.notEqual((await ask(wide)).status, 403)
    const narrow = bearer(await make.token(ada, literal === LIST ? 'write:repository' : 'read:organization'))
    assert.match((await ask(narrow)).body.message, /^token does not have at least one of required scope/)
    const hidden = await make.organization(ada, { visibility: 'limited' })
    const limited = bearer(await make.token(ada, 'all', 'public-only'))
    holdRefusal(await ask(limited, hidden.name), 403, 'token scope is limited to public orgs')
    await remove('NONE')
  })
}

test(`${LIST} under a former name of the organization leads to the new one`, async () => {
  const of = await fresh()
  await call('POST /api/v1/orgs/{org}/rename', {
    as: ada,
    params: { org: of },
    body: { new_name: `${of}-new` },
  })
  const { status, headers } = await list(ada, {}, of)
  assert.equal(status, 307)
  assert.match(headers.get('location') ?? '', new RegExp(`/orgs/${of}-new/actions/secrets$`))
})

test(`${PUT_REPO}, ${LIST_REPO} and ${DELETE_REPO}: the owner keeps secrets of a repository`, async () => {
  await repository('kept')
  const at = { owner: 'ada', repo: 'kept' }
  const own = (secretname: string, as: As = ada) =>
    call(PUT_REPO, { as, params: { ...at, secretname }, body: { data: 'x' } })
  assert.deepEqual([(await own('A')).status, (await own('a')).status], [201, 204])
  holdRefusal(await own('CI'), 400, 'invalid variable or secret name')
  const listed = await call(LIST_REPO, { as: ada, params: at })
  assert.deepEqual(
    listed.body.map(({ name }: { name: string }) => name),
    ['A'],
  )
  const refusal = 'user should be the owner of the repo'
  holdRefusal(await own('A', eve), 403, refusal)
  holdRefusal(await call(LIST_REPO, { as: eve, params: at }), 403, refusal)
  holdRefusal(await call(DELETE_REPO, { as: eve, params: { ...at, secretname: 'A' } }), 403, refusal)
  holdRefusal(await call(LIST_REPO, { params: at }), 401, 'token is required')
  holdRefusal(await call(LIST_REPO, { as: ada, params: { ...at, repo: 'none' } }), 404, 'not found')
  const narrow = bearer(await make.token(ada, 'read:repository'))
  assert.equal((await own('A', narrow)).status, 403)
  const [deed] = await pool`
    select target_kind, target_name from forge.audit where action = 'secret.created' order by id desc limit 1`
  assert.deepEqual({ ...deed }, { target_kind: 'repository', target_name: 'Ada/kept' })
  assert.equal((await call(DELETE_REPO, { as: ada, params: { ...at, secretname: 'a' } })).status, 204)
  holdRefusal(await call(DELETE_REPO, { as: ada, params: { ...at, secretname: 'a' } }), 404, 'not found')
})

test(`${PUT_OWN}, ${LIST_OWN} and ${DELETE_OWN}: everybody keeps secrets of their own`, async () => {
  const bob = await make.person()
  const own = (as: As) => call(PUT_OWN, { as, params: { secretname: 'mine' }, body: { data: 'x' } })
  assert.deepEqual([(await own(bob)).status, (await own(bob)).status], [201, 204])
  assert.equal((await call(LIST_OWN, { as: bob })).body[0].name, 'MINE')
  assert.deepEqual((await call(LIST_OWN, { as: eve })).body, [])
  holdRefusal(await call(LIST_OWN), 401, 'token is required')
  holdRefusal(await call(DELETE_OWN, { as: eve, params: { secretname: 'mine' } }), 404, 'not found')
  const narrow = bearer(await make.token(bob, 'read:user'))
  assert.equal((await own(narrow)).status, 403)
  assert.equal((await call(LIST_OWN, { as: narrow })).status, 200)
  assert.equal((await call(DELETE_OWN, { as: bob, params: { secretname: 'mine' } })).status, 204)
})

test('jobs receive the secrets of owner and repository; that of the repository wins', async () => {
  const bob = await make.person()
  const near = await repository('near', bob)
  const far = await repository('far', bob)
  const own = (secretname: string, data: string) =>
    call(PUT_OWN, { as: bob, params: { secretname }, body: { data } })
  const of = (repo: string, secretname: string, data: string) =>
    call(PUT_REPO, { as: bob, params: { owner: bob.name, repo, secretname }, body: { data } })
  await of('near', 'BOTH', 'of the repository')
  await own('BOTH', 'of the owner')
  await own('WIDE', 'of the owner')
  await of('far', 'OTHER', 'of another repository')
  assert.deepEqual((await reaching(bob.id, near.id)).opened, {
    BOTH: 'of the repository',
    WIDE: 'of the owner',
  })
  assert.deepEqual((await reaching(bob.id, far.id)).opened, {
    BOTH: 'of the owner',
    WIDE: 'of the owner',
    OTHER: 'of another repository',
  })
})

test('a secret that cannot be decrypted is left out with a log line, and no secret of the owner replaces it', async () => {
  const bob = await make.person()
  const repo = await repository('lost', bob)
  const own = (secretname: string) =>
    call(PUT_OWN, { as: bob, params: { secretname }, body: { data: 'own' } })
  await own('SAME')
  await own('WELL')
  await call(PUT_REPO, {
    as: bob,
    params: { owner: bob.name, repo: 'lost', secretname: 'SAME' },
    body: { data: 'of the repository' },
  })
  // Moved from another row: what is sealed names its own.
  await pool`
    update forge.secret set sealed = (select sealed from forge.secret where owner_id = ${bob.id} and name = 'SAME')
    where repository_id = ${repo.id}`
  const moved = await reaching(bob.id, repo.id)
  assert.deepEqual(moved.opened, { WELL: 'own' })
  assert.equal(moved.lines.length, 1)
  assert.match(JSON.stringify(moved.lines[0]), /"name":"SAME"/)
  const { opened, lines } = await reaching(
    bob.id,
    repo.id,
    createSecrets(['another key, also long enough to be one']),
  )
  assert.deepEqual(opened, {})
  assert.equal(lines.length, 3)
})

test('secrets go with their owner and with their repository', async () => {
  const bob = await make.person()
  await repository('doomed', bob)
  const left = async () =>
    (
      await pool<{ name: string }[]>`select name from forge.secret where name like 'DOOMED%' order by name`
    ).map(({ name }) => name)
  await call(PUT_OWN, { as: bob, params: { secretname: 'DOOMED_OWN' }, body: { data: 'x' } })
  await call(PUT_REPO, {
    as: bob,
    params: { owner: bob.name, repo: 'doomed', secretname: 'DOOMED_REPO' },
    body: { data: 'x' },
  })
  assert.deepEqual(await left(), ['DOOMED_OWN', 'DOOMED_REPO'])
  await call('DELETE /api/v1/repos/{owner}/{repo}', { as: bob, params: { owner: bob.name, repo: 'doomed' } })
  assert.deepEqual(await left(), ['DOOMED_OWN'])
  await call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: bob.name } })
  assert.deepEqual(await left(), [])
})

test('secrets are found by indexes', { skip: !onServer }, async () => {
  await pool`
    insert into forge.secret (owner_id, repository_id, name, description, sealed, created_at, updated_at)
    select account.id, null, 'BULK_' || n, '', '', account.created_at, account.created_at
    from forge.account, generate_series(1, 2000) as n`
  await pool`vacuum analyze forge.secret`
  const scope = { owner_id: org.id, repository_id: null }
  const plans = [
    ...(await plansOf(database, (sql) => pageOfSecrets(sql, scope, { page: 1, limit: 50 }))),
    ...(await plansOf(database, (sql) =>
      secretsForJobs(
        sql,
        { owner: 0, repository: 0 },
        { secrets: testSecrets, log: createLog('silent', keepLines()) },
      ),
    )),
  ]
  assert.equal(plans.length, 2)
  for (const plan of plans) assert.ok(!plan.includes('Seq Scan on secret'), plan)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import disk from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { type As, bearer } from '../../support/forge/make.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: folder })
const { call, pool, make } = app
const boss = await make.admin({ name: 'boss', full_name: 'The Boss' })
const [ada, eve] = await make.people('Ada', 'eve')

const createFor = 'POST /api/v1/admin/users/{username}/repos'
const createMine = 'POST /api/v1/user/repos'
const inOrg = 'POST /api/v1/orgs/{org}/repos'
const show = 'GET /api/v1/repos/{owner}/{repo}'
const edit = 'PATCH /api/v1/repos/{owner}/{repo}'
const remove = 'DELETE /api/v1/repos/{owner}/{repo}'
const search = 'GET /api/v1/repos/search'

const give = (body: unknown, as: As = boss, username = 'ada') =>
  call(createFor, { as, params: { username }, body })
const mine = (body: unknown, as: As = ada) => call(createMine, { as, body })
const look = (owner: string, repo: string, as?: As) =>
  call(show, { params: { owner, repo }, ...(as && { as }) })
const change = (repo: string, body: unknown, as: As = ada) =>
  call(edit, { as, params: { owner: 'ada', repo }, body })
const directory = (owner: string, name: string) => join(folder, 'repositories', owner, `${name}.git`)
const git = (path: string, ...args: string[]) =>
  execFileSync('git', ['-C', path, ...args], {
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  })
const events = async () =>
  (await queuedMessages(pool)).map(
    ({ event, payload }) => `${event} ${payload.action ?? ''} ${payload.repository.full_name}`,
  )
const rows = async (key: string) => (await pool`select id from forge.repository where key = ${key}`).length

test(`${createFor} creates an empty repository, emits an event, and records it`, async () => {
  const { status, body } = await give({ name: 'Plain' })
  assert.equal(status, 201)
  assert.deepEqual(
    [body.full_name, body.empty, body.private, body.default_branch, body.branch_count, body.watchers_count],
    ['Ada/Plain', true, false, 'main', 0, 1],
  )
  assert.deepEqual(body.permissions, { admin: true, push: true, pull: true })
  assert.equal(body.clone_url, 'https://forgehall.example/Ada/Plain.git')
  assert.equal(body.ssh_url, 'git@forgehall.example:Ada/Plain.git')
  assert.deepEqual(
    [body.owner.is_admin, body.owner.login_name, body.archived_at],
    [false, '', '1970-01-01T00:00:00Z'],
  )
  assert.equal(git(directory('ada', 'plain'), 'symbolic-ref', 'HEAD'), 'refs/heads/main\n')
  assert.ok((await events()).includes('repository created Ada/Plain'))
  const [deed] =
    await pool`select actor_name from forge.audit where action = 'repository.created' and target_id = ${body.id}`
  assert.equal(deed?.actor_name, 'boss')
})

test(`${createFor} with auto_init makes one commit by the caller with README, gitignore and licence`, async () => {
  const { status, body } = await give({
    name: 'full',
    description: 'What it is',
    auto_init: true,
    gitignores: 'Go,Node',
    license: 'MIT',
    default_branch: 'trunk',
    object_format_name: 'sha256',
    issue_labels: 'Default',
    private: true,
    template: true,
  })
  assert.equal(status, 201)
  assert.deepEqual(
    [
      body.empty,
      body.default_branch,
      body.branch_count,
      body.object_format_name,
      body.licenses,
      body.has_actions,
    ],
    [false, 'trunk', 1, 'sha256', ['MIT'], false],
  )
  const path = directory('ada', 'full')
  assert.equal(
    git(path, 'log', '--format=%an <%ae> %s', 'trunk'),
    `The Boss <${boss.email}> Initial commit\n`,
  )
  assert.equal(git(path, 'show', 'trunk:README.md'), '# full\n\nWhat it is')
  assert.match(git(path, 'show', 'trunk:.gitignore'), /^# ---> Go\n.*\n# ---> Node\n/s)
  const license = git(path, 'show', 'trunk:LICENSE')
  assert.ok(license.includes(`${app.clock.now().getUTCFullYear()} Ada`), license.slice(0, 200))
  const labels = await pool`select name from forge.repository_label where repository_id = ${body.id}`
  assert.ok(labels.length > 3)
  git(path, 'fsck', '--strict')
})

test(`${createFor} refuses invalid values and leaves nothing behind`, async () => {
  const refused = [
    [
      { name: 'x', auto_init: true, readme: 'Other' },
      400,
      'readme template does not exist, available templates: [Default]',
    ],
    [{ name: 'x', auto_init: true, license: 'NONE-1' }, 422, 'license template "NONE-1" not found'],
    [{ name: 'x', auto_init: true, gitignores: 'Go,Nope' }, 422, 'gitignore template "Nope" not found'],
    [
      { name: 'x', issue_labels: 'Nope' },
      422,
      'failed to load label template file "Nope": label template "Nope" not found',
    ],
    [{ name: 'x', license: 'NONE-1' }, 422, 'license template "NONE-1" not found'],
    [{ name: '' }, 422, '[Name]: Required'],
    [{}, 422, '[Name]: Required'],
    [{ name: null }, 422, '[Name]: Required'],
    [{ name: 'a/b' }, 422, '[Name]: AlphaDashDot'],
    [{ name: 'x\r\n' }, 422, '[Name]: AlphaDashDot'],
    [{ name: 'x\0' }, 422, '[]: the body must not contain NUL characters'],
    [{ name: 'x'.repeat(101) }, 422, '[Name]: MaxSize'],
    [{ name: 'x.wiki' }, 422, 'name pattern is not allowed [pattern: *.wiki]'],
    [{ name: 'x.GIT' }, 422, 'name pattern is not allowed [pattern: *.git]'],
    [{ name: '..' }, 422, 'name is reserved [name: ..]'],
    [{ name: '-' }, 422, 'name is reserved [name: -]'],
    [{ name: 'x', default_branch: 'a..b' }, 422, '[DefaultBranch]: GitRefName'],
    [{ name: 'x', object_format_name: 'md5' }, 422, '[ObjectFormatName]: In'],
  ] as const
  for (const [body, status, message] of refused) {
    const answer = await give(body)
    assert.deepEqual([answer.status, answer.body.message], [status, message])
  }
  for (const body of [{ name: 7 }, { name: ['x'] }, { name: 'x', private: 'true' }, [], 'x', '']) {
    assert.equal((await give(body)).status, 422)
  }
  for (const name of ['a..b', '-x']) {
    const { status } = await give({ name })
    assert.equal(status, 422, name)
  }
  assert.equal(await rows('x'), 0)
  assert.ok(!existsSync(directory('ada', 'x')))
})

const creating: readonly [string, Record<string, string>, string][] = [
  [createFor, { username: 'ada' }, 'ada'],
  [createMine, {}, 'boss'],
  [inOrg, { org: 'licensed' }, 'licensed'],
  ['POST /api/v1/org/{org}/repos', { org: 'licensed' }, 'licensed'],
]

for (const [at, [literal, params, owner]] of creating.entries()) {
  test(`${literal} with a licence and without auto_init makes an empty repository`, async () => {
    if (owner === 'licensed' && !(await pool`select from forge.account where key = 'licensed'`).length)
      await make.organization(boss, { name: 'licensed' })
    const name = `licensed${at}`
    const create = (license: unknown, more = {}) =>
      call(literal, { as: boss, params, body: { name, license, ...more } })
    const unknown = await create('NONE-1')
    assert.deepEqual([unknown.status, unknown.body.message], [422, 'license template "NONE-1" not found'])
    for (const wrong of ['mit', ' MIT', 'x'.repeat(101), 7, ['MIT']])
      assert.equal((await create(wrong)).status, 422, String(wrong))
    assert.equal(await rows(name), 0)
    const { status, body } = await create('MIT', { auto_init: false })
    assert.deepEqual([status, body.empty, body.licenses, body.branch_count], [201, true, [], 0])
    assert.equal(git(directory(owner, name), 'for-each-ref'), '')
  })
}

test(`${createFor} is for administrators, and needs an account that exists`, async () => {
  assert.equal((await give({ name: 'x' }, ada)).status, 403)
  assert.equal((await give({ name: 'x' }, bearer(await make.token(boss, 'read:admin')))).status, 403)
  assert.equal((await call(createFor, { params: { username: 'ada' }, body: { name: 'x' } })).status, 401)
  const { status, body } = await give({ name: 'x' }, boss, 'Nobody')
  assert.deepEqual([status, body.message], [404, 'user redirect does not exist [name: nobody]'])
})

test(`${createMine} refuses a taken name and an unknown README`, async () => {
  assert.equal((await mine({ name: 'taken' })).status, 201)
  assert.equal((await mine({ name: 'Taken' })).status, 409)
  assert.equal((await mine({ name: 'other', auto_init: true, readme: 'Other' })).status, 400)
  assert.equal(await rows('other'), 0)
})

test(`${createFor} by concurrent requests for one name: one succeeds, the others get 409`, async () => {
  const answers = await Promise.all(['race', 'Race', 'RACE', 'race'].map((name) => give({ name })))
  const statuses = answers.map(({ status }) => status).sort()
  assert.deepEqual(statuses, [201, 409, 409, 409])
  assert.equal(await rows('race'), 1)
  const again = await give({ name: 'race' })
  assert.match(again.body.message, /same name already exist/)
})

test(`${createFor} refuses a directory that exists already`, async () => {
  mkdirSync(directory('ada', 'foreign'), { recursive: true })
  assert.equal((await give({ name: 'foreign' })).status, 409)
  assert.equal(await rows('foreign'), 0)
  assert.ok(existsSync(directory('ada', 'foreign')))
})

test(`${createMine} limits the number of repositories of users, but not of administrators`, async () => {
  const few = await make.person({ name: 'few' })
  await pool`update forge.account set max_repo_creation = 1 where id = ${few.id}`
  const answers = await Promise.all([mine({ name: 'one' }, few), mine({ name: 'two' }, few)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 403])
  const told = answers.find(({ status }) => status === 403)
  assert.equal(told?.body.message, 'user has reached maximum limit of repositories [limit: 1]')
  assert.equal((await give({ name: 'three' }, boss, 'few')).status, 201)
  assert.equal((await mine({ name: 'x' }, bearer(await make.token(few, 'write:user')))).status, 403)
  assert.equal((await call(createMine, { body: { name: 'x' } })).status, 401)
})

test('POST /api/v1/org/{org}/repos, the deprecated path, answers as the current one', async () => {
  const guild = await make.organization(ada)
  const create = (literal: string, name: string) =>
    call(literal, { as: ada, params: { org: guild.name }, body: { name, private: true } })
  const former = await create('POST /api/v1/org/{org}/repos', 'x1')
  const present = await create(inOrg, 'x2')
  assert.deepEqual([former.status, present.status], [201, 201])
  const { id: _, created_at: __, updated_at: ___, ...rest } = former.body
  const { id: ____, created_at: _____, updated_at: ______, ...other } = present.body
  assert.deepEqual(JSON.parse(JSON.stringify(rest).replaceAll('x1', 'x2')), other)
})

for (const [literal, taken, misread] of [
  [inOrg, 409, 400],
  ['POST /api/v1/org/{org}/repos', 422, 422],
] as const) {
  test(`${literal} is for owners and for teams that may create, who then administer the new repository`, async () => {
    const guild = await make.organization(ada)
    const team = await make.team(guild, [eve])
    const create = (name: string, as?: As) =>
      call(literal, { params: { org: guild.name }, body: { name }, ...(as && { as }) })
    assert.equal((await create('by-owner', ada)).status, 201)
    const denied = await create('by-member', eve)
    assert.equal(denied.status, 403)
    assert.equal(denied.body.message, 'User is not allowed to create repositories in this organization.')
    await pool`update forge.team set can_create_repositories = true where id = ${team.id}`
    assert.equal((await create('by-member', eve)).status, 201)
    assert.equal((await look(guild.name, 'by-member', eve)).body.permissions.admin, true)
    assert.equal((await look(guild.name, 'by-owner', eve)).body.permissions.admin, false)
    const again = await create('by-member', ada)
    assert.deepEqual(
      [again.status, again.body.message],
      [taken, 'The repository with the same name already exists.'],
    )
    assert.equal((await create('x.git', ada)).status, 422)
    assert.equal((await create('x')).status, 401)
    assert.equal((await create('x', bearer(await make.token(ada, 'write:organization')))).status, 403)
    const nobody = await call(literal, { as: ada, params: { org: 'nobody' }, body: { name: 'x' } })
    assert.deepEqual([nobody.status, nobody.body.message], [404, 'not found'])
    const person = await call(literal, { as: ada, params: { org: 'eve' }, body: { name: 'x' } })
    assert.equal(person.status, 404)
    const readme = await call(literal, {
      as: ada,
      params: { org: guild.name },
      body: { name: 'x', auto_init: true, readme: 'x' },
    })
    assert.equal(readme.status, misread)
  })
}

test(`${show} shows public repositories to all, private ones to those who may read them`, async () => {
  await mine({ name: 'open' })
  await mine({ name: 'secret', private: true })
  const open = await look('ADA', 'OPEN')
  assert.equal(open.status, 200)
  assert.deepEqual(open.body.permissions, { admin: false, push: false, pull: true })
  assert.equal((await look('ada', 'secret')).status, 404)
  assert.equal((await look('ada', 'secret', eve)).status, 404)
  assert.equal((await look('ada', 'secret', ada)).body.permissions.admin, true)
  assert.equal((await look('ada', 'secret', boss)).status, 200)
  assert.equal((await look('ada', 'secret', bearer(await make.token(ada, 'public-only', 'all')))).status, 403)
  assert.equal((await look('ada', 'open', bearer(await make.token(ada, 'read:user')))).status, 403)
  for (const repo of ['none', 'open.git', '%2e%2e', 'a\0b', "o'pen", 'x'.repeat(200)])
    assert.equal((await look('ada', repo, boss)).status, 404, repo)
  const byId = 'GET /api/v1/repositories/{id}'
  assert.deepEqual((await call(byId, { params: { id: open.body.id } })).body, open.body)
  const secret = await look('ada', 'secret', ada)
  assert.equal((await call(byId, { params: { id: secret.body.id }, as: eve })).status, 404)
  for (const id of ['0', '-1', 'x', '99999999999999999999'])
    assert.equal((await call(byId, { params: { id }, as: boss })).status, 404)
})

test(`${show} answers concurrent callers each with their own view, after the last change`, async () => {
  const { body: made } = await mine({ name: 'shared' })
  const byId = 'GET /api/v1/repositories/{id}'
  const all = async () => {
    const asked = [ada, eve, boss, undefined, ada, eve, boss, undefined].flatMap((as) => [
      look('ada', 'shared', as),
      call(byId, { params: { id: made.id }, ...(as && { as }) }),
    ])
    return (await Promise.all(asked)).map(({ status, body }) => ({ status, ...body }))
  }
  const before = await all()
  const [owners, readers] = [
    { admin: true, push: true, pull: true },
    { admin: false, push: false, pull: true },
  ]
  assert.deepEqual(
    before.map(({ status, permissions }) => [status, permissions]),
    [owners, readers, owners, readers, owners, readers, owners, readers].flatMap((each) => [
      [200, each],
      [200, each],
    ]),
  )
  assert.deepEqual(await all(), before)
  await change('shared', { description: 'Told anew', archived: true })
  const edit = { params: { username: 'ada' }, as: boss, body: { login_name: 'Ada', source_id: 0 } }
  await call('PATCH /api/v1/admin/users/{username}', { ...edit, body: { ...edit.body, full_name: 'Ada L.' } })
  for (const { description, archived, owner } of await all())
    assert.deepEqual([description, archived, owner.full_name], ['Told anew', true, 'Ada L.'])
  await call(remove, { as: ada, params: { owner: 'ada', repo: 'shared' } })
  for (const { status } of await all()) assert.equal(status, 404)
})

test(`${show} shows members the access that their teams grant`, async () => {
  const guild = await make.organization(ada)
  await call(inOrg, { as: ada, params: { org: guild.name }, body: { name: 'hall', private: true } })
  const team = await make.team(guild, [eve], { permission: 'write' })
  assert.equal((await look(guild.name, 'hall', eve)).status, 404)
  await pool`update forge.team set includes_all_repositories = true where id = ${team.id}`
  assert.deepEqual((await look(guild.name, 'hall', eve)).body.permissions, {
    admin: false,
    push: true,
    pull: true,
  })
  const mineNow = await call('GET /api/v1/user/repos', { as: eve, query: { limit: 50 } })
  assert.ok(mineNow.body.some((row: { full_name: string }) => row.full_name === `${guild.name}/hall`))
})

/** Has one of the disk's functions find no place while `work` is done. */
async function withoutPlace<Result>(
  t: TestContext,
  name: 'mkdir' | 'open',
  work: () => Promise<Result>,
): Promise<Result> {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const { mock } = t.mock.method(disk, name, () => Promise.reject(full))
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    mock.restore()
    syncBuiltinESMExports()
  }
}

test(`${createMine}: a full disk is 507 and leaves nothing; the next request succeeds`, async (t) => {
  const { status, body } = await withoutPlace(t, 'mkdir', () => mine({ name: 'tight' }))
  assert.equal(status, 507)
  assert.equal(body.message, 'the server has no place left for repositories')
  assert.equal(await rows('tight'), 0)
  assert.equal((await mine({ name: 'tight' })).status, 201)
})

test(`${edit}: a disk that is full before HEAD is written is 507, and the branch stays`, async (t) => {
  await mine({ name: 'tight-head' })
  const changed = () => change('tight-head', { default_branch: 'trunk' })
  assert.equal((await withoutPlace(t, 'open', changed)).status, 507)
  assert.equal((await look('ada', 'tight-head', ada)).body.default_branch, 'main')
  assert.equal((await changed()).body.default_branch, 'trunk')
})

test(`${edit} changes the members of the request, moves the directory with a new name, and redirects requests`, async () => {
  const { body: made } = await mine({ name: 'before', description: 'a' })
  const { enable_time_tracker, allow_only_contributors_to_track_time } = made.internal_tracker
  assert.deepEqual(
    [made.has_wiki, made.has_projects, enable_time_tracker, allow_only_contributors_to_track_time],
    [false, false, false, false],
  )
  const { status, body } = await change('before', {
    name: 'After',
    website: 'https://example.org/',
    private: true,
    archived: true,
    has_wiki: true,
    default_merge_style: 'squash',
    default_branch: 'next',
  })
  assert.equal(status, 200)
  assert.deepEqual(
    [body.id, body.name, body.description, body.website, body.private, body.archived, body.has_wiki],
    [made.id, 'After', 'a', 'https://example.org/', true, true, true],
  )
  assert.deepEqual([body.default_merge_style, body.default_branch, body.has_issues], ['squash', 'next', true])
  assert.notEqual(body.archived_at, '1970-01-01T00:00:00Z')
  assert.equal(git(directory('ada', 'after'), 'symbolic-ref', 'HEAD'), 'refs/heads/next\n')
  assert.ok(!existsSync(directory('ada', 'before')))
  const moved = await look('ada', 'before', ada)
  assert.equal(moved.status, 307)
  assert.equal(moved.headers.get('location'), '/api/v1/repos/ada/After')
  assert.equal((await change('after', { archived: false })).body.archived_at, '1970-01-01T00:00:00Z')
  assert.equal((await change('after', {})).status, 200)
  assert.equal((await mine({ name: 'before' })).status, 201)
  assert.equal((await look('ada', 'before', ada)).status, 200)
})

test(`${edit} switches pull requests off and on`, async () => {
  const { body } = await mine({ name: 'pulled' })
  assert.equal(body.has_pull_requests, true)
  assert.equal((await change('pulled', { has_pull_requests: false })).body.has_pull_requests, false)
  assert.equal((await change('pulled', { has_pull_requests: true })).body.has_pull_requests, true)
  assert.equal((await change('pulled', { has_pull_requests: 'yes' })).status, 422)
})

test(`${edit} refuses bad values, taken names, and callers who may not`, async () => {
  await mine({ name: 'edited', auto_init: true })
  git(directory('ada', 'edited'), 'branch', 'other', 'main')
  assert.equal((await change('edited', { name: 'OPEN', default_branch: 'other' })).status, 409)
  assert.equal(git(directory('ada', 'edited'), 'symbolic-ref', 'HEAD'), 'refs/heads/main\n')
  // A name that no directory can have would leave the files where they are for ever, and their name taken.
  for (const name of ['x.git', '-x', 'a..b']) assert.equal((await change('edited', { name })).status, 422)
  assert.equal((await change('edited', { default_branch: 'nowhere' })).status, 422)
  for (const body of [
    { website: 'x' },
    { private: 'yes' },
    { name: 7 },
    { default_merge_style: 'x' },
    [],
    '',
  ])
    assert.equal((await change('edited', body)).status, 422)
  assert.equal((await change('edited', { description: 'x' }, eve)).status, 403)
  assert.equal((await change('secret', { description: 'x' }, eve)).status, 404)
  assert.equal((await call(edit, { params: { owner: 'ada', repo: 'edited' }, body: {} })).status, 401)
  const { body } = await look('ada', 'edited', ada)
  assert.deepEqual([body.name, body.description, body.default_branch], ['edited', '', 'main'])
})

test(`${remove} removes row and directory, emits an event, and frees the name`, async () => {
  await mine({ name: 'gone', auto_init: true })
  const drop = (as?: As) => call(remove, { params: { owner: 'ada', repo: 'gone' }, ...(as && { as }) })
  assert.equal((await drop()).status, 401)
  assert.equal((await drop(eve)).status, 403)
  const answers = await Promise.all([drop(ada), drop(ada)])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404])
  assert.ok(!existsSync(directory('ada', 'gone')))
  assert.equal(await rows('gone'), 0)
  assert.equal((await events()).filter((each) => each === 'repository deleted Ada/gone').length, 1)
  assert.equal((await drop(ada)).status, 404)
  assert.equal((await mine({ name: 'gone' })).status, 201)
})

test('a user or organization that owns repositories is not deleted, but purged with their directories', async () => {
  const rich = await make.person({ name: 'rich' })
  const firm = await make.organization(rich, { name: 'firm' })
  await mine({ name: 'gold' }, rich)
  await call(inOrg, { as: rich, params: { org: 'firm' }, body: { name: 'desk' } })
  const kept = await call('DELETE /api/v1/orgs/{org}', { as: rich, params: { org: 'firm' } })
  assert.deepEqual(
    [kept.status, kept.body.message],
    [422, `user still has ownership of repositories [uid: ${firm.id}]`],
  )
  const drop = 'DELETE /api/v1/admin/users/{username}'
  const refused = await call(drop, { as: boss, params: { username: 'rich' } })
  assert.deepEqual(
    [refused.status, refused.body.message],
    [422, `user still has ownership of repositories [uid: ${rich.id}]: gold`],
  )
  const purged = await call(drop, { as: boss, params: { username: 'rich' }, query: { purge: 'true' } })
  assert.equal(purged.status, 204)
  assert.ok(!existsSync(directory('rich', 'gold')) && !existsSync(directory('firm', 'desk')))
  assert.equal((await rows('gold')) + (await rows('desk')), 0)
})

test('the directories of a renamed user move, unless another directory exists there', async () => {
  const old = await make.person({ name: 'old-name' })
  await mine({ name: 'one' }, old)
  await mine({ name: 'two' }, old)
  mkdirSync(directory('new-name', 'two'), { recursive: true })
  const rename = 'POST /api/v1/admin/users/{username}/rename'
  const answer = await call(rename, {
    as: boss,
    params: { username: 'old-name' },
    body: { new_username: 'New-Name' },
  })
  assert.equal(answer.status, 204)
  assert.ok(existsSync(directory('new-name', 'one')) && !existsSync(directory('old-name', 'one')))
  assert.ok(existsSync(directory('old-name', 'two')))
  assert.equal((await look('new-name', 'two')).status, 200)
})

test('a repository whose creation a crash interrupted is completed if its directory exists, and deleted if not', async () => {
  const { repositories } = app.app.tools.gitService
  const place = { owner: 'ada', name: 'crashed' }
  assert.ok((await repositories.create({ ...place, branch: 'main' })).ok)
  for (const key of ['crashed', 'never']) {
    await pool`
      insert into forge.repository
        (owner_id, name, folder_owner, folder_name, is_private, default_branch, object_format, created_at, updated_at)
      values (${ada.id}, ${key}, 'ada', ${key}, false, 'main', 'sha1', ${app.clock.now()}, ${app.clock.now()})`
  }
  await mine({ name: 'half-gone' })
  await pool`update forge.repository set state = 'removing', owner_id = null where key = 'half-gone'`
  assert.equal((await look('ada', 'crashed', ada)).status, 404)
  await app.app.repairRepositories(app.clock.now())
  assert.equal(await rows('never'), 1, 'what began just now may still be in the making')
  app.clock.tick(1)
  await app.app.repairRepositories(app.clock.now())
  assert.equal((await look('ada', 'crashed', ada)).status, 200)
  assert.ok((await events()).includes('repository created Ada/crashed'))
  assert.equal((await rows('never')) + (await rows('half-gone')), 0)
  assert.ok(!existsSync(directory('ada', 'half-gone')))
})

test('lists of an owner show the repositories that the reader may see, last changed first, with total and links', async () => {
  const lister = await make.person({ name: 'lister' })
  for (const name of ['c', 'a', 'b']) {
    app.clock.tick(1000)
    await mine({ name, private: name === 'a' }, lister)
  }
  const names = (answer: { body: { name: string }[] }) => answer.body.map(({ name }) => name)
  const literal = 'GET /api/v1/users/{username}/repos'
  const params = { username: 'lister' }
  assert.deepEqual(names(await call(literal, { params })), ['b', 'c'])
  assert.deepEqual(names(await call(literal, { params, as: lister })), ['b', 'a', 'c'])
  const page = await call(literal, { params, as: lister, query: { limit: 2, page: 2 } })
  assert.deepEqual(names(page), ['c'])
  assert.equal(page.headers.get('x-total-count'), '3')
  assert.match(page.headers.get('link') ?? '', /rel="first"/)
  assert.deepEqual((await call(literal, { params, query: { page: 9 } })).body, [])
  assert.equal((await call(literal, { params: { username: 'nobody' } })).status, 404)
  assert.deepEqual(names(await call('GET /api/v1/user/repos', { as: lister })), ['a', 'b', 'c'])
  assert.equal((await call('GET /api/v1/user/repos')).status, 401)
  const guild = await make.organization(lister)
  await call(inOrg, { as: lister, params: { org: guild.name }, body: { name: 'in' } })
  assert.deepEqual(names(await call('GET /api/v1/orgs/{org}/repos', { params: { org: guild.name } })), ['in'])
  assert.equal((await call('GET /api/v1/orgs/{org}/repos', { params: { org: 'nobody' } })).status, 404)
  const as = bearer(await make.token(ada, 'read:organization'))
  assert.deepEqual(names(await call('GET /api/v1/orgs/{org}/repos', { as, params: { org: guild.name } })), [
    'in',
  ])
})

test(`${search} finds names under filters, and takes wildcards in a term literally`, async () => {
  const find = async (query: Record<string, string | number>, as?: As) => {
    const { status, body } = await call(search, { query, ...(as && { as }) })
    assert.equal(status, 200)
    return body.data.map(({ name }: { name: string }) => name)
  }
  await mine({ name: 'needle-one' })
  await mine({ name: 'Needle-two', private: true, template: true })
  assert.deepEqual(await find({ q: 'NEEDLE' }), ['needle-one'])
  assert.deepEqual(await find({ q: 'needle', sort: 'alpha', order: 'desc' }, ada), [
    'Needle-two',
    'needle-one',
  ])
  assert.deepEqual(await find({ q: 'needle', template: 'true' }, ada), ['Needle-two'])
  assert.deepEqual(await find({ q: 'needle', is_private: 'false' }, ada), ['needle-one'])
  assert.deepEqual(await find({ q: 'needle', uid: eve.id, exclusive: 'true' }, ada), [])
  assert.deepEqual(await find({ q: "needle'; --" }), [])
  assert.deepEqual(await find({ q: 'needle\\' }), [])
  assert.deepEqual(await find({ q: 'needle\0' }), [])
  for (const sort of ['created', 'updated', 'size', 'id']) await find({ sort })
  assert.equal((await call(search, { query: { sort: 'x' } })).status, 422)
  assert.equal((await call(search, { query: { sort: 'id', order: 'x' } })).status, 422)
})

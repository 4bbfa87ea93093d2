import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { type As, bearer } from '../../../support/forge/make.ts'
import { until } from '../../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, make, clock } = await startApp({ DATA_DIR: folder })
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('Ada', 'eve')
const guild = await make.organization(ada, { name: 'guild' })
const hidden = await make.organization(boss, { name: 'hidden', visibility: 'private' })

const generate = 'POST /api/v1/repos/{owner}/{repo}/generate'
const template = { owner: 'ada', repo: 'model' }

const make_ = (body: unknown, as: As = ada, params = template) => call(generate, { as, params, body })
const made = (name: string, more: object = {}, as: As = ada) =>
  make_({ owner: as === ada ? 'Ada' : 'eve', name, git_content: true, ...more }, as)
const directory = (owner: string, name: string) => join(folder, 'repositories', owner, `${name}.git`)
const git = (name: string, ...args: string[]) =>
  execFileSync('git', ['-C', directory('ada', name), ...args], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  })
const encoded = (text: string | Buffer) => Buffer.from(text).toString('base64')
const write = async (repo: string, files: Record<string, string | Buffer>) => {
  const changes = Object.entries(files).map(([path, content]) => {
    return { operation: 'upload', path, content: encoded(content) }
  })
  const params = { owner: 'ada', repo }
  const { status } = await call('POST /api/v1/repos/{owner}/{repo}/contents', {
    as: ada,
    params,
    body: { files: changes },
  })
  assert.equal(status, 201)
}
const begin = async (name: string, more: object = {}) =>
  assert.equal(
    (await call('POST /api/v1/user/repos', { as: ada, body: { name, template: true, ...more } })).status,
    201,
  )

await begin('model', { description: 'The model', issue_labels: 'Default', license: 'MIT', auto_init: true })
await write('model', { 'src/deep/a.txt': 'A $REPO_NAME', 'run.sh': 'echo $HOME' })
await call('PUT /api/v1/repos/{owner}/{repo}/topics', {
  as: ada,
  params: template,
  body: { topics: ['alpha', 'beta'] },
})
await call('POST /api/v1/repos/{owner}/{repo}/branch_protections', {
  as: ada,
  params: template,
  body: {
    rule_name: 'main',
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_usernames: ['Ada'],
  },
})
await call('POST /api/v1/repos/{owner}/{repo}/hooks', {
  as: ada,
  params: template,
  body: {
    type: 'gitea',
    active: false,
    config: { url: 'https://hook.example/a', content_type: 'json', secret: 's' },
  },
})

test(`${generate} creates a repository with one commit of the files, without history`, async () => {
  const { status, body } = await made('Copy', { description: 'Mine', private: true })
  assert.equal(status, 201)
  assert.deepEqual(
    [body.full_name, body.description, body.private, body.template, body.empty, body.branch_count],
    ['Ada/Copy', 'Mine', true, false, false, 1],
  )
  assert.deepEqual([body.topics, body.licenses, body.default_branch], [[], ['MIT'], 'main'])
  assert.equal(git('copy', 'log', '--format=%an <%ae> %s'), 'Ada <Ada@example.com> Initial commit\n')
  assert.equal(git('copy', 'rev-parse', 'main^{tree}'), git('model', 'rev-parse', 'main^{tree}'))
  assert.equal(git('copy', 'fsck', '--strict'), '')
  assert.equal(existsSync(join(directory('ada', 'copy'), 'objects/info/alternates')), false)
  assert.deepEqual(
    readdirSync(join(directory('ada', 'copy'), 'objects')).filter((name) => name.length === 2),
    [],
  )
  // Nothing of the template is needed.
  const reading = { as: ada, params: { owner: 'ada', repo: 'Copy', filepath: 'src/deep/a.txt' } }
  const file = await call('GET /api/v1/repos/{owner}/{repo}/contents/{filepath...}', reading)
  assert.equal(Buffer.from(String(file.body.content), 'base64').toString(), 'A $REPO_NAME')
  const [{ details }] = await pool<[{ details: unknown }]>`
    select details from forge.audit where action = 'repository.created' order by id desc limit 1`
  assert.deepEqual(details, { private: true, template: 'Ada/model' })
})

test(`${generate} copies topics, labels, rules and webhooks if the request names them`, async () => {
  const all = { topics: true, labels: true, protected_branch: true, webhooks: true, git_hooks: true }
  const { status, body } = await make_({ owner: 'Ada', name: 'full', ...all })
  assert.deepEqual([status, body.empty, body.topics], [201, true, ['alpha', 'beta']])
  const params = { owner: 'ada', repo: 'full' }
  const [labels, ofModel] = await Promise.all(
    [params, template].map((of) => call('GET /api/v1/repos/{owner}/{repo}/labels', { params: of })),
  )
  const plain = ({ id, url, ...label }: Record<string, unknown>) => label
  assert.deepEqual(labels?.body.map(plain), ofModel?.body.map(plain))
  assert.ok(labels?.body.length)
  const rules = await call('GET /api/v1/repos/{owner}/{repo}/branch_protections', { as: ada, params })
  assert.deepEqual(
    rules.body.map(({ rule_name, push_whitelist_usernames }: Record<string, unknown>) => [
      rule_name,
      push_whitelist_usernames,
    ]),
    [['main', ['Ada']]],
  )
  const hooks = await call('GET /api/v1/repos/{owner}/{repo}/hooks', { as: ada, params })
  assert.deepEqual(
    hooks.body.map(({ config, active }: { config: { url: string }; active: boolean }) => [
      config.url,
      active,
    ]),
    [['https://hook.example/a', false]],
  )
  const topics = await call('GET /api/v1/topics/search', { query: { q: 'alpha' } })
  assert.equal(topics.body.topics[0].repo_count, 2)
})

test(`${generate} and POST /user/repos leave out webhooks that no key decrypts`, async () => {
  await begin('locked')
  const hookOf = (secret: string, url: string) => ({
    type: 'gitea',
    config: { url, content_type: 'json', secret },
  })
  for (const url of ['https://hook.example/lost', 'https://hook.example/kept']) {
    const { status } = await call('POST /api/v1/repos/{owner}/{repo}/hooks', {
      as: ada,
      params: { owner: 'ada', repo: 'locked' },
      body: hookOf(url.endsWith('lost') ? 's' : '', url),
    })
    assert.equal(status, 201)
  }
  const site = await call('POST /api/v1/admin/hooks', {
    as: boss,
    body: hookOf('s', 'https://hook.example/default'),
  })
  assert.equal(site.status, 201)
  await pool`
    update forge.hook set secret = set_byte(secret, 3, 255 - get_byte(secret, 3))
    where scope = 'default' or repository_id = (select id from forge.repository where key = 'locked')`
  const { status } = await make_({ owner: 'ada', name: 'unlocked', webhooks: true }, ada, {
    owner: 'ada',
    repo: 'locked',
  })
  assert.equal(status, 201)
  await begin('ordinary')
  for (const [repo, expected] of [
    ['unlocked', ['https://hook.example/kept']],
    ['ordinary', []],
  ] as const) {
    const params = { owner: 'ada', repo }
    const { body } = await call('GET /api/v1/repos/{owner}/{repo}/hooks', { as: ada, params })
    assert.deepEqual(
      body.map(({ config }: { config: { url: string } }) => config.url),
      expected,
    )
  }
  await call('DELETE /api/v1/admin/hooks/{id}', { as: boss, params: { id: site.body.id } })
})

test(`${generate} copies only the items that the request names`, async () => {
  const { body } = await make_({ owner: 'ada', name: 'bare', git_hooks: true })
  assert.deepEqual([body.empty, body.topics, body.default_branch], [true, [], 'main'])
  const params = { owner: 'ada', repo: 'bare' }
  for (const list of ['labels', 'hooks', 'branch_protections'] as const)
    assert.deepEqual(
      (await call(`GET /api/v1/repos/{owner}/{repo}/${list}`, { as: ada, params })).body,
      [],
      list,
    )
})

test(`${generate} puts the commit on the branch of the request`, async () => {
  const { body } = await made('branched', { default_branch: 'dev/one' })
  assert.equal(body.default_branch, 'dev/one')
  assert.equal(git('branched', 'for-each-ref', '--format=%(refname)'), 'refs/heads/dev/one\n')
  assert.equal(git('branched', 'symbolic-ref', 'HEAD'), 'refs/heads/dev/one\n')
  assert.equal((await made('bad', { default_branch: 'a..b' })).status, 422)
})

test(`${generate} expands and excludes files by .gitea/template`, async () => {
  await begin('plan', { description: 'A plan', object_format_name: 'sha256' })
  const odd = Buffer.from([0xff, 0x24, 0x59, 0x45, 0x41, 0x52, 0xfe])
  await write('plan', {
    '.gitea/template': '# what to do\n**.md\nsrc/*\n\n[exclude]\nsecret\n*.tmp\n[other]\n[broken\n',
    'README.md':
      '# $REPO_NAME by ${REPO_OWNER}, ${UNKNOWN} $$HOME $ ${ ${} ${TEMPLATE_NAME_UPPER}-$YEAR-$MONTH-$DAY',
    'src/${REPO_NAME_SNAKE}.txt': '$REPO_NAME_KEBAB $REPO_NAME_CAMEL $REPO_NAME_PASCAL $REPO_NAME_TITLE',
    'src/deep/$REPO_NAME': '$REPO_NAME',
    'src/bytes': odd,
    'src/large': `${'x'.repeat(1024 * 1024)}$YEAR`,
    'secret/a': 'a',
    'secret/b/c': 'c',
    'x.tmp': 'x',
    'kept.txt': '$REPO_NAME $REPO_LINK',
    'links.md': '$REPO_LINK $REPO_HTTPS_URL $REPO_SSH_URL $REPO_DESCRIPTION $TEMPLATE_DESCRIPTION',
  })
  const { status } = await made('my-NewTool', { description: 'Mine é' }, ada)
  assert.equal(status, 201)
  const expanded = await make_(
    { owner: 'ada', name: 'my-NewTool2', description: 'Mine é', git_content: true },
    ada,
    { owner: 'ada', repo: 'plan' },
  )
  assert.equal(expanded.status, 201)
  const show = (path: string) => git('my-newtool2', 'show', `main:${path}`)
  assert.deepEqual(git('my-newtool2', 'ls-tree', '-r', '--name-only', 'main').trim().split('\n'), [
    'README.md',
    'kept.txt',
    'links.md',
    'src/bytes',
    'src/deep/$REPO_NAME',
    'src/large',
    'src/my_new_tool2.txt',
  ])
  const today = clock.now().toISOString().slice(0, 10)
  const left = '$' + '{'
  assert.equal(show('README.md'), `# my-NewTool2 by Ada, UNKNOWN $HOME $  ${left} PLAN-${today}`)
  assert.equal(show('src/my_new_tool2.txt'), 'my-new-tool2 myNewTool2 MyNewTool2 My-NewTool2')
  assert.equal(show('src/deep/$REPO_NAME'), '$REPO_NAME')
  assert.equal(show('kept.txt'), '$REPO_NAME $REPO_LINK')
  assert.equal(
    show('links.md'),
    '/Ada/my-NewTool2 https://forgehall.example/Ada/my-NewTool2.git git@forgehall.example:Ada/my-NewTool2.git Mine é A plan',
  )
  assert.equal(show('src/large').slice(-5), '$YEAR')
  const bytes = execFileSync('git', ['-C', directory('ada', 'my-newtool2'), 'show', 'main:src/bytes'])
  assert.deepEqual(bytes, Buffer.from(`\xff${today.slice(0, 4)}\xfe`, 'latin1'))
  assert.equal(git('my-newtool2', 'fsck', '--strict'), '')
})

test(`${generate} replaces characters that file systems do not accept, and refuses two files of one name`, async () => {
  await begin('names')
  await write('names', { '.gitea/template': '*\n', '${TEMPLATE_DESCRIPTION}x': '1' })
  const from = { owner: 'ada', repo: 'names' }
  const edit = (description: string) =>
    call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: from, body: { description } })
  const files = async (name: string) => {
    assert.equal((await make_({ owner: 'ada', name, git_content: true }, ada, from)).status, 201)
    return git(name, 'ls-tree', '-r', '--name-only', 'main')
  }
  await edit('../a:b/')
  assert.equal(await files('names1'), '__/a_b/x\n')
  await edit('.git/')
  assert.equal(await files('names2'), '_git/x\n')
  await edit('')
  assert.equal(await files('names3'), 'x\n')
  await write('names', { 'y/z': '2' })
  await edit('y/z/')
  const { status, body } = await make_({ owner: 'ada', name: 'names4', git_content: true }, ada, from)
  assert.deepEqual(
    [status, body.message],
    [422, 'the template has a file and a folder of one name [path: y/z]'],
  )
})

test(`${generate} makes an empty repository of an empty template`, async () => {
  await begin('void')
  const { status, body } = await make_({ owner: 'ada', name: 'void2', git_content: true }, ada, {
    owner: 'ada',
    repo: 'void',
  })
  assert.deepEqual([status, body.empty], [201, true])
})

test(`${generate} is for owners, and for those who may create in an organization`, async () => {
  const owned = await make_({ owner: 'guild', name: 'by-owner', labels: true })
  assert.deepEqual([owned.status, owned.body.full_name], [201, 'guild/by-owner'])
  const collaborators = async (repo: string) =>
    (
      await call('GET /api/v1/repos/{owner}/{repo}/collaborators', {
        as: boss,
        params: { owner: 'guild', repo },
      })
    ).body.map(({ login }: { login: string }) => login)
  assert.deepEqual(await collaborators('by-owner'), [])
  const refusal = async (owner: string, as: As, name = 'refused') => {
    const { status, body } = await make_({ owner, name, labels: true }, as)
    return [status, body.message]
  }
  assert.deepEqual(await refusal('guild', eve), [
    403,
    'Given user is not allowed to create repository in organization.',
  ])
  assert.deepEqual(await refusal('ada', eve), [403, 'Only admin can generate repository for other user.'])
  const unknown = (name: string) => [404, `request owner \`${name}\` does not exist`]
  assert.deepEqual(await refusal('nobody', eve), unknown('nobody'))
  assert.deepEqual(await refusal('', eve), unknown(''))
  assert.deepEqual(await refusal(hidden.name, eve), unknown('hidden'))
  assert.equal((await make_({ owner: 'eve', name: 'for-eve', labels: true }, boss)).status, 201)
  await make.team(guild, [eve], { can_create_repositories: true })
  assert.equal((await make_({ owner: 'guild', name: 'by-eve', labels: true }, eve)).status, 201)
  assert.deepEqual(await collaborators('by-eve'), ['eve'])
  const open = bearer(await make.token(boss, 'public-only', 'write:repository', 'write:user'))
  assert.equal((await make_({ owner: 'hidden', name: 'open', labels: true }, open)).status, 403)
})

test(`${generate} is for those who may read the template; its webhooks are for its administrators`, async () => {
  await begin('closed', { private: true })
  const params = { owner: 'ada', repo: 'closed' }
  assert.equal((await make_({ owner: 'eve', name: 'mine', labels: true }, eve, params)).status, 404)
  assert.equal((await call(generate, { params: template, body: { owner: 'eve', name: 'mine' } })).status, 401)
  const { status, body } = await made('mine', { webhooks: true }, eve)
  assert.deepEqual(
    [status, body.message],
    [403, 'only an administrator of the template may copy its webhooks'],
  )
  assert.equal((await made('mine', {}, eve)).status, 201)
})

test(`${generate} refuses a repository that is no template, and invalid names`, async () => {
  const refusal = async (body: object, params = template) => {
    const { status, body: answer } = await make_({ owner: 'ada', ...body }, ada, params)
    return [status, answer.message]
  }
  assert.deepEqual(await refusal({ name: 'x' }), [422, 'must select at least one template item'])
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'plain' } })
  assert.deepEqual(await refusal({ name: 'x', labels: true }, { owner: 'ada', repo: 'plain' }), [
    422,
    'this is not a template repo',
  ])
  assert.deepEqual(await refusal({ name: 'plain', labels: true }), [
    409,
    'The repository with the same name already exists.',
  ])
  for (const name of ['', 'a b', '.', 'x'.repeat(101)])
    assert.equal((await refusal({ name, labels: true }))[0], 422, name)
  await pool`update forge.account set max_repo_creation = 0 where id = ${eve.id}`
  assert.equal((await made('more', {}, eve)).status, 403)
  const [{ count }] = await pool<[{ count: number }]>`
    select count(*) as count from forge.repository where state <> 'ready'`
  assert.equal(count, 0)
})

test(`${generate} leaves a complete repository when the server ends before the last step`, async () => {
  const rest = { labels: true, topics: true, protected_branch: true }
  await pool.unsafe(`
    create function refuse_audit() returns trigger language plpgsql as $$
    begin raise exception 'made up' using errcode = '53100'; end $$;
    create trigger refuse before insert on forge.audit for each row execute function refuse_audit()`)
  assert.equal((await made('broken', rest)).status, 503)
  await pool.unsafe('drop trigger refuse on forge.audit; drop function refuse_audit()')
  clock.tick(3_600_000)
  await call('POST /api/v1/admin/cron/{task}', { as: boss, params: { task: 'repair_repos' } })
  const params = { owner: 'ada', repo: 'broken' }
  const show = () => call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params })
  await until('the repository is there', async () => (await show()).status === 200)
  assert.deepEqual((await show()).body.topics, ['alpha', 'beta'])
  const labels = await call('GET /api/v1/repos/{owner}/{repo}/labels', { params })
  assert.ok(labels.body.length > 0)
  assert.equal(git('broken', 'rev-parse', 'main^{tree}'), git('model', 'rev-parse', 'main^{tree}'))
})

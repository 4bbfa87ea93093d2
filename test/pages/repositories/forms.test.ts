import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'
import { browserOf, hostile, send } from '../browser.ts'
import { led, refused } from '../forms.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { url, call } = app
const make = makersFor(app)
const ada = await make.person({ name: 'ada' })
const [eve] = await make.people('eve', 'bob')
await make.organization(ada, { name: 'guild' })
const owner = await signedIn(app, 'ada')
const visitor = await signedIn(app, 'eve')

const repositoryOf = async (path: string) => {
  const [name = '', repo = ''] = path.split('/')
  return (await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: name, repo } })).body
}

test('POST /repo/create creates a repository with what was chosen', async () => {
  const page = await owner.page('/repo/create')
  for (const name of ['owner', 'license', 'gitignores', 'issue_labels'])
    assert.match(page, new RegExp(`name="${name}"`))
  assert.match(page, /<option value="guild">/)
  const fields = {
    owner: 'ada',
    name: 'engine',
    description: 'It runs',
    license: 'MIT',
    private: 'on',
    default_branch: 'trunk',
  }
  assert.equal(await led(owner, '/repo/create', fields), '/ada/engine')
  const made = await repositoryOf('ada/engine')
  assert.deepEqual(
    [made.private, made.default_branch, made.empty, made.description],
    [true, 'trunk', false, 'It runs'],
  )
  assert.match(await refused(owner, '/repo/create', fields), /id="name-fault"[\s\S]*|already exists/)
  assert.equal(
    await led(owner, '/repo/create', { owner: 'guild', name: 'tools', is_template: 'on', auto_init: 'on' }),
    '/guild/tools',
  )
  assert.equal((await repositoryOf('guild/tools')).template, true)
  assert.equal(await led(owner, '/repo/create', { name: 'bare' }), '/ada/bare')
  assert.equal((await repositoryOf('ada/bare')).empty, true)
})

test('POST /repo/create begins from a template', async () => {
  assert.match(await visitor.page('/guild/tools'), /repo\/create\?template=guild%2Ftools/)
  assert.match(
    await visitor.page('/repo/create?template=guild/tools'),
    /labels and topics of <strong>guild\/tools/,
  )
  const fields = { owner: 'eve', name: 'mine', template: 'guild/tools' }
  assert.equal(await led(visitor, '/repo/create', fields), '/eve/mine')
  assert.equal((await repositoryOf('eve/mine')).empty, false)
  for (const template of ['nobody/nothing', 'ada/engine', 'x', '/', '../..'])
    await refused(visitor, '/repo/create', { ...fields, name: 'other', template })
})

test('POST /repo/create says what is wrong, and keeps what was written', async () => {
  for (const broken of [
    { name: '' },
    { name: 'a b' },
    { name: '..' },
    { name: 'x'.repeat(101) },
    { name: 'x', default_branch: 'a..b' },
    { name: 'x', description: 'x'.repeat(2049) },
    { name: 'x', owner: 'nobody' },
    { name: 'x', license: 'Nothing' },
  ])
    await refused(owner, '/repo/create', broken)
  await refused(visitor, '/repo/create', { owner: 'guild', name: 'x' }, 403)
  await refused(visitor, '/repo/create', { owner: 'ada', name: 'x' })
  for (const text of hostile) {
    await owner.page(`/repo/create?owner=${encodeURIComponent(text)}&template=${encodeURIComponent(text)}`)
    assert.ok((await refused(owner, '/repo/create', { name: text, description: text })).length > 0)
  }
})

test('POST /{owner}/{repo} stars, watches and forks', async () => {
  const path = '/guild/tools'
  for (const [action, end] of [
    ['star', 'unstar'],
    ['watch', 'unwatch'],
  ] as const) {
    assert.equal(await led(visitor, path, { action }), path)
    assert.equal(await led(visitor, path, { action }), path)
    assert.match(await visitor.page(path), new RegExp(`name="action" value="${end}"`))
    await led(visitor, path, { action: end })
    assert.match(await visitor.page(path), new RegExp(`name="action" value="${action}"`))
  }
  assert.equal(await led(visitor, path, { action: 'fork', owner: 'eve', name: 'fork' }), '/eve/fork')
  assert.equal((await repositoryOf('eve/fork')).fork, true)
  await refused(visitor, path, { action: 'fork', owner: 'eve', name: 'fork' })
  await refused(visitor, path, { action: 'fork', owner: 'guild', name: 'other' }, 403)
  await refused(visitor, path, { action: 'fork', owner: 'eve', name: 'a b' })
  for (const action of ['', 'delete', 'toString'])
    assert.equal((await visitor.post(path, { action })).status, 400)
  assert.equal((await visitor.post('/ada/engine', { action: 'star' })).status, 404)
  assert.doesNotMatch(await browserOf(url).page(path), /name="action" value="star"/)
})

test('POST /{owner}/{repo} brings what is new in the original into a fork', async () => {
  const [original, fork] = ['/guild/tools', '/eve/fork']
  const update = { action: 'update', branch: 'main' }
  assert.match(await visitor.page(fork), /name="action" value="update"/)
  for (const page of [
    await visitor.page(original),
    await owner.page(original),
    await browserOf(url).page(fork),
  ])
    assert.doesNotMatch(page, /name="action" value="update"/)
  await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    as: ada,
    params: { owner: 'guild', repo: 'tools', filepath: 'news.txt' },
    body: { content: Buffer.from('new').toString('base64') },
  })
  for (const _ of ['new', 'up to date'])
    assert.equal(await led(visitor, fork, update), `${fork}/commits/branch/main`)
  assert.match(await visitor.page(fork), /src\/branch\/main\/news\.txt/)
  await refused(owner, original, update)
  for (const branch of ['none', ...hostile]) await refused(visitor, fork, { ...update, branch })
  await make.person({ name: 'mallory' })
  await refused(await signedIn(app, 'mallory'), fork, update, 403)
  for (const [as, repository, text] of [
    [ada, 'guild/tools', 'one'],
    [eve, 'eve/fork', 'other'],
  ] as const) {
    const [owner = '', repo = ''] = repository.split('/')
    const body = { content: Buffer.from(text).toString('base64') }
    const params = { owner, repo, filepath: 'both.txt' }
    await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', { as, params, body })
  }
  assert.match(
    await refused(visitor, fork, update),
    /have changed the same lines, in both\.txt: merge them in a clone/,
  )
})

test('POST /{owner}/{repo}/settings changes a repository', async () => {
  const at = '/ada/bare/settings'
  assert.match(await owner.page('/ada/bare'), /\/ada\/bare\/settings">Settings/)
  assert.match(await owner.page(at), /name="description"/)
  const general = {
    action: 'edit',
    name: 'bared',
    description: 'New',
    website: 'https://a.example/',
    default_branch: '',
  }
  assert.equal(await led(owner, at, general), '/ada/bared/settings?done=edited')
  assert.match(
    await owner.page('/ada/bared/settings?done=edited'),
    /role="status"[^>]*>The repository was changed/,
  )
  const now = '/ada/bared/settings'
  assert.match(
    await refused(owner, now, { ...general, website: 'javascript:alert(1)' }),
    /id="website-fault"/,
  )
  await refused(owner, now, { ...general, name: 'engine' })
  await led(owner, now, { action: 'topics', topics: 'one two, three' })
  assert.deepEqual((await repositoryOf('ada/bared')).topics, ['one', 'three', 'two'])
  await refused(owner, now, { action: 'topics', topics: '!!' })
  await led(owner, now, { action: 'units', has_code: 'on', has_issues: 'on' })
  await led(owner, now, { action: 'merges', allow_squash_merge: 'on' })
  const changed = await repositoryOf('ada/bared')
  assert.deepEqual(
    [
      changed.has_issues,
      changed.has_releases,
      changed.allow_squash_merge,
      changed.allow_merge_commits,
      changed.website,
    ],
    [true, false, true, false, 'https://a.example/'],
  )
  await led(owner, now, { action: 'archive' })
  assert.equal((await repositoryOf('ada/bared')).archived, true)
  await led(owner, now, { action: 'restore' })
  assert.equal((await repositoryOf('ada/bared')).archived, false)
  for (const action of ['', 'x', 'constructor']) assert.equal((await owner.post(now, { action })).status, 400)
  for (const text of hostile) await refused(owner, now, { ...general, name: text, website: text })
})

test('POST /{owner}/{repo}/settings deletes what is named, for its owner alone', async () => {
  const at = '/ada/bared/settings'
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { owner: 'ada', repo: 'bared', collaborator: 'bob' },
    body: { permission: 'admin' },
  })
  const helper = await signedIn(app, 'bob')
  assert.doesNotMatch(await helper.page(at), /name="confirmation"/)
  await refused(helper, at, { action: 'delete', confirmation: 'ada/bared' }, 403)
  for (const confirmation of ['', 'ada', 'bared', 'ada/engine'])
    assert.match(await refused(owner, at, { action: 'delete', confirmation }), /id="confirmation-fault"/)
  await refused(owner, at, { action: 'transfer', new_owner: 'nobody' })
  assert.equal(await led(owner, at, { action: 'transfer', new_owner: 'eve' }), '/ada/bared')
  assert.equal(await led(owner, at, { action: 'delete', confirmation: 'ada/bared' }), '/ada')
  assert.equal(await owner.statusOf('/ada/bared'), 404)
})

test('POST /{owner}/{repo} accepts a repository that is offered, refuses it, and withdraws the offer', async () => {
  const recipient = await signedIn(app, 'eve')
  for (const name of ['given', 'refused', 'kept']) {
    await call('POST /api/v1/user/repos', { as: ada, body: { name, private: true, auto_init: true } })
    await led(owner, `/ada/${name}/settings`, { action: 'transfer', new_owner: 'eve' })
    assert.match(
      await recipient.page(`/ada/${name}`),
      /is offered to you[\s\S]*value="accept"[\s\S]*value="reject"/,
    )
    assert.match(await owner.page(`/ada/${name}`), /Withdraw the offer/)
  }
  assert.equal(
    (await refused(owner, '/ada/given', { action: 'accept' }, 403)).includes('Nothing was changed'),
    true,
  )
  assert.equal(await led(recipient, '/ada/given', { action: 'accept' }), '/eve/given')
  assert.equal(await recipient.statusOf('/eve/given'), 200)
  assert.equal(await led(recipient, '/ada/refused', { action: 'reject' }), '/')
  assert.equal(await led(owner, '/ada/kept', { action: 'reject' }), '/ada/kept')
  for (const name of ['refused', 'kept']) {
    assert.equal(await recipient.statusOf(`/ada/${name}`), 404)
    assert.doesNotMatch(await owner.page(`/ada/${name}`), /Withdraw/)
  }
})

test('the settings are for administrators of the repository, and forms wait for who is not signed in', async () => {
  assert.equal(await visitor.statusOf('/guild/tools/settings'), 403)
  assert.equal((await visitor.post('/guild/tools/settings', { action: 'archive' })).status, 403)
  for (const path of ['/guild/tools/settings', '/repo/create'])
    assert.equal((await browserOf(url).get(path)).status, 303)
  for (const path of ['/guild/tools/settings', '/repo/create', '/guild/tools']) {
    const response = await send(url, path, { action: 'archive', name: 'what I wrote' })
    assert.equal(response.status, 401, path)
    assert.match(await response.text(), /name="kept.name" value="what I wrote"/)
  }
  assert.equal((await repositoryOf('guild/tools')).archived, false)
})

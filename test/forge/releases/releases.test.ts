import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { printDate } from '../../../src/forge/protocol/time.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, pool, make, clock, url } = await startApp({ DATA_DIR: join(folder, 'data') })
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')

const R = '/api/v1/repos/{owner}/{repo}/releases'
const [LIST, CREATE, LATEST] = [`GET ${R}`, `POST ${R}`, `GET ${R}/latest`]
const [GET, EDIT, DELETE] = [`GET ${R}/{id}`, `PATCH ${R}/{id}`, `DELETE ${R}/{id}`]
const [TAGGED, DELETE_TAGGED] = [`GET ${R}/tags/{tag}`, `DELETE ${R}/tags/{tag}`]

let made = 0
/** A repository of ada with one commit on `main`, and its directory. */
async function repository(more: Record<string, unknown> = {}) {
  const name = `r${++made}`
  const body = { name, auto_init: true, ...more }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  return { name, path: join(folder, 'data', 'repositories', 'ada', `${name}.git`) }
}
type Repo = Awaited<ReturnType<typeof repository>>

interface More {
  as?: As | undefined
  id?: number
  tag?: string
  body?: unknown
  query?: Record<string, string>
}
const ask = (literal: string, { name }: Repo, { id = 0, tag = '', ...given }: More = {}) => {
  const { as, ...more } = { as: ada, ...given }
  return call(literal, { ...(as && { as }), params: { owner: 'ada', repo: name, id, tag }, ...more })
}
const create = async (repo: Repo, body: Record<string, unknown>) => {
  const answered = await ask(CREATE, repo, { body })
  assert.equal(answered.status, 201, JSON.stringify(answered.body))
  return answered.body
}
const edit = (repo: Repo, body: Record<string, unknown>) =>
  call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo: repo.name }, body })

const tagsIn = async ({ path }: Repo) => (await clientOk(path, 'tag')).split('\n').filter(Boolean)
const tagNames = ({ body }: { body: { tag_name: string }[] }) => body.map(({ tag_name }) => tag_name)

/** What webhooks are told of a repository's releases, in order. */
const told = async ({ name }: Repo) =>
  (await queuedMessages(pool))
    .filter(({ event, payload }) => event === 'release' && payload.repository.name === name)
    .map(({ payload: { action, release } }) => `${action} ${release.tag_name}`)

test(`${CREATE} makes the tag, emits an event, and ${GET} shows the release as lists do`, async () => {
  const repo = await repository()
  const head = await clientOk(repo.path, 'rev-parse', 'main')
  const { body, status } = await ask(CREATE, repo, {
    body: { tag_name: 'v1/rc', name: 'One', body: '*notes*', tag_message: 'signed off' },
  })
  assert.equal(status, 201)
  assert.equal(await clientOk(repo.path, 'rev-parse', 'v1/rc^{commit}'), head)
  assert.equal(await clientOk(repo.path, 'cat-file', '-t', 'v1/rc'), 'tag')
  const root = `https://forgehall.example/`
  const url = `${root}api/v1/repos/ada/${repo.name}/releases/${body.id}`
  const { author, created_at, published_at, ...rest } = body
  assert.deepEqual(rest, {
    id: body.id,
    tag_name: 'v1/rc',
    target_commitish: 'main',
    name: 'One',
    body: '*notes*',
    url,
    html_url: `${root}ada/${repo.name}/releases/tag/v1/rc`,
    tarball_url: `${root}ada/${repo.name}/archive/v1/rc.tar.gz`,
    zipball_url: `${root}ada/${repo.name}/archive/v1/rc.zip`,
    upload_url: `${url}/assets`,
    draft: false,
    prerelease: false,
    assets: [],
  })
  assert.deepEqual([author.login, created_at], ['ada', published_at])
  assert.deepEqual((await ask(GET, repo, { id: body.id })).body, body)
  assert.deepEqual((await ask(TAGGED, repo, { tag: 'V1/RC' })).body, body)
  assert.deepEqual((await ask(LIST, repo)).body, [body])
  assert.deepEqual((await ask(LATEST, repo)).body, body)
  assert.deepEqual(await told(repo), ['published v1/rc'])
  const counted = await call('GET /api/v1/repos/{owner}/{repo}', {
    params: { owner: 'ada', repo: repo.name },
  })
  assert.equal(counted.body.release_counter, 1)
  const deeds = await pool`select action from forge.audit where target_name = ${`ada/${repo.name}/v1/rc`}`
  assert.deepEqual(
    deeds.map(({ action }) => action),
    ['release.created'],
  )
})

test(`${CREATE} uses an existing tag, with its time, and does not move it`, async () => {
  const repo = await repository()
  const old = await clientOk(repo.path, 'commit-tree', '-p', 'main', '-m', 'old', 'main^{tree}')
  await clientOk(repo.path, 'tag', 'old', old)
  const seconds = await clientOk(repo.path, 'log', '-1', '--format=%ct', old)
  const release = await create(repo, { tag_name: 'old', target_commitish: 'nowhere' })
  assert.equal(release.target_commitish, 'nowhere')
  assert.equal(Date.parse(release.created_at), Number(seconds) * 1000)
  assert.equal(await clientOk(repo.path, 'rev-parse', 'old'), old)
  assert.equal((await create(repo, { tag_name: 'new' })).created_at, printDate(clock.now()))
})

test(`${EDIT} publishes a draft at the time of the request, also on a tag that is there`, async () => {
  const repo = await repository()
  const old = await clientOk(repo.path, 'commit-tree', '-p', 'main', '-m', 'old', 'main^{tree}')
  await clientOk(repo.path, 'tag', 'old', old)
  const draft = await create(repo, { tag_name: 'old', draft: true })
  await create(repo, { tag_name: 'v1' })
  clock.tick(60_000)
  const published = await ask(EDIT, repo, { body: { draft: false }, id: draft.id })
  assert.deepEqual(
    [published.status, published.body.created_at, published.body.published_at],
    [200, printDate(clock.now()), printDate(clock.now())],
  )
  clock.tick(60_000)
  const renamed = await ask(EDIT, repo, { body: { name: 'again' }, id: draft.id })
  assert.equal(renamed.body.created_at, published.body.created_at)
})

test(`${CREATE} refuses invalid releases, and creates nothing`, async () => {
  const repo = await repository()
  await create(repo, { tag_name: 'v1' })
  await create(repo, { tag_name: 'draft', draft: true })
  for (const [body, status, message] of [
    [{}, 422, '[TagName]: Required'],
    [{ tag_name: 'a..b' }, 422, '[TagName]: GitRefName'],
    [{ tag_name: 'x'.repeat(256) }, 422, '[TagName]: MaxSize'],
    [{ tag_name: 'v2', target_commitish: 'nowhere' }, 404, 'target not found: nowhere'],
    [{ tag_name: 'v1' }, 409, 'Release is has no Tag'],
    [{ tag_name: 'V1' }, 409, 'Release is has no Tag'],
    [{ tag_name: 'draft' }, 409, 'Release is has no Tag'],
    [{ tag_name: 'v1/x' }, 409, 'the tag v1 is in the way'],
    [{ tag_name: 'v3', body: 'x'.repeat(131_073) }, 422, '[Note]: MaxSize'],
  ] as const) {
    const answered = await ask(CREATE, repo, { body })
    assert.deepEqual(
      [answered.status, answered.body.message],
      [status, message],
      JSON.stringify(body).slice(0, 80),
    )
  }
  assert.deepEqual([await tagsIn(repo), (await ask(LIST, repo)).body.length], [['v1'], 2])
  const empty = await repository({ auto_init: false })
  const answered = await ask(CREATE, empty, { body: { tag_name: 'v1' } })
  assert.deepEqual([answered.status, answered.body.message], [422, 'repo is empty'])
})

test(`${CREATE} by concurrent requests for one tag makes one release`, async () => {
  const repo = await repository()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ask(CREATE, repo, { body: { tag_name: 'v1' } })),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409])
  assert.deepEqual([await tagsIn(repo), (await ask(LIST, repo)).body.length], [['v1'], 1])
})

test('drafts have no tag, and only callers who may change releases see them', async () => {
  const repo = await repository()
  const { id } = await create(repo, { tag_name: 'next', draft: true })
  await create(repo, { tag_name: 'beta', prerelease: true })
  const reader = bearer(await make.token(ada, 'read:repository'))
  for (const as of [undefined, eve, reader]) {
    assert.deepEqual(tagNames(await ask(LIST, repo, { as })), ['beta'])
    assert.equal((await ask(GET, repo, { as, id })).status, 404)
    assert.equal((await ask(TAGGED, repo, { as, tag: 'next' })).status, 404)
  }
  assert.deepEqual(tagNames(await ask(LIST, repo, { as: boss })), ['beta', 'next'])
  assert.deepEqual(tagNames(await ask(LIST, repo, { query: { draft: 'true' } })), ['next'])
  assert.deepEqual(tagNames(await ask(LIST, repo, { query: { draft: 'false' } })), ['beta'])
  assert.deepEqual(tagNames(await ask(LIST, repo, { query: { 'pre-release': 'true' } })), ['beta'])
  assert.deepEqual(tagNames(await ask(LIST, repo, { query: { 'pre-release': 'false' } })), ['next'])
  assert.equal((await ask(LATEST, repo)).status, 404)
  assert.deepEqual([await tagsIn(repo), await told(repo)], [['beta'], ['published beta']])
  const published = await ask(EDIT, repo, { id, body: { draft: false } })
  assert.deepEqual([published.status, published.body.draft], [200, false])
  assert.deepEqual(await tagsIn(repo), ['beta', 'next'])
  assert.deepEqual(await told(repo), ['published beta', 'published next'])
  assert.equal((await ask(LATEST, repo)).body.id, id)
})

test(`${EDIT} changes the members of the request, makes a missing tag, and keeps the former one`, async () => {
  const repo = await repository()
  const { id } = await create(repo, { tag_name: 'v1', name: 'One', body: 'notes' })
  const same = await ask(EDIT, repo, { id, body: { name: '', body: '', prerelease: true } })
  assert.deepEqual([same.body.name, same.body.body, same.body.prerelease], ['One', 'notes', true])
  assert.equal((await ask(EDIT, repo, { id, body: { body: ' \n' } })).body.body, '')
  const moved = await ask(EDIT, repo, { id, body: { tag_name: 'v2', name: 'x'.repeat(300) } })
  assert.deepEqual([moved.body.tag_name, moved.body.name.length], ['v2', 255])
  assert.deepEqual(await tagsIn(repo), ['v1', 'v2'])
  assert.deepEqual(await told(repo), ['published v1', 'updated v1', 'updated v1', 'published v2'])
  await create(repo, { tag_name: 'v3' })
  for (const [body, status] of [
    [{ tag_name: 'V3' }, 409],
    [{ tag_name: 'a..b' }, 422],
    [{ tag_name: 'v4', target_commitish: 'nowhere' }, 404],
  ] as const)
    assert.equal((await ask(EDIT, repo, { id, body })).status, status)
  assert.deepEqual((await ask(GET, repo, { id })).body, moved.body)
  assert.equal((await ask(EDIT, repo, { id: 999_999, body: {} })).status, 404)
})

test(`${DELETE} and ${DELETE_TAGGED} leave the tag`, async () => {
  const repo = await repository()
  const [one] = [await create(repo, { tag_name: 'v1' }), await create(repo, { tag_name: 'v2' })]
  assert.equal((await ask(DELETE, repo, { id: one.id })).status, 204)
  assert.equal((await ask(DELETE, repo, { id: one.id })).status, 404)
  assert.equal((await ask(DELETE_TAGGED, repo, { tag: 'v2' })).status, 204)
  assert.equal((await ask(DELETE_TAGGED, repo, { tag: 'v2' })).status, 404)
  assert.deepEqual([await tagsIn(repo), (await ask(LIST, repo)).body], [['v1', 'v2'], []])
  assert.deepEqual((await told(repo)).slice(2), ['deleted v1', 'deleted v2'])
})

test('a release whose tag is deleted by a push becomes a draft', async () => {
  const repo = await repository()
  const { id } = await create(repo, { tag_name: 'v1' })
  const address = `${url.replace('//', `//ada:${ada.token}@`)}/ada/${repo.name}.git`
  await clientOk(repo.path, 'push', '-q', address, ':refs/tags/v1')
  assert.deepEqual([(await ask(GET, repo, { id })).body.draft, (await ask(LATEST, repo)).status], [true, 404])
  assert.equal((await ask(EDIT, repo, { id, body: { draft: false } })).body.draft, false)
  assert.deepEqual(await tagsIn(repo), ['v1'])
})

test('the tag of a release is not deleted by the API', async () => {
  const repo = await repository()
  await create(repo, { tag_name: 'v1' })
  const params = { owner: 'ada', repo: repo.name, tag: 'v1' }
  const answered = await call('DELETE /api/v1/repos/{owner}/{repo}/tags/{tag...}', { as: ada, params })
  const message = 'a tag attached to a release cannot be deleted directly'
  assert.deepEqual([answered.status, answered.body.message], [409, message])
  assert.equal((await ask(DELETE_TAGGED, repo, { tag: 'v1' })).status, 204)
  assert.equal(
    (await call('DELETE /api/v1/repos/{owner}/{repo}/tags/{tag...}', { as: ada, params })).status,
    204,
  )
})

test('changing releases requires write access, and no archived repository', async () => {
  const repo = await repository()
  const { id } = await create(repo, { tag_name: 'v1' })
  for (const [as, status] of [
    [undefined, 401],
    [eve, 403],
    [bearer(await make.token(ada, 'read:repository')), 403],
  ] as const) {
    assert.equal((await ask(CREATE, repo, { as, body: { tag_name: 'v2' } })).status, status)
    assert.equal((await ask(EDIT, repo, { as, id, body: { name: 'x' } })).status, status)
    assert.equal((await ask(DELETE, repo, { as, id })).status, status)
    assert.equal((await ask(DELETE_TAGGED, repo, { as, tag: 'v1' })).status, status)
  }
  await edit(repo, { archived: true })
  assert.equal((await ask(CREATE, repo, { body: { tag_name: 'v2' } })).status, 423)
  assert.equal((await ask(EDIT, repo, { id, body: { name: 'x' } })).status, 423)
  assert.equal((await ask(DELETE, repo, { id })).status, 423)
  assert.equal((await ask(DELETE_TAGGED, repo, { tag: 'v1' })).status, 423)
  assert.equal((await ask(GET, repo, { id })).body.name, '')
})

test('releases of a private repository are for its readers', async () => {
  const repo = await repository({ private: true })
  const { id } = await create(repo, { tag_name: 'v1' })
  for (const as of [undefined, eve]) {
    assert.equal((await ask(LIST, repo, { as })).status, 404)
    assert.equal((await ask(GET, repo, { as, id })).status, 404)
  }
  const other = await repository()
  assert.equal((await ask(GET, other, { id })).status, 404, 'a release of another repository')
})

test('a renamed repository keeps its releases, and deleting it deletes them', async () => {
  const repo = await repository()
  const { id } = await create(repo, { tag_name: 'v1' })
  await edit(repo, { name: `${repo.name}-new` })
  const renamed = { ...repo, name: `${repo.name}-new` }
  const { body } = await ask(GET, renamed, { id })
  assert.equal(body.html_url, `https://forgehall.example/ada/${renamed.name}/releases/tag/v1`)
  const params = { owner: 'ada', repo: renamed.name }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params })).status, 204)
  assert.equal((await ask(GET, renamed, { id })).status, 404)
})

test('a deleted author of a release is shown as the ghost', async () => {
  const repo = await repository()
  const gone = await make.admin({ name: 'gone' })
  const { body } = await ask(CREATE, repo, { as: gone, body: { tag_name: 'v1' } })
  const params = { username: 'gone' }
  assert.equal((await call('DELETE /api/v1/admin/users/{username}', { as: boss, params })).status, 204)
  assert.equal((await ask(GET, repo, { id: body.id })).body.author.login, 'Ghost')
})

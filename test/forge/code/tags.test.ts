import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, pool, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, eve] = await make.people('ada', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/tags'
const GET = 'GET /api/v1/repos/{owner}/{repo}/tags/{tag...}'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/tags'
const DELETE = 'DELETE /api/v1/repos/{owner}/{repo}/tags/{tag...}'

let made = 0
/** A repository of ada with one commit on `main`, and its directory. */
async function repository({ isEmpty = false, isPrivate = false } = {}) {
  const name = `r${++made}`
  const body = { name, auto_init: !isEmpty, private: isPrivate }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  const head = isEmpty ? '' : await clientOk(path, 'rev-parse', 'main')
  return { name, path, head }
}

interface More {
  as?: Somebody | undefined
  tag?: string
  body?: unknown
  query?: Record<string, string>
}
const ask = (literal: string, { name }: { name: string }, { tag = '', ...given }: More = {}) => {
  const { as, ...more } = { as: ada, ...given }
  return call(literal, { ...(as && { as }), params: { owner: 'ada', repo: name, tag }, ...more })
}

const refsIn = async (path: string) =>
  (await clientOk(path, 'for-each-ref', '--format=%(refname)', 'refs/tags')).split('\n').filter(Boolean)

test(`${CREATE} makes lightweight and annotated tags, which ${GET} and ${LIST} show`, async () => {
  const repo = await repository()
  const light = await ask(CREATE, repo, { body: { tag_name: 'v1/light' } })
  assert.deepEqual([light.status, light.body.id, light.body.message], [201, repo.head, 'Initial commit'])
  const body = { tag_name: 'v2', message: '# two\n\n  ünd more \n\n', target: repo.head.slice(0, 10) }
  const annotated = await ask(CREATE, repo, { body })
  assert.equal(annotated.status, 201)
  assert.equal(annotated.body.message, '# two\n\n  ünd more')
  assert.equal(annotated.body.commit.sha, repo.head)
  assert.equal(annotated.body.id, await clientOk(repo.path, 'rev-parse', 'v2'))
  assert.equal(await clientOk(repo.path, 'cat-file', '-t', 'v2'), 'tag')
  assert.match(await clientOk(repo.path, 'cat-file', '-p', 'v2'), /^tagger ada <ada@\S+> \d+ \+0000$/m)
  const anonymous = { as: undefined }
  assert.deepEqual((await ask(GET, repo, { ...anonymous, tag: 'v2' })).body, annotated.body)
  assert.deepEqual((await ask(GET, repo, { ...anonymous, tag: 'v1/light' })).body, light.body)
  const listed = await ask(LIST, repo, anonymous)
  const names = listed.body.map((tag: { name: string }) => tag.name)
  assert.deepEqual([names.toSorted(), listed.headers.get('x-total-count')], [['v1/light', 'v2'], '2'])
  assert.equal((await ask(LIST, repo, { query: { limit: '1', page: '2' } })).body.length, 1)
  assert.equal((await client(repo.path, 'fsck', '--strict')).code, 0)
})

test(`${LIST} leaves out tags without a commit, reads signed and nested ones, and is empty for an empty repository`, async () => {
  const repo = await repository()
  await clientOk(repo.path, 'tag', 'blob', `${repo.head}:README.md`)
  const signed = 'text\n-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n'
  await clientOk(repo.path, 'tag', '-a', 'inner', '-m', signed, 'main')
  await clientOk(repo.path, 'tag', '-a', 'outer', '-m', 'outer', 'inner')
  const { body } = await ask(LIST, repo)
  const shown = body.map(({ name, message, commit }: Record<string, { sha: string }>) => [
    name,
    message,
    commit?.sha,
  ])
  assert.deepEqual(shown.toSorted(), [
    ['inner', 'text', repo.head],
    ['outer', 'outer', repo.head],
  ])
  assert.equal((await ask(GET, repo, { tag: 'blob' })).status, 404)
  const empty = await repository({ isEmpty: true })
  assert.deepEqual((await ask(LIST, empty)).body, [])
  assert.equal((await ask(CREATE, empty, { body: { tag_name: 'x' } })).status, 404)
})

test(`${CREATE} and ${DELETE} are published like pushes`, async () => {
  const repo = await repository()
  await ask(CREATE, repo, { body: { tag_name: 'a/b', message: 'm' } })
  assert.ok((await ask(LIST, repo)).body.some((tag: { name: string }) => tag.name === 'a/b'))
  assert.equal((await ask(DELETE, repo, { tag: 'a/b' })).status, 204)
  assert.deepEqual((await ask(LIST, repo)).body, [])
  assert.equal((await ask(DELETE, repo, { tag: 'a/b' })).status, 404)
  assert.deepEqual(await refsIn(repo.path), [])
  const events = await pool<{ after: string }[]>`
    select payload ->> 'after' as after from forge.event
    where kind = 'ref.updated' and payload ->> 'ref' = 'refs/tags/a/b' order by id`
  assert.deepEqual(
    events.map(({ after }) => /^0+$/.test(after)),
    [false, true],
  )
  assert.equal((await pool`select from forge.push_journal`).length, 0)
})

test(`${CREATE} refuses invalid, taken and conflicting names, and unknown targets`, async () => {
  const repo = await repository()
  await clientOk(repo.path, 'tag', 'v1', 'main')
  const refusals = [
    [{ tag_name: 'v1' }, 409],
    [{ tag_name: 'v1/x', message: 'm' }, 409],
    [{ tag_name: 'x', target: 'nowhere' }, 404],
    [{ tag_name: 'x', target: 'refs/heads/main~1' }, 404],
    [{ tag_name: 'x', message: 'a\0b' }, 422],
    [{ tag_name: 'a..b' }, 422],
    [{ tag_name: '-d' }, 422],
    [{ tag_name: 'a\nb' }, 422],
    [{ tag_name: '.git' }, 422],
    [{ tag_name: 'x'.repeat(4000) }, 422],
    [{ tag_name: 'ä'.repeat(240) }, 422],
    [{}, 422],
  ] as const
  for (const [body, status] of refusals)
    assert.equal((await ask(CREATE, repo, { body })).status, status, JSON.stringify(body).slice(0, 60))
  assert.deepEqual(await refsIn(repo.path), ['refs/tags/v1'])
  for (const tag of ['none', 'a..b', '.git', 'v1^{}', '%00', 'x'.repeat(4000), 'refs/tags/v1', 'v'])
    assert.equal((await ask(GET, repo, { tag })).status, 404, tag.slice(0, 20))
})

test('changing tags requires write access to the code, and no archived repository', async () => {
  const repo = await repository({ isPrivate: true })
  const body = { tag_name: 'x' }
  for (const [as, status] of [
    [undefined, 404],
    [eve, 404],
    [ada, 201],
  ] as const)
    assert.equal((await ask(CREATE, repo, { as, body })).status, status)
  assert.equal((await ask(GET, repo, { as: eve, tag: 'x' })).status, 404)
  assert.equal((await ask(LIST, repo, { as: undefined })).status, 404)
  const params = { owner: 'ada', repo: repo.name }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { archived: true } })
  assert.equal((await ask(CREATE, repo, { body: { tag_name: 'y' } })).status, 423)
  assert.equal((await ask(DELETE, repo, { tag: 'x' })).status, 423)
  assert.deepEqual(await refsIn(repo.path), ['refs/tags/x'])
})

test(`of ten concurrent creations of one tag, one succeeds`, async () => {
  const repo = await repository()
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => ask(CREATE, repo, { body: { tag_name: 'x', message: `${at}` } })),
  )
  const statuses = answers.map(({ status }) => status).toSorted()
  assert.deepEqual(statuses, [201, ...Array(9).fill(409)])
  assert.equal((await client(repo.path, 'fsck', '--strict')).code, 0)
})

test('a reader without write access cannot change tags', async () => {
  const repo = await repository()
  await clientOk(repo.path, 'tag', 'v1', 'main')
  assert.equal((await ask(CREATE, repo, { as: eve, body: { tag_name: 'y' } })).status, 403)
  assert.equal((await ask(DELETE, repo, { as: eve, tag: 'v1' })).status, 403)
})

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, eve] = await make.people('ada', 'eve')

const REFS = 'GET /api/v1/repos/{owner}/{repo}/git/refs'
const REF = 'GET /api/v1/repos/{owner}/{repo}/git/refs/{ref...}'
const TREE = 'GET /api/v1/repos/{owner}/{repo}/git/trees/{sha}'
const BLOB = 'GET /api/v1/repos/{owner}/{repo}/git/blobs/{sha}'
const TAG = 'GET /api/v1/repos/{owner}/{repo}/git/tags/{sha}'

let made = 0
/** A repository of ada, its directory, and a function that writes an object into it. */
async function repository({ isEmpty = false, isPrivate = false } = {}) {
  const name = `r${++made}`
  const body = { name, auto_init: !isEmpty, private: isPrivate }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  const git = (args: string[], input: string | Buffer) =>
    execFileSync('git', args, { cwd: path, input, encoding: 'utf8' }).trim()
  return { name, path, git }
}

interface More {
  as?: Somebody | undefined
  params?: Record<string, string>
  query?: Record<string, string>
}
const ask = (literal: string, { name }: { name: string }, { params, ...given }: More = {}) => {
  const { as, ...more } = { as: ada, ...given }
  return call(literal, { ...(as && { as }), params: { owner: 'ada', repo: name, ...params }, ...more })
}

const repo = await repository()
const head = await clientOk(repo.path, 'rev-parse', 'main')

test(`${REFS} and ${REF} list refs by the start of their names`, async () => {
  await clientOk(repo.path, 'branch', 'master', head)
  await clientOk(repo.path, 'tag', '-a', 'v1', '-m', 'one', head)
  await clientOk(repo.path, 'notes', 'add', '-m', 'note', head)
  await clientOk(repo.path, 'update-ref', 'refs/remotes/origin/x', head)
  const names = async (ref?: string) => {
    const { status, body } = await ask(ref === undefined ? REFS : REF, repo, {
      as: undefined,
      params: { ref: ref ?? '' },
    })
    return status === 200 ? body.map((each: { ref: string }) => each.ref) : status
  }
  const all = ['refs/heads/main', 'refs/heads/master', 'refs/notes/commits', 'refs/tags/v1']
  assert.deepEqual(await names(), all)
  assert.deepEqual(await names('heads/ma'), all.slice(0, 2))
  assert.deepEqual(await names('heads/main'), all.slice(0, 1))
  assert.deepEqual(await names('he'), all.slice(0, 2))
  for (const ref of ['heads/x', 'remotes', 'heads/*', 'x'.repeat(4000), '-x', 'a\0b'])
    assert.equal(await names(ref), 404, ref.slice(0, 20))
  const { body } = await ask(REF, repo, { params: { ref: 'tags/v1' } })
  const tag = await clientOk(repo.path, 'rev-parse', 'v1')
  const { type, sha, url } = body[0].object
  assert.deepEqual(
    [type, sha, new URL(url).pathname],
    ['tag', tag, `/api/v1/repos/ada/${repo.name}/git/tags/${tag}`],
  )
  assert.equal((await ask(REFS, await repository({ isEmpty: true }))).status, 404)
})

test(`${TREE} lists entries of all kinds, of one folder or recursively`, async () => {
  const blob = await clientOk(repo.path, 'rev-parse', 'main:README.md')
  const inner = repo.git(['mktree'], `100755 blob ${blob}\trun\n`)
  const entries = `100644 blob ${blob}\tä\n120000 blob ${blob}\tlink\n160000 commit ${head}\tmodule\n040000 tree ${inner}\tsub\n`
  const tree = repo.git(['mktree', '--missing'], entries)
  const commit = await clientOk(repo.path, 'commit-tree', '-m', 'x', tree)
  await clientOk(repo.path, 'update-ref', 'refs/heads/kinds/all', commit)
  for (const sha of ['kinds/all', commit, commit.slice(0, 8), tree]) {
    const { status, body } = await ask(TREE, repo, { as: undefined, params: { sha } })
    assert.deepEqual([status, body.sha, body.total_count, body.truncated], [200, tree, 4, false])
  }
  const { body } = await ask(TREE, repo, { params: { sha: commit }, query: { recursive: 'true' } })
  const size = Number(await clientOk(repo.path, 'cat-file', '-s', blob))
  type Entry = { path: string; mode: string; type: string; size: number; url: string }
  assert.deepEqual(
    body.tree.map((each: Entry) => [
      each.path,
      each.mode,
      each.type,
      each.size,
      each.url.split('/').at(-2) ?? '',
    ]),
    [
      ['link', '120000', 'blob', size, 'blobs'],
      ['module', '160000', 'commit', 0, ''],
      ['sub', '040000', 'tree', 0, 'trees'],
      ['sub/run', '100755', 'blob', size, 'blobs'],
      ['ä', '100644', 'blob', size, 'blobs'],
    ],
  )
  for (const sha of ['none', '1'.repeat(40), blob, 'a..b', 'main:sub', 'x'.repeat(4000)])
    assert.equal((await ask(TREE, repo, { params: { sha } })).status, 400, sha.slice(0, 20))
})

test(`${TREE} has pages, also of 100,000 entries`, async () => {
  const blob = await clientOk(repo.path, 'rev-parse', 'main:README.md')
  const lines = Array.from(
    { length: 100_000 },
    (_, at) => `100644 blob ${blob}\t${String(at).padStart(6, '0')}\n`,
  )
  const sha = repo.git(['mktree'], lines.join(''))
  const page = async (query: Record<string, string>) => {
    const { body } = await ask(TREE, repo, { params: { sha }, query })
    return [body.tree.length, body.tree[0]?.path, body.truncated, body.page, body.total_count]
  }
  assert.deepEqual(await page({}), [1000, '000000', true, 1, 100_000])
  assert.deepEqual(await page({ page: '100', per_page: '9999' }), [1000, '099000', false, 100, 100_000])
  assert.deepEqual(await page({ page: '3', per_page: '2' }), [2, '000004', true, 3, 100_000])
  assert.deepEqual(await page({ page: '101', recursive: '1' }), [0, undefined, false, 101, 100_000])
  assert.deepEqual((await page({ page: '-1', per_page: '-1' }))[0], 1000)
})

test(`${BLOB} sends a content in base64, but not a large one`, async () => {
  const content = Buffer.from([0, 255, 10, 13])
  const sha = repo.git(['hash-object', '-w', '--stdin'], content)
  const { body } = await ask(BLOB, repo, { as: undefined, params: { sha } })
  assert.deepEqual([body.content, body.encoding, body.size], [content.toString('base64'), 'base64', 4])
  const large = repo.git(['hash-object', '-w', '--stdin'], Buffer.alloc(10 * 1024 * 1024 + 1))
  const shown = await ask(BLOB, repo, { params: { sha: large } })
  assert.deepEqual(
    [shown.body.content, shown.body.encoding, shown.body.size],
    [null, null, 10 * 1024 * 1024 + 1],
  )
  const oid = 'a'.repeat(64)
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n`
  const stands = repo.git(['hash-object', '-w', '--stdin'], pointer)
  const { lfs_oid, lfs_size } = (await ask(BLOB, repo, { params: { sha: stands } })).body
  assert.deepEqual([lfs_oid, lfs_size], [oid, 12])
  for (const [id, status] of [
    ['1'.repeat(40), 404],
    [head, 404],
    [sha.slice(0, 10), 400],
    ['main:README.md', 400],
    ['a\nb', 400],
  ] as const)
    assert.equal((await ask(BLOB, repo, { params: { sha: id } })).status, status, id)
})

test(`${TAG} shows an annotated tag, and the commit of a nested one`, async () => {
  await clientOk(repo.path, 'tag', '-a', 'inner', '-m', 'inner', head)
  await clientOk(repo.path, 'tag', '-a', 'outer', '-m', 'outer\n\nmore', 'inner')
  const sha = await clientOk(repo.path, 'rev-parse', 'outer')
  const { body } = await ask(TAG, repo, { as: undefined, params: { sha } })
  assert.deepEqual([body.tag, body.message, body.tagger.name], ['outer', 'outer\n\nmore\n', 'Ada'])
  assert.deepEqual([body.object.type, body.object.sha], ['commit', head])
  assert.equal(body.verification.verified, false)
  for (const [id, status] of [
    [head, 404],
    ['1'.repeat(40), 404],
    ['outer', 400],
  ] as const)
    assert.equal((await ask(TAG, repo, { params: { sha: id } })).status, status, id)
})

test('objects of a private repository are for its readers', async () => {
  const hidden = await repository({ isPrivate: true })
  const sha = await clientOk(hidden.path, 'rev-parse', 'main')
  for (const literal of [REFS, REF, TREE, BLOB, TAG])
    for (const as of [undefined, eve])
      assert.equal((await ask(literal, hidden, { as, params: { sha, ref: 'heads' } })).status, 404)
  assert.equal((await ask(TREE, hidden, { params: { sha } })).status, 200)
})

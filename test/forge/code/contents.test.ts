import assert from 'node:assert/strict'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { gitBehind } from '../../support/git-program.ts'

const folder = await temporaryFolder()
const { PATH } = process.env
// Notes each walk through the history for the last changes.
process.env.PATH = await gitBehind(
  folder,
  `case "$*" in *"--full-history"*) echo "$*" >> "$here/walks";; esac`,
)
const app = await startApp({ DATA_DIR: join(folder, 'data') })
process.env.PATH = PATH
const { call, make } = app
const [ada, eve] = await make.people('ada', 'eve')

const ROOT = 'GET /api/v1/repos/{owner}/{repo}/contents'
const GET = 'GET /api/v1/repos/{owner}/{repo}/contents/{filepath...}'

interface More {
  as?: Somebody | undefined
  query?: Record<string, string>
}
const ask = (repo: string, filepath: string, { as, query = {} }: More = {}) =>
  call(filepath === '' ? ROOT : GET, {
    ...(as && { as }),
    params: { owner: 'ada', repo, filepath },
    query,
  })

const walks = async () =>
  (await readFile(join(folder, 'walks'), 'utf8').catch(() => '')).split('\n').length - 1

test(`${ROOT} and ${GET} show folders, files, links and submodules, and what changed them last`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'all')
  const first = await repo.push({ 'a.txt': 'hello\n', 'docs/guide é#.md': '# Guide\n', 'docs/deep/x': 'x' })
  await mkdir(join(repo.path, 'm'))
  await symlink('../a.txt', join(repo.path, 'docs', 'link'))
  await writeFile(
    join(repo.path, '.gitmodules'),
    '[submodule "m"]\n\tpath = m\n\turl = https://example.org/m.git\n',
  )
  await repo.git('update-index', '--add', '--cacheinfo', `160000,${first},m`)
  const second = await repo.push({ 'docs/deep/x': 'y' })
  const root = await ask('all', '')
  assert.equal(root.status, 200)
  const shown = root.body.map((each: Record<string, unknown>) => [
    each.name,
    each.type,
    each.size,
    each.last_commit_sha,
    each.submodule_git_url,
  ])
  assert.deepEqual(shown, [
    ['.gitmodules', 'file', 59, second, null],
    ['a.txt', 'file', 6, first, null],
    ['docs', 'dir', 0, second, null],
    ['m', 'submodule', 0, second, 'https://example.org/m.git'],
  ])
  const page = await fetch(`${app.url}/ada/all/src/branch/main/m`)
  const shownOnPage = await page.text()
  assert.equal(page.status, 200)
  for (const part of [`<code>${first}</code>`, '<a href="https://example.org/m.git" rel="nofollow">'])
    assert.ok(shownOnPage.includes(part), part)
  assert.doesNotMatch(shownOnPage, />Edit</)
  const docs = (await ask('all', 'docs', { query: { ref: 'main' } })).body
  assert.deepEqual(
    docs.map((each: Record<string, unknown>) => [each.path, each.type, each.target, each.content]),
    [
      ['docs/deep', 'dir', null, null],
      ['docs/guide é#.md', 'file', null, null],
      ['docs/link', 'symlink', '../a.txt', null],
    ],
  )
  assert.deepEqual(
    docs.map((each: Record<string, unknown>) => each.last_commit_sha),
    [second, first, second],
  )
  const { body } = await ask('all', 'docs/guide é#.md', { query: { ref: 'main' } })
  const home = new URL(body.html_url).origin
  const api = `${home}/api/v1/repos/ada/all`
  const escaped = 'docs/guide%20%C3%A9%23.md'
  const { last_committer_date, last_author_date, ...rest } = body
  assert.deepEqual(rest, {
    name: 'guide é#.md',
    path: 'docs/guide é#.md',
    sha: await repo.git('rev-parse', 'main:docs/guide é#.md'),
    last_commit_sha: first,
    type: 'file',
    size: 8,
    encoding: 'base64',
    content: Buffer.from('# Guide\n').toString('base64'),
    target: null,
    url: `${api}/contents/${escaped}?ref=main`,
    html_url: `${home}/ada/all/src/branch/main/${escaped}`,
    git_url: `${api}/git/blobs/${body.sha}`,
    download_url: `${home}/ada/all/raw/branch/main/${escaped}`,
    submodule_git_url: null,
    _links: {
      self: `${api}/contents/${escaped}?ref=main`,
      git: `${api}/git/blobs/${body.sha}`,
      html: `${home}/ada/all/src/branch/main/${escaped}`,
    },
  })
  assert.deepEqual(
    [new Date(last_committer_date).getTime(), new Date(last_author_date).getTime()],
    Array(2).fill(1000 * Number(await repo.git('log', '-1', '--format=%ct', first))),
  )
  const link = (await ask('all', 'docs/link')).body
  assert.deepEqual([link.type, link.target, link.content], ['symlink', '../a.txt', null])
  const module = (await ask('all', 'm')).body
  assert.deepEqual(
    [module.sha, module.html_url, module.git_url, module.download_url, module._links.git],
    [first, null, null, null, null],
  )
  const again = (await ask('all', 'docs/deep/x', { query: { ref: first } })).body
  assert.deepEqual(
    [again.content, again.html_url],
    [Buffer.from('x').toString('base64'), `${home}/ada/all/src/commit/${first}/docs/deep/x`],
  )
  const full = (await ask('all', 'docs/deep/x', { query: { ref: 'refs/heads/main' } })).body
  assert.deepEqual(
    [full.url, full.html_url],
    [`${api}/contents/docs/deep/x?ref=refs%2Fheads%2Fmain`, `${home}/ada/all/src/branch/main/docs/deep/x`],
  )
})

test(`${ROOT} needs one walk through the history for a folder, then none, also for the few commits by which its branch moves`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'runs')
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}`, `${at}`]))
  const first = await repo.push(files)
  const commits = async () =>
    Object.fromEntries(
      (await ask('runs', '')).body.map((each: { name: string; last_commit_sha: string }) => [
        each.name,
        each.last_commit_sha,
      ]),
    )
  const before = await walks()
  assert.deepEqual(new Set(Object.values(await commits())), new Set([first]))
  assert.equal(await walks(), before + 1)
  await make.person({ name: 'written' })
  assert.equal((await commits()).f1, first)
  assert.equal(await walks(), before + 1)
  const second = await repo.push({ f1: 'new', f2: null })
  const { f2, ...left } = Object.fromEntries(Object.keys(files).map((name) => [name, first]))
  assert.equal(f2, first)
  assert.deepEqual(await commits(), { ...left, f1: second })
  await repo.push({ 'new/file': 'x' })
  const third = await repo.push({ f3: 'new' })
  const fourth = await repo.push({ 'new/other': 'y' })
  assert.deepEqual(await commits(), { ...left, f1: second, f3: third, new: fourth })
  assert.equal(await walks(), before + 1)
  // Another history: what the first one said counts no more.
  await repo.git('reset', '-q', '--hard', first)
  await repo.git('commit', '-q', '--amend', '-m', 'again')
  await repo.git('push', '-q', '--force', 'origin', 'HEAD:main')
  const again = await repo.git('rev-parse', 'HEAD')
  assert.deepEqual(new Set(Object.values(await commits())), new Set([again]))
})

test(`${ROOT} and ${GET} follow merges to the side that an entry comes from`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'merged')
  const base = await repo.push({ a: '1', b: '1' })
  await repo.git('checkout', '-q', '-b', 'side')
  const side = await repo.push({ a: '2' }, { branch: 'side' })
  await repo.git('checkout', '-q', 'main')
  const main = await repo.push({ b: '2' })
  const before = (await ask('merged', '')).body.map(
    (each: { last_commit_sha: string }) => each.last_commit_sha,
  )
  assert.deepEqual(before, [base, main])
  await repo.git('merge', '-q', '-m', 'merge', 'side')
  await repo.git('push', '-q', 'origin', 'main')
  const after = (await ask('merged', '')).body.map(
    (each: { last_commit_sha: string }) => each.last_commit_sha,
  )
  assert.deepEqual(after, [side, main])
  assert.equal((await ask('merged', 'a')).body.last_commit_sha, side)
})

test(`${GET} finds branches, tags and commits, and refuses unknown ones`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'refs')
  const first = await repo.push({ a: 'one' })
  await repo.git('tag', '-a', 'v1', '-m', 'one')
  await repo.git('push', '-q', 'origin', 'v1')
  await repo.push({ a: 'two' }, { branch: 'topic/x' })
  const textAt = async (ref: string) => {
    const { status, body } = await ask('refs', 'a', { query: { ref } })
    return status === 200 ? Buffer.from(body.content, 'base64').toString() : body.message
  }
  assert.equal(await textAt('v1'), 'one')
  assert.equal(await textAt('topic/x'), 'two')
  assert.equal(await textAt(first), 'one')
  assert.equal(await textAt(first.slice(0, 9)), 'one')
  assert.equal(await textAt('none'), 'object does not exist [id: none, rel_path: ]')
  const refused = [
    ['none', 404],
    ['a/b', 404],
    ['.GIT/config', 400],
    ['x\0y', 400],
    ['x'.repeat(5000), 400],
  ] as const
  for (const [path, status] of refused) {
    const answer = await call(GET, { params: { owner: 'ada', repo: 'refs', filepath: path } })
    assert.equal(answer.status, status, path.slice(0, 20))
  }
  const upwards = await fetch(`${app.url}/api/v1/repos/ada/refs/contents/a%2F..%2Fa`)
  assert.equal(upwards.status, 400)
  for (const ref of ['..', 'main..v1', '-x', 'refs/heads/../x', 'a\0b', 'HEAD^', ':/one', '0'.repeat(40)])
    assert.equal((await ask('refs', 'a', { query: { ref } })).status, 404, ref)
})

test(`${GET} sends no content of more than 10 MiB, and the content of empty files`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'large')
  await repo.push({ big: 'x'.repeat(10 * 1024 * 1024 + 1), some: 'y'.repeat(600_000), empty: '' })
  const big = (await ask('large', 'big')).body
  assert.deepEqual([big.size, big.encoding, big.content], [10 * 1024 * 1024 + 1, null, null])
  assert.equal(Buffer.from((await ask('large', 'some')).body.content, 'base64').length, 600_000)
  const empty = (await ask('large', 'empty')).body
  assert.deepEqual([empty.size, empty.encoding, empty.content], [0, 'base64', ''])
})

test(`${GET} shows the id and size in a pointer of Git LFS`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'lfs')
  const oid = 'ab'.repeat(32)
  await repo.push({ p: `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12\n` })
  const { body } = await ask('lfs', 'p')
  assert.deepEqual([body.lfs_oid, body.lfs_size], [oid, 12])
})

test(`${ROOT} and ${GET} are for those who may read the code; an empty repository has an empty root`, async () => {
  const repo = await startRepository({ ...app, folder, ada }, 'hidden')
  assert.deepEqual((await ask('hidden', '')).body, [])
  assert.equal((await ask('hidden', 'a')).status, 404)
  assert.equal((await ask('hidden', '', { query: { ref: 'main' } })).status, 404)
  await repo.push({ a: 'one' })
  const edit = (body: object) =>
    call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: { owner: 'ada', repo: 'hidden' }, body })
  await edit({ archived: true })
  assert.equal((await ask('hidden', 'a')).status, 200)
  await edit({ private: true })
  for (const [as, status] of [
    [undefined, 404],
    [eve, 404],
    [ada, 200],
  ] as const)
    assert.equal((await ask('hidden', 'a', { as })).status, status)
})

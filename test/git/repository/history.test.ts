import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { listCommits, readCommit, readPush } from '../../../src/git/repository/history.ts'
import { headBranch, listRefs, setHeadBranch } from '../../../src/git/repository/refs.ts'
import { client, clientOk, faultOf, gitService, okOf } from '../../support/git.ts'

const { git, repositories, folder } = await gitService()
const work = join(folder, 'work')
const path = repositories.path({ owner: 'a', name: 'b' }) ?? ''
const repository = { git, directory: path }
okOf(await repositories.create({ owner: 'a', name: 'b', branch: 'main' }))
const zero = '0'.repeat(40)
const span = { maxCommits: 5, count: 1000 }

/** Writes files, commits all, gives the id. */
async function commit(files: Record<string, string>, message: string): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, name), text)
  await clientOk(work, 'add', '-A')
  await clientOk(
    work,
    'commit',
    '-q',
    '--allow-empty',
    '--allow-empty-message',
    '--cleanup=verbatim',
    '-m',
    message,
  )
  return clientOk(work, 'rev-parse', 'HEAD')
}

await clientOk(folder, 'init', '-q', '-b', 'main', work)
const first = await commit({ 'one.txt': '1', 'ü "q".txt': 'x' }, 'first\n\nbody \u0001 text\n')
const second = await commit({ 'one.txt': '2', 'two.txt': '2' }, 'second')
await clientOk(work, 'mv', 'two.txt', 'three.txt')
await clientOk(work, 'rm', '-q', 'ü "q".txt')
const third = await commit({}, 'third')
await clientOk(work, 'tag', '-a', '-m', 'a tag', 'v1', second)
await clientOk(work, 'push', '-q', path, 'main', 'v1')

test('a new repository is empty, has no refs, and HEAD names its branch', async () => {
  okOf(await repositories.create({ owner: 'a', name: 'new', branch: 'main' }))
  const fresh = repositories.path({ owner: 'a', name: 'new' }) ?? ''
  assert.deepEqual(okOf(await listRefs({ git, directory: fresh })), [])
  assert.equal(okOf(await headBranch(fresh)), 'main')
})

test('a commit is read with its author, message and files', async () => {
  const read = okOf(await readCommit(repository, first))
  assert.equal(read.id, first)
  assert.deepEqual(read.parents, [])
  assert.equal(read.author.name, 'Ada')
  assert.equal(read.author.email, 'ada@example.com')
  assert.match(read.author.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/)
  assert.equal(read.message, 'first\n\nbody \u0001 text\n')
  assert.deepEqual(read.added, ['one.txt', 'ü "q".txt'])
})

test('commits between two ids are listed newest first, with the files that they change', async () => {
  const { commits, total } = okOf(await readPush(repository, { ...span, before: first, after: third }))
  assert.equal(total, 2)
  assert.deepEqual(
    commits.map(({ id, added, removed, modified }) => ({ id, added, removed, modified })),
    [
      { id: third, added: ['three.txt'], removed: ['two.txt', 'ü "q".txt'], modified: [] },
      { id: second, added: ['two.txt'], removed: [], modified: ['one.txt'] },
    ],
  )
  assert.deepEqual(commits[0]?.parents, [second])
})

test('reading and counting have bounds of their own', async () => {
  const read = okOf(await readPush(repository, { before: zero, after: third, maxCommits: 1, count: 2 }))
  assert.deepEqual([read.commits.length, read.total], [1, 2])
})

test('a tag stands for its commit, and a deleted ref for nothing', async () => {
  const tag = okOf(await listRefs(repository, ['refs/tags']))[0]
  assert.equal(tag?.type, 'tag')
  assert.equal(tag?.peeled, second)
  const read = okOf(await readPush(repository, { ...span, before: zero, after: tag?.id ?? '' }))
  assert.deepEqual(
    read.commits.map(({ id }) => id),
    [second, first],
  )
  assert.deepEqual(okOf(await readPush(repository, { ...span, before: third, after: zero })), {
    commits: [],
    total: 0,
  })
})

test('what is no object id never reaches git', async () => {
  for (const id of ['--output=/tmp/x', 'HEAD', 'main..', '', `${third} --all`, third.toUpperCase()]) {
    assert.equal(faultOf(await readPush(repository, { ...span, before: zero, after: id })), 'name')
    assert.equal(faultOf(await readPush(repository, { ...span, before: id, after: third })), 'name')
  }
  assert.equal(faultOf(await readCommit(repository, 'f'.repeat(40))), 'failed')
})

test('a merge lists changes against its first parent, an empty commit lists none', async () => {
  await clientOk(work, 'checkout', '-q', '-b', 'side', second)
  await commit({ 'side.txt': 's' }, 'side')
  await clientOk(work, 'checkout', '-q', 'main')
  await clientOk(work, 'merge', '-q', '-m', 'merge', 'side')
  const empty = await commit({}, '')
  await clientOk(work, 'push', '-q', path, 'main')
  const { commits } = okOf(await readPush(repository, { ...span, before: third, after: empty }))
  const told = commits.map(({ message, added }) => [message.trim(), ...added])
  assert.deepEqual(told, [[''], ['merge', 'side.txt'], ['side', 'side.txt']])
})

test('of a commit with very many files and a very long message, a part is listed', async () => {
  const files = Object.fromEntries(Array.from({ length: 3100 }, (_, at) => [`many-${at}`, '']))
  const id = await commit(files, 'x'.repeat(70_000))
  await clientOk(work, 'push', '-q', path, 'main')
  const read = okOf(await readCommit(repository, id))
  assert.equal(read.added.length, 3000)
  assert.equal(read.message.length, 65_536)
})

test('commits whose message is longer than all that is read of a log are listed with its beginning', async () => {
  const message = `long\n${'y'.repeat(5_000_000)}`
  await writeFile(join(folder, 'message'), message)
  await writeFile(join(work, 'long.txt'), '')
  await clientOk(work, 'add', 'long.txt')
  await clientOk(work, 'commit', '-q', '-F', join(folder, 'message'))
  const long = await clientOk(work, 'rev-parse', 'HEAD')
  const next = await commit({ 'next.txt': '' }, 'next')
  await clientOk(work, 'push', '-q', path, 'main')
  const read = okOf(await readCommit(repository, long))
  assert.deepEqual([read.message, read.added], [message.slice(0, 65_536), ['long.txt']])
  const { commits, total } = okOf(await readPush(repository, { ...span, before: zero, after: next }))
  assert.deepEqual([commits.length, commits[0]?.message, commits[1]?.id], [5, 'next\n', long])
  assert.ok(total > 5)
  const found = okOf(
    await listCommits(repository, {
      ...{ after: next, path: '', skip: 0, maxCommits: 9 },
      search: { words: ['yyyy'], authors: [], committers: [] },
    }),
  )
  assert.deepEqual(
    found.map(({ id, message }) => [id, message.length]),
    [[long, 65_536]],
  )
})

test('HEAD is changed under the lock of git, to branches only', async () => {
  okOf(await setHeadBranch(path, 'side/a'))
  assert.equal(await clientOk(path, 'symbolic-ref', 'HEAD'), 'refs/heads/side/a')
  assert.equal(okOf(await headBranch(path)), 'side/a')
  assert.equal(faultOf(await setHeadBranch(path, '../x')), 'name')
  assert.equal(faultOf(await setHeadBranch(join(folder, 'absent'), 'main')), 'gone')
  assert.equal(faultOf(await headBranch(join(folder, 'absent'))), 'gone')
  await writeFile(join(path, 'HEAD.lock'), '')
  assert.equal(faultOf(await setHeadBranch(path, 'main')), 'busy')
  assert.notEqual((await client(path, 'symbolic-ref', 'HEAD', 'refs/heads/main')).code, 0)
})

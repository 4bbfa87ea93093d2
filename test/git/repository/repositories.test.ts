import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { done } from '../../../src/common/outcome.ts'
import { createGit } from '../../../src/git/program/git.ts'
import { readTree } from '../../../src/git/repository/folder.ts'
import { copyCommits } from '../../../src/git/repository/merging/copy-commits.ts'
import { withObjectsOf } from '../../../src/git/repository/merging/shared-objects.ts'
import { listRefs } from '../../../src/git/repository/refs.ts'
import { Repositories, type RepositoryPath } from '../../../src/git/repository/repositories.ts'
import { scanRepositories } from '../../../src/git/repository/unadopted.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk, faultOf, gitService, okOf } from '../../support/git.ts'

const { git, repositories, root, folder } = await gitService()

const ada = { name: 'Ada Lovelace', email: 'ada@example.com', at: new Date('2026-01-31T08:00:00Z') }
const commit = (files: { path: string; content: string | Buffer }[]) => ({
  branch: 'main',
  author: ada,
  committer: ada,
  message: 'Initial commit\n',
  files,
})

/** Every path below a folder with its mode and, for files, its content. */
async function picture(path: string): Promise<string[]> {
  const names = await readdir(path, { recursive: true })
  const lines = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(path, name))
      const content = found.isFile() ? await readFile(join(path, name), 'latin1') : ''
      return `${name} ${found.mode.toString(8)} ${content}`
    }),
  )
  return lines.sort()
}

for (const format of ['sha1', 'sha256'] as const) {
  test(`an empty ${format} repository is exactly what git init makes`, async () => {
    const place = { owner: 'Ada', name: `Empty-${format}` }
    okOf(await repositories.create({ ...place, branch: 'trunk', format }))
    const theirs = join(folder, `theirs-${format}`)
    const args = ['init', '-q', '--bare', '--template=', '-b', 'trunk', `--object-format=${format}`, theirs]
    await promisify(execFile)('git', args, {
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: folder,
        GIT_DEFAULT_REF_FORMAT: 'files',
      },
    })
    assert.deepEqual(await picture(join(root, 'ada', `empty-${format}.git`)), await picture(theirs))
    await clientOk(join(root, 'ada', `empty-${format}.git`), 'fsck', '--strict')
  })

  test(`a first commit in a ${format} repository holds its files, author and message`, async () => {
    const place = { owner: 'ada', name: `init-${format}` }
    const files = [
      { path: 'README.md', content: '# init\n\nwords' },
      { path: '.gitignore', content: '# ---> Node\nnode_modules/\n' },
      { path: 'docs/a "b" ü.txt', content: Buffer.from([0, 255, 10]) },
    ]
    const id = okOf(await repositories.createWithCommit({ ...place, format }, commit(files)))
    const path = join(root, 'ada', `init-${format}.git`)
    assert.equal(id.length, format === 'sha1' ? 40 : 64)
    await clientOk(path, 'fsck', '--strict', '--full')
    const shown = await clientOk(path, 'log', '--format=%H %an <%ae> %at %cn <%ce> %ct [%B]', 'HEAD')
    const who = 'Ada Lovelace <ada@example.com> 1769846400'
    assert.equal(shown, `${id} ${who} ${who} [Initial commit\n]`)
    assert.equal(await clientOk(path, 'show', 'HEAD:README.md'), '# init\n\nwords')
    const names = await clientOk(path, 'ls-tree', '-r', '-z', '--name-only', 'HEAD')
    assert.deepEqual(names.split('\0').filter(Boolean), ['.gitignore', 'README.md', 'docs/a "b" ü.txt'])
    assert.deepEqual(okOf(await listRefs({ git, directory: path })), [
      { name: 'refs/heads/main', id, type: 'commit', peeled: id },
    ])
    assert.deepEqual(okOf(await repositories.inspect(place)), { format })
  })
}

test('an empty repository needs no git program', async () => {
  const without = createGit({ home: join(folder, 'h'), command: join(folder, 'no-git') })
  const made = new Repositories(join(folder, 'without'), without)
  okOf(await made.create({ owner: 'a', name: 'b', branch: 'main' }))
  assert.equal(faultOf(await made.createWithCommit({ owner: 'a', name: 'c' }, commit([]))), 'missing')
  assert.equal(await made.exists({ owner: 'a', name: 'c' }), false)
})

test('a first commit takes one git process', async () => {
  const counting = join(folder, 'counting')
  await writeFile(counting, '#!/bin/sh\necho "$@" >> "$HOME/runs"\nexec git "$@"\n', { mode: 0o755 })
  const home = join(folder, 'counted-home')
  const counted = new Repositories(join(folder, 'counted'), createGit({ home, command: counting }))
  const files = Array.from({ length: 5 }, (_, at) => ({ path: `f${at}`, content: String(at) }))
  okOf(await counted.createWithCommit({ owner: 'a', name: 'b' }, commit(files)))
  assert.equal((await readFile(join(home, 'runs'), 'utf8')).trim().split('\n').length, 1)
})

test('names that leave the root, or are none, make nothing', async () => {
  const names = [
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    'a\0b',
    'a\nb',
    '-x',
    'ä',
    'a b',
    'x'.repeat(101),
    '%2e%2e',
  ]
  for (const name of names) {
    assert.equal(faultOf(await repositories.create({ owner: 'ada', name, branch: 'main' })), 'name', name)
    assert.equal(faultOf(await repositories.create({ owner: name, name: 'x', branch: 'main' })), 'name', name)
    assert.equal(faultOf(await repositories.remove({ owner: 'ada', name })), 'name', name)
    assert.equal(
      faultOf(await repositories.move({ owner: 'ada', name: 'a' }, { owner: name, name: 'a' })),
      'name',
      name,
    )
    assert.equal(await repositories.exists({ owner: name, name: 'x' }), false)
  }
  const before = await readdir(folder)
  assert.ok(!before.includes('x') && !before.includes('x.git'))
})

test('hostile branches and paths of a first commit are refused and leave nothing', async () => {
  const place = { owner: 'ada', name: 'hostile' }
  for (const branch of [
    '',
    '-x',
    'a..b',
    'a b',
    'a\nb',
    'x.lock',
    '.x',
    'a//b',
    'HEAD',
    '@{1}',
    'a:b',
    'a\\b',
    '/a',
    'a/',
  ]) {
    assert.equal(faultOf(await repositories.create({ ...place, branch })), 'name', branch)
    assert.equal(
      faultOf(await repositories.createWithCommit(place, { ...commit([]), branch })),
      'name',
      branch,
    )
  }
  for (const path of [
    '',
    '/etc/passwd',
    '../x',
    'a/../b',
    '.git/config',
    '.GIT/hooks/x',
    'a//b',
    'a\nM 1 x',
    'git~1',
    'a\\b',
  ]) {
    assert.equal(
      faultOf(await repositories.createWithCommit(place, commit([{ path, content: '' }]))),
      'name',
      path,
    )
  }
  assert.equal(await repositories.exists(place), false)
})

test('names and messages of a first commit cannot add lines to it', async () => {
  const evil = { name: 'A\ncommitter <x', email: 'a>\nM 100644', at: ada.at }
  const place = { owner: 'ada', name: 'evil' }
  const made = {
    ...commit([]),
    author: evil,
    committer: { ...evil, name: ' ' },
    message: 'a\ndone\ncommit x\n',
  }
  okOf(await repositories.createWithCommit(place, made))
  const path = join(root, 'ada', 'evil.git')
  await clientOk(path, 'fsck', '--strict')
  assert.equal(
    await clientOk(path, 'log', '--format=%an|%ae|%cn|%s'),
    'Acommitter x|aM 100644|unknown|a done commit x',
  )
})

test('a place that is taken stays as it is, whatever the case of the name', async () => {
  const place = { owner: 'ada', name: 'taken' }
  const id = okOf(await repositories.createWithCommit(place, commit([])))
  assert.equal(faultOf(await repositories.create({ owner: 'ADA', name: 'Taken', branch: 'x' })), 'taken')
  assert.equal(faultOf(await repositories.createWithCommit(place, commit([]))), 'taken')
  const path = join(root, 'ada', 'taken.git')
  assert.equal(okOf(await listRefs({ git, directory: path }))[0]?.id, id)
  assert.deepEqual(await readdir(join(root, '.temporary')), [])
})

test('of concurrent creations of one repository, one succeeds and the others get a fault', async () => {
  const place = { owner: 'race', name: 'one', branch: 'main' }
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => repositories.create(place)))
  assert.deepEqual(outcomes.map(faultOf).sort(), ['none', ...Array(7).fill('taken')])
})

test('what a crash left before the rename is never seen, and tidied', async () => {
  const broken = new Repositories(join(folder, 'crash'), git)
  okOf(await broken.create({ owner: 'a', name: 'whole', branch: 'main' }))
  await mkdir(join(folder, 'crash', '.temporary', '0000.git', 'objects'), { recursive: true })
  assert.deepEqual(await scanRepositories(broken.root), [{ owner: 'a', name: 'whole' }])
  assert.equal(await broken.tidy(), 1)
  assert.deepEqual(await readdir(join(folder, 'crash')), ['.temporary', 'a'])
  assert.deepEqual(await readdir(join(folder, 'crash', '.temporary')), [])
})

test('a repository moves, and what is taken stays', async () => {
  const from = { owner: 'mover', name: 'one' }
  const id = okOf(await repositories.createWithCommit(from, commit([])))
  okOf(await repositories.move(from, { owner: 'other', name: 'Two' }))
  assert.equal(await repositories.exists(from), false)
  assert.equal(okOf(await listRefs({ git, directory: join(root, 'other', 'two.git') }))[0]?.id, id)
  assert.equal(faultOf(await repositories.move(from, { owner: 'other', name: 'three' })), 'gone')
  okOf(await repositories.create({ ...from, branch: 'main' }))
  assert.equal(faultOf(await repositories.move(from, { owner: 'other', name: 'two' })), 'taken')
})

test('removing takes a repository away once', async () => {
  const place = { owner: 'gone', name: 'one' }
  okOf(await repositories.createWithCommit(place, commit([])))
  assert.ok((await repositories.bytes(place)) > 300)
  assert.equal(okOf(await repositories.remove(place)), true)
  assert.equal(okOf(await repositories.remove(place)), false)
  assert.equal(await repositories.bytes(place), 0)
  assert.deepEqual(await readdir(join(root, '.temporary')), [])
})

test('a repository that is removed or moved while it is copied is not copied by half', async () => {
  const ends = {
    removed: (from: RepositoryPath) => repositories.remove(from),
    moved: (from: RepositoryPath) => repositories.move(from, { ...from, name: 'elsewhere' }),
  }
  for (const [name, end] of Object.entries(ends)) {
    const from = { owner: 'source', name }
    okOf(await repositories.createWithCommit(from, commit([{ path: 'README.md', content: 'words' }])))
    const source = repositories.open(from)
    assert.ok(source)
    // Its refs have been read, and none of its objects.
    const run: typeof git.run = async (...given) => {
      const refs = await git.run(...given)
      okOf<unknown>(await end(from))
      return refs
    }
    const copied = await repositories.createCopy(
      { owner: 'copies', name, branch: 'main' },
      { ...source, git: { ...git, run } },
    )
    assert.equal(faultOf(copied), 'gone')
    assert.equal(await repositories.exists({ owner: 'copies', name }), false)
  }
  assert.deepEqual(await readdir(join(root, '.temporary')), [])
})

test('work with the objects of a repository that goes away fails because it is gone', async () => {
  const from = { owner: 'source', name: 'lent' }
  const id = okOf(
    await repositories.createWithCommit(from, commit([{ path: 'README.md', content: 'words' }])),
  )
  const source = repositories.open(from)
  assert.ok(source)
  const lending = (end: () => Promise<unknown>) =>
    repositories.withScratch(source, 'sha1', async ({ directory }) => {
      await end()
      return git.run(directory, ['rev-parse', '--verify', `${id}^{tree}`])
    })
  const tree = okOf(await lending(async () => {}))
    .toString()
    .trim()
  const nothing = { ...source, git: { ...git, ask: async () => done([undefined]) } }
  assert.equal(faultOf(await readTree(nothing, tree)), 'failed')
  const place = { owner: 'source', name: 'lender' }
  okOf(await repositories.create({ ...place, branch: 'main' }))
  const other = repositories.open(place)
  assert.ok(other)
  const both = withObjectsOf(other, source)
  const compare = () => both.git.run(both.directory, ['rev-parse', '--verify', `${id}^{tree}`])
  okOf(await compare())
  const [object] = okOf(await both.git.ask(both.directory, 'content', { names: [id], maxBytes: 1024 }))
  assert.equal(object?.type, 'commit')
  assert.equal(faultOf(await lending(() => repositories.remove(from))), 'gone')
  assert.equal(faultOf(await readTree(nothing, tree)), 'gone')
  assert.equal(faultOf(await copyCommits(source, other, { commit: id, known: [] })), 'gone')
  assert.equal(faultOf(await compare()), 'gone')
})

test('links are neither repositories nor ways out', async () => {
  const outside = await temporaryFolder()
  await mkdir(join(outside, 'x.git'))
  await mkdir(join(root, 'linked'), { recursive: true })
  await symlink(join(outside, 'x.git'), join(root, 'linked', 'x.git'))
  await symlink(outside, join(root, 'owner-link'))
  assert.equal(await repositories.exists({ owner: 'linked', name: 'x' }), false)
  assert.equal(await repositories.exists({ owner: 'owner-link', name: 'x' }), false)
  assert.equal(faultOf(await repositories.inspect({ owner: 'linked', name: 'x' })), 'gone')
  assert.equal(
    faultOf(await repositories.move({ owner: 'linked', name: 'x' }, { owner: 'linked', name: 'y' })),
    'gone',
  )
  assert.equal(okOf(await repositories.remove({ owner: 'linked', name: 'x' })), true)
  assert.equal(okOf(await repositories.remove({ owner: 'owner-link', name: 'x' })), false)
  assert.equal(
    faultOf(await repositories.create({ owner: 'owner-link', name: 'y', branch: 'main' })),
    'taken',
  )
  assert.deepEqual(await readdir(outside), ['x.git'])
})

test('inspect() tells bare git repositories from other directories', async () => {
  await mkdir(join(root, 'foreign', 'nothing.git'), { recursive: true })
  await clientOk(root, 'init', '-q', join(root, 'foreign', 'worktree.git'))
  await clientOk(root, 'init', '-q', '--bare', join(root, 'foreign', 'bare.git'))
  assert.equal(faultOf(await repositories.inspect({ owner: 'foreign', name: 'nothing' })), 'failed')
  assert.equal(faultOf(await repositories.inspect({ owner: 'foreign', name: 'worktree' })), 'failed')
  assert.equal(faultOf(await repositories.inspect({ owner: 'foreign', name: 'absent' })), 'gone')
  assert.deepEqual(okOf(await repositories.inspect({ owner: 'foreign', name: 'bare' })), {
    format: 'sha1',
  })
})

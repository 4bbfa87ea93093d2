import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readPush } from '../../../src/git/repository/history.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'
import { client, clientOk, gitService, okOf } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, pool, make, url } = await startApp({ DATA_DIR: join(folder, 'data') })
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')

const CREATE = 'POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
const UPDATE = 'PUT /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
const DELETE = 'DELETE /api/v1/repos/{owner}/{repo}/contents/{filepath...}'
const CHANGE = 'POST /api/v1/repos/{owner}/{repo}/contents'
const PATCH = 'POST /api/v1/repos/{owner}/{repo}/diffpatch'

const base64 = (text: string) => Buffer.from(text).toString('base64')

let made = 0
/** A repository of ada with a README on `main`, and its directory. */
async function repository({ isEmpty = false, format = 'sha1' } = {}) {
  const name = `r${++made}`
  const body = { name, auto_init: !isEmpty, object_format_name: format }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  return { name, path, git: (...args: string[]) => clientOk(path, ...args) }
}
type Made = Awaited<ReturnType<typeof repository>>

interface More {
  as?: Somebody | undefined
  body: unknown
}
const ask = (literal: string, { name }: Made, filepath: string, { as, body }: More) =>
  call(literal, { ...(as && { as }), params: { owner: 'ada', repo: name, filepath }, body })

const write = (literal: string, repo: Made, filepath: string, body: object) =>
  ask(literal, repo, filepath, { as: ada, body })

const change = (repo: Made, files: object[], more: object = {}) => write(CHANGE, repo, '', { files, ...more })

/** What git says of a repository that must be whole. */
async function requireWhole({ path }: Made): Promise<void> {
  const { code, stdout, stderr } = await client(path, 'fsck', '--strict', '--full')
  assert.deepEqual([code, `${stdout}${stderr}`.replace(/^dangling .*\n/gm, '')], [0, ''])
}

const filesOf = async ({ git }: Made, commit = 'main') =>
  (await git('ls-tree', '-r', '--format=%(objectmode) %(path)', commit)).split('\n')

test(`${CREATE} commits a new file, and answers with both`, async () => {
  const repo = await repository()
  const before = await repo.git('rev-parse', 'main')
  const body = {
    content: base64('hello\n'),
    message: '  A greeting\n',
    author: { name: 'Grace <x>', email: 'grace@example.com' },
    dates: { author: '2020-02-03T04:05:06+02:00', committer: '2021-01-01T00:00:00Z' },
    signoff: true,
  }
  const { status, body: answer } = await write(CREATE, repo, 'docs/a b/hello.txt', body)
  assert.equal(status, 201)
  const id = await repo.git('rev-parse', 'main')
  assert.equal(
    await repo.git('show', '-s', '--format=%P%n%an|%ae|%aI%n%cn|%ce|%cI%n%B', 'main'),
    [
      before,
      'Grace x|grace@example.com|2020-02-03T02:05:06+00:00',
      'Grace x|grace@example.com|2021-01-01T00:00:00+00:00',
      'A greeting',
      '',
      'Signed-off-by: Grace x <grace@example.com>',
    ].join('\n'),
  )
  assert.equal(await repo.git('show', 'main:docs/a b/hello.txt'), 'hello')
  assert.deepEqual(await filesOf(repo), ['100644 README.md', '100644 docs/a b/hello.txt'])
  const { content, commit, verification } = answer
  assert.deepEqual(
    [content.path, content.sha, content.size, content.encoding, content.content, content.last_commit_sha],
    [
      'docs/a b/hello.txt',
      await repo.git('rev-parse', 'main:docs/a b/hello.txt'),
      6,
      'base64',
      base64('hello\n'),
      id,
    ],
  )
  assert.match(content.html_url, /\/ada\/r\d+\/src\/branch\/main\/docs\/a%20b\/hello\.txt$/)
  assert.deepEqual(
    [commit.sha, commit.author.date, commit.tree.sha, commit.parents[0].sha, verification.verified],
    [id, '2020-02-03T02:05:06Z', await repo.git('rev-parse', 'main^{tree}'), before, false],
  )
  await requireWhole(repo)
})

test(`${UPDATE} requires the id that was read, moves files and keeps them executable`, async () => {
  const repo = await repository()
  const made = await write(CREATE, repo, 'run', { content: base64('one') })
  await change(repo, [{ operation: 'create', path: 'x/y', content: '' }])
  const sha = made.body.content.sha
  const work = join(folder, `${repo.name}-work`)
  await clientOk(folder, 'clone', '-q', repo.path, work)
  await clientOk(work, 'update-index', '--chmod=+x', 'run')
  await clientOk(work, 'commit', '-qm', 'x')
  await clientOk(work, 'push', '-q')
  const wrong = await write(UPDATE, repo, 'run', { content: base64('two'), sha: '0'.repeat(40) })
  assert.deepEqual(
    [wrong.status, wrong.body.message],
    [422, `sha does not match [given: ${'0'.repeat(40)}, expected: ${sha}]`],
  )
  const right = await write(UPDATE, repo, 'run', { content: base64('two'), sha })
  assert.deepEqual([right.status, right.body.commit.message], [200, 'Update run\n'])
  const moved = await write(UPDATE, repo, 'bin/go', {
    content: base64('three'),
    from_path: 'run',
    sha: right.body.content.sha,
  })
  assert.equal(moved.status, 200)
  assert.deepEqual(await filesOf(repo), ['100644 README.md', '100755 bin/go', '100644 x/y'])
  assert.equal(await repo.git('show', 'main:bin/go'), 'three')
  assert.equal((await write(UPDATE, repo, 'new', { content: '' })).status, 201)
  assert.equal((await write(UPDATE, repo, 'new', { content: '' })).status, 422)
  const unread = await write(UPDATE, repo, 'newer', { content: '', from_path: 'new' })
  assert.deepEqual([unread.status, unread.body.message], [422, '[SHA]: Required'])
  await requireWhole(repo)
})

test(`${DELETE} deletes a file, and folders that become empty`, async () => {
  const repo = await repository()
  const { body } = await write(CREATE, repo, 'a/b/c', { content: '' })
  const missing = await write(DELETE, repo, 'a/b/c', {})
  assert.deepEqual([missing.status, missing.body.message], [422, '[SHA]: Required'])
  const none = await write(DELETE, repo, 'a/b/d', { sha: body.content.sha })
  assert.deepEqual([none.status, none.body.message], [404, 'object does not exist [id: , rel_path: a/b/d]'])
  const folderId = await repo.git('rev-parse', 'main:a/b')
  assert.equal((await write(DELETE, repo, 'a/b', { sha: folderId })).status, 422)
  const gone = await write(DELETE, repo, 'a/b/c', { sha: body.content.sha })
  assert.deepEqual([gone.status, gone.body.content, gone.body.commit.message], [200, null, 'Delete a/b/c\n'])
  assert.deepEqual(await filesOf(repo), ['100644 README.md'])
  const readme = await repo.git('rev-parse', 'main:README.md')
  assert.equal((await write(DELETE, repo, 'README.md', { sha: readme })).status, 200)
  assert.equal(await repo.git('ls-tree', 'main'), '')
  await requireWhole(repo)
})

test(`${CHANGE} changes several files in one commit, each on top of the changes before it`, async () => {
  const repo = await repository()
  await write(CREATE, repo, 'old', { content: base64('old') })
  const before = await repo.git('rev-parse', 'main')
  const { status, body } = await change(repo, [
    { operation: 'rename', path: 'dir/new', from_path: 'old' },
    { operation: 'create', path: 'old', content: base64('again') },
    { operation: 'upload', path: 'dir/up', content: base64('up') },
    { operation: 'upload', path: 'dir/up', content: base64('up 2') },
    { operation: 'delete', path: 'README.md' },
  ])
  assert.equal(status, 201)
  assert.deepEqual(
    body.files.map((file: { path: string; content: string } | null) => file && [file.path, file.content]),
    [
      ['dir/new', base64('old')],
      ['old', base64('again')],
      ['dir/up', base64('up')],
      ['dir/up', base64('up 2')],
      null,
    ],
  )
  assert.equal(body.commit.message, 'Add old\nUpdate dir/new, dir/up, dir/up\nDelete README.md\n')
  assert.equal(await repo.git('rev-parse', 'main^'), before)
  assert.deepEqual(await filesOf(repo), ['100644 dir/new', '100644 dir/up', '100644 old'])
  assert.equal(await repo.git('show', 'main:dir/up'), 'up 2')
  await requireWhole(repo)
})

test('an impossible change leaves the repository unchanged', async () => {
  const repo = await repository()
  await change(repo, [{ operation: 'create', path: 'dir/file', content: '' }])
  const link = join(folder, `${repo.name}-link`)
  await clientOk(folder, 'clone', '-q', repo.path, link)
  const target = await clientOk(link, 'hash-object', '-w', 'README.md')
  await clientOk(link, 'update-index', '--add', '--cacheinfo', `120000,${target},link`)
  await clientOk(link, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`)
  await clientOk(link, 'commit', '-qm', 'x')
  await clientOk(link, 'push', '-q')
  const head = await repo.git('rev-parse', 'main')
  const refusals = [
    ['README.md', {}, 422, 'repository file already exists [path: README.md]'],
    ['dir', {}, 422, 'a directory exists where you’re trying to create a file [path: dir]'],
    ['dir/file/x', {}, 422, 'a file exists where you’re trying to create a subdirectory [path: dir/file]'],
    ['link', {}, 422, 'a symbolic link exists where you’re trying to create a subdirectory [path: link]'],
    ['link/x', {}, 422, 'a file exists where you’re trying to create a subdirectory [path: link]'],
    ['module', {}, 422, 'a submodule exists where you’re trying to create a file [path: module]'],
    ['x', { content: 'a' }, 422, 'illegal base64 data at input byte 0'],
    ['x', { content: 'YWJj\nYQ==!' }, 422, 'illegal base64 data at input byte 9'],
    ['x', { content: 'YW_j' }, 422, 'illegal base64 data at input byte 2'],
    ['x', { branch: 'none' }, 404, /^branch does not exist \[repo_id: \d+ name: none\]$/],
    ['x', { branch: 'a..b' }, 422, '[BranchName]: GitRefName'],
    ['x', { new_branch: 'x'.repeat(101) }, 422, '[NewBranchName]: MaxSize'],
    ['x', { author: { name: 'x'.repeat(101) } }, 422, '[Name]: MaxSize'],
    ['x', { dates: { author: '1969-12-31T23:59:59Z' } }, 422, 'a commit cannot be dated before 1970'],
    ['x', { dates: { author: 'now' } }, 422, /^\[\]: cannot read dates\.author/],
    ['x', { message: 'x'.repeat(65_537) }, 422, '[Message]: MaxSize'],
    ['.git/config', {}, 422, 'path contains a malformed path component [path: .git/config]'],
    ['a/.GIT', {}, 422, /malformed/],
    ['a/.g\u200cit/x', {}, 422, /malformed/],
    ['.git:$data', {}, 422, /malformed/],
    ['git~1', {}, 422, /malformed/],
    ['a\0b', {}, 422, /malformed/],
    ['x'.repeat(256), {}, 422, /malformed/],
    ['x/'.repeat(2100), {}, 422, /malformed/],
  ] as const
  for (const [path, more, status, message] of refusals) {
    const answer = await write(CREATE, repo, path, { content: '', ...more })
    assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`)
    if (typeof message === 'string') assert.equal(answer.body.message, message)
    else assert.match(answer.body.message, message)
  }
  const lists = [
    [[], '[Files]: Required'],
    [[{ operation: 'copy', path: 'x' }], '[Operation]: In'],
    [[{ operation: 'create', path: '' }], '[Path]: Required'],
    [[{ operation: 'delete', path: 'dir' }], 'a directory can only be changed file by file [path: dir]'],
    [[{ operation: 'update', path: 'README.md', sha: head }], /^sha does not match/],
    [[{ operation: 'upload', path: 'none', sha: head }], /^sha does not match/],
    [
      [
        { operation: 'create', path: 'n' },
        { operation: 'create', path: 'n/m' },
      ],
      /^a file exists/,
    ],
    [Array.from({ length: 1001 }, (_, at) => ({ operation: 'create', path: `f${at}` })), /at most 1000/],
    [[{ operation: 'create', path: 'a/../b' }], /malformed/],
    [[{ operation: 'create', path: '../b' }], /malformed/],
    [[{ operation: 'create', path: 'a//b' }], /malformed/],
    [[{ operation: 'create', path: '/' }], /malformed/],
    [[{ operation: 'rename', path: 'b', from_path: '.' }], /malformed/],
    ['x', /^\[\]: cannot read files/],
    [[null], /^\[\]: cannot read files\.0/],
  ] as const
  for (const [files, message] of lists) {
    const answer = await write(CHANGE, repo, '', { files })
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    if (typeof message === 'string') assert.equal(answer.body.message, message)
    else assert.match(answer.body.message, message)
  }
  const missing = await change(repo, [{ operation: 'rename', path: 'x', from_path: 'none' }])
  assert.deepEqual(
    [missing.status, missing.body.message],
    [404, 'object does not exist [id: , rel_path: none]'],
  )
  assert.equal(await repo.git('rev-parse', 'main'), head)
  assert.equal((await pool`select from forge.push_journal`).length, 0)
  await requireWhole(repo)
})

/** Names that a push may bring, and that no new file gets. */
const oddNames = ['back\\slash', 'tab\there', 'line\nbreak', '\x01', '\x7f', 'in\\side/file']

test('what a push has brought can be changed, moved and deleted, whatever its name', async () => {
  const pushed = await startRepository({ call, url, folder, ada }, 'odd')
  const repo = { name: 'odd', path: join(folder, 'data', 'repositories', 'ada', 'odd.git') }
  const made = { ...repo, git: (...args: string[]) => clientOk(repo.path, ...args) }
  await pushed.push(Object.fromEntries(oddNames.map((name) => [name, 'pushed'])))
  const shaOf = (name: string) => made.git('rev-parse', `main:${name}`)
  for (const name of oddNames) {
    const sha = await shaOf(name)
    const changed = await write(UPDATE, made, name, { content: base64('changed'), sha })
    assert.deepEqual([changed.status, changed.body.content?.path], [200, name], JSON.stringify(changed.body))
    assert.equal(await made.git('show', `main:${name}`), 'changed')
    const patch = await patchOf(pushed, name)
    const patched = await ask(PATCH, made, '', { as: ada, body: { content: patch } })
    assert.equal(patched.status, 201, `${JSON.stringify(name)}: ${patched.body.message}`)
    assert.equal(await made.git('show', `main:${name}`), 'patched')
    for (const operation of ['create', 'upload'])
      assert.equal((await change(made, [{ operation, path: `new ${name}` }])).status, 422)
    const back = { operation: 'rename', path: `to ${name}`, from_path: name, sha: await shaOf(name) }
    assert.equal((await change(made, [back])).status, 422)
    const moved = await change(made, [{ ...back, path: 'moved' }])
    assert.equal(moved.status, 201, JSON.stringify(moved.body))
    assert.equal(await made.git('show', 'main:moved'), 'patched')
    assert.equal((await write(DELETE, made, name, { sha })).status, 404)
    await write(DELETE, made, 'moved', { sha: await shaOf('moved') })
    await pushed.git('pull', '-q', '--rebase', 'origin', 'main')
    await pushed.push({ [name]: 'again' })
    const deleted = await write(DELETE, made, name, { sha: await shaOf(name) })
    assert.equal(deleted.status, 200, JSON.stringify(deleted.body))
    await pushed.git('pull', '-q', '--rebase', 'origin', 'main')
  }
  assert.deepEqual(await filesOf(made), [''])
  await requireWhole(made)
})

/** A patch of what a clone has at a path. */
async function patchOf({ git, path }: Awaited<ReturnType<typeof startRepository>>, name: string) {
  await git('pull', '-q', '--rebase', 'origin', 'main')
  await writeFile(join(path, name), 'patched')
  const patch = `${await git('diff', '--binary', '--full-index')}\n`
  await git('checkout', '-q', '.')
  return patch
}

test('files that git itself reads are checked as in a push', async () => {
  const repo = await repository()
  const head = await repo.git('rev-parse', 'main')
  const count = await repo.git('count-objects')
  const evil = '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n'
  for (const path of ['.gitmodules', '.GitModules', 'gitmod~1', 'sub/.gitmodules', '.gitmodules/x']) {
    const { status, body } = await write(CREATE, repo, path, { content: base64(evil) })
    assert.equal(status, 422, `${path} ${JSON.stringify(body)}`)
    assert.match(body.message, /^git refuses a file: gitmodules/)
  }
  assert.equal(await repo.git('rev-parse', 'main'), head)
  assert.equal(await repo.git('count-objects'), count, 'nothing stays of what was refused')
  await requireWhole(repo)
  const left = await readdir(join(repo.path, 'objects'))
  assert.deepEqual(
    left.filter((name) => name.startsWith('tmp')),
    [],
  )
  const good = '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n'
  assert.equal((await write(CREATE, repo, '.gitmodules', { content: base64(good) })).status, 201)
  assert.equal((await write(CREATE, repo, '.gitattributes', { content: base64('* text') })).status, 201)
  assert.equal((await write(CREATE, repo, '.github/x', { content: '' })).status, 201)
})

test('a commit goes to another branch, and replaces one only if the caller says so', async () => {
  const repo = await repository()
  const main = await repo.git('rev-parse', 'main')
  const first = await write(CREATE, repo, 'a', { content: '', new_branch: 'topic/1' })
  assert.equal(first.status, 201)
  assert.equal(await repo.git('rev-parse', 'main'), main)
  assert.equal(await repo.git('rev-parse', 'topic/1^'), main)
  assert.match(first.body.content.url, /ref=topic%2F1$/)
  const taken = await write(CREATE, repo, 'b', { content: '', new_branch: 'topic/1' })
  assert.deepEqual([taken.status, taken.body.message], [422, 'branch already exists [name: topic/1]'])
  const sha = await repo.git('rev-parse', 'main:README.md')
  const inTheWay = { new_branch: 'main/x' }
  const files = [{ operation: 'create', path: 'x' }]
  for (const [literal, path, body] of [
    [CREATE, 'b', { content: '' }],
    [UPDATE, 'README.md', { content: '', sha }],
    [DELETE, 'README.md', { sha }],
    [CHANGE, '', { files }],
  ] as const) {
    assert.equal((await write(literal, repo, path, { ...body, ...inTheWay })).status, 409)
    assert.equal((await write(literal, repo, path, { ...body, branch: 'none' })).status, 404)
  }
  const forced = await write(CREATE, repo, 'b', { content: '', new_branch: 'topic/1', force_push: true })
  assert.equal(forced.status, 201)
  assert.deepEqual(await filesOf(repo, 'topic/1'), ['100644 README.md', '100644 b'])
  const onTop = await write(CREATE, repo, 'c', { content: '', branch: 'topic/1' })
  assert.equal(onTop.status, 201)
  assert.equal(await repo.git('rev-parse', 'topic/1^'), forced.body.commit.sha)
})

test('the first commit of an empty repository may be on any branch, which becomes the default one', async () => {
  for (const format of ['sha1', 'sha256']) {
    const repo = await repository({ isEmpty: true, format })
    const nothing = await change(repo, [{ operation: 'delete', path: 'x' }])
    assert.equal(nothing.status, 404)
    const body = { content: base64('x'), new_branch: 'trunk' }
    assert.equal((await write(CREATE, repo, 'a/b', body)).status, 201)
    assert.equal((await write(CREATE, repo, 'a/c', { content: '' })).status, 201)
    assert.equal(await repo.git('rev-list', '--count', 'HEAD'), '2')
    const params = { owner: 'ada', repo: repo.name }
    const { body: shown } = await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params })
    assert.deepEqual([shown.default_branch, shown.empty], ['trunk', false])
    await requireWhole(repo)
  }
})

test('writing files requires write access to the code, and no archived repository', async () => {
  const repo = await repository()
  const body = { content: '' }
  for (const [as, status] of [
    [undefined, 401],
    [eve, 403],
    [boss, 201],
  ] as const)
    assert.equal((await ask(CREATE, repo, 'x', { as, body })).status, status)
  const params = { owner: 'ada', repo: repo.name }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params, body: { archived: true } })
  assert.equal((await write(CREATE, repo, 'y', body)).status, 423)
  assert.equal((await write(UPDATE, repo, 'y', body)).status, 423)
  assert.equal((await write(DELETE, repo, 'y', { sha: 'x' })).status, 423)
  assert.equal((await change(repo, [{ operation: 'create', path: 'y' }])).status, 423)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params,
    body: { archived: false, private: true },
  })
  assert.equal((await ask(CREATE, repo, 'z', { as: eve, body })).status, 404)
})

/** Waits until all lines are in a file that several append to at once; gives the statuses of refusals. */
async function appendAll(repo: Made, lines: readonly string[]): Promise<number[]> {
  const refusals: number[] = []
  const append = async (line: string) => {
    for (;;) {
      const head = await repo.git('rev-parse', 'main:list')
      const content = base64(`${await repo.git('cat-file', 'blob', head)}\n${line}`)
      const { status } = await write(UPDATE, repo, 'list', { content, sha: head, message: line })
      if (status === 200) return
      refusals.push(status)
    }
  }
  await Promise.all(lines.map(append))
  return refusals
}

test('writers with an Idempotency-Key and without one take turns', async () => {
  const repo = await repository()
  const create = (at: number) =>
    call(CREATE, {
      as: ada,
      params: { owner: 'ada', repo: repo.name, filepath: `file${at}` },
      ...(at % 2 === 0 && { headers: { 'idempotency-key': `key-${at}` } }),
      body: { content: base64(`${at}`) },
    })
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create(at)))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  assert.equal(await repo.git('rev-list', '--count', 'main'), '21')
})

test('concurrent writers of different files take turns, and none is refused', async () => {
  const repo = await repository()
  const names = Array.from({ length: 20 }, (_, at) => `folder${at % 3}/file${at}`)
  const create = (name: string, at: number) =>
    write(CREATE, repo, name, { content: base64(name), ...(at % 2 === 0 && { branch: 'main' }) })
  const answers = await Promise.all(names.map(create))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
  for (const name of names) assert.equal(await repo.git('show', `main:${name}`), name)
  const commits = (await repo.git('rev-list', '--first-parent', 'main')).split('\n')
  assert.deepEqual(
    answers.filter(({ body }) => !commits.includes(body.commit.sha)),
    [],
  )
  await requireWhole(repo)
})

test('concurrent writers of one file do not overwrite each other', async () => {
  const repo = await repository()
  const { sha } = (await write(CREATE, repo, 'list', { content: '' })).body.content
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => write(UPDATE, repo, 'list', { content: base64(`${at}`), sha })),
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join())
  assert.ok(
    statuses.every((status) => [200, 409, 422].includes(status)),
    statuses.join(),
  )
  assert.equal(await repo.git('show', 'main:list'), `${statuses.indexOf(200)}`)
  const lines = ['a', 'b', 'c', 'd', 'e', 'f']
  const refusals = await appendAll(repo, lines)
  assert.deepEqual((await repo.git('show', 'main:list')).split('\n').slice(1).sort(), lines)
  assert.ok(
    refusals.every((status) => [409, 422].includes(status)),
    refusals.join(),
  )
  assert.equal(await repo.git('rev-list', '--count', 'main'), '9')
  assert.equal((await pool`select from forge.push_journal`).length, 0)
  await requireWhole(repo)
})

test('twenty writers in as many repositories do not wait for each other', async () => {
  const repos = await Promise.all(Array.from({ length: 20 }, () => repository()))
  const answers = await Promise.all(
    repos.map((repo) => write(CREATE, repo, 'a/b/c', { content: base64(repo.name) })),
  )
  assert.ok(answers.every(({ status }) => status === 201))
  for (const repo of repos) await requireWhole(repo)
})

test('a commit is published with the same facts as git reports', async () => {
  const repo = await repository()
  await change(repo, [
    { operation: 'create', path: 'a', content: '' },
    { operation: 'create', path: 'b/c', content: '' },
    { operation: 'create', path: 'é', content: 'YQ==' },
  ])
  const { body } = await change(
    repo,
    [
      { operation: 'delete', path: 'a' },
      { operation: 'create', path: 'a/a', content: '' },
      { operation: 'rename', path: 'z', from_path: 'é' },
      { operation: 'update', path: 'b/c', content: 'YWI=' },
      { operation: 'create', path: 'b/d', content: '' },
      { operation: 'upload', path: 'README.md', content: 'YQ==' },
      { operation: 'create', path: 'gone', content: '' },
      { operation: 'delete', path: 'gone' },
    ],
    { signoff: true, dates: { author: '2020-01-01T00:00:00Z' } },
  )
  const [event] = await pool<{ payload: { commits: unknown[]; total: number; before: string } }[]>`
    select payload from forge.event
    where kind = 'ref.updated' and payload -> 'repository' ->> 'name' = ${repo.name}
    order by id desc limit 1`
  assert.ok(event)
  const { git } = await gitService()
  const span = { before: event.payload.before, after: body.commit.sha, maxCommits: 5, count: 5 }
  const { commits, total } = okOf(await readPush({ git, directory: repo.path }, span))
  const named = (person: object) => ({ ...person, username: 'ada' })
  const told = commits.map(({ parents: _, author, committer, ...commit }) => {
    return { ...commit, author: named(author), committer: named(committer) }
  })
  assert.deepEqual([event.payload.commits, event.payload.total], [told, total])
})

test('a commit is published like a push, and a push can build on it', async () => {
  const repo = await repository()
  const workflow = 'on: push\njobs:\n  one:\n    runs-on: linux\n    steps:\n      - run: echo\n'
  const path = '.gitea/workflows/build.yml'
  const { body } = await write(CREATE, repo, path, { content: base64(workflow), message: 'Build' })
  const [event] = await pool<{ payload: { ref: string; after: string; commits: { added: string[] }[] } }[]>`
    select payload from forge.event
    where kind = 'ref.updated' and payload -> 'repository' ->> 'name' = ${repo.name}
    order by id desc limit 1`
  assert.deepEqual(
    [event?.payload.ref, event?.payload.after, event?.payload.commits[0]?.added],
    ['refs/heads/main', body.commit.sha, [path]],
  )
  const work = join(folder, `${repo.name}-push`)
  await clientOk(folder, 'clone', '-q', repo.path, work)
  await clientOk(work, 'commit', '-qm', 'more', '--allow-empty')
  await clientOk(work, 'push', '-q')
  assert.equal(await repo.git('rev-list', '--count', 'main'), '3')
  const temporary = (await readdir(join(repo.path, 'objects'), { recursive: true })).filter((name) =>
    name.includes('tmp'),
  )
  assert.deepEqual(temporary, [])
})

test('a file of 20 MiB is written, and a body over the limit refused', async () => {
  const repo = await repository()
  const large = Buffer.alloc(20 * 1024 * 1024, 'x').toString('base64')
  const { status, body } = await write(CREATE, repo, 'large', { content: large })
  assert.deepEqual([status, body.content.size, body.content.content], [201, 20 * 1024 * 1024, null])
  const more = await write(CREATE, repo, 'larger', { content: 'x'.repeat(32 * 1024 * 1024) })
  assert.equal(more.status, 413)
  await requireWhole(repo)
})

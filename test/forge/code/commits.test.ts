import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, url: root, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, eve] = await make.people('ada', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/commits'
const GET = 'GET /api/v1/repos/{owner}/{repo}/git/commits/{sha}'
const DIFF = 'GET /api/v1/repos/{owner}/{repo}/git/commits/{sha}.diff'
const PATCH = 'GET /api/v1/repos/{owner}/{repo}/git/commits/{sha}.patch'
const NOTE = 'GET /api/v1/repos/{owner}/{repo}/git/notes/{sha}'
const COMPARE = 'GET /api/v1/repos/{owner}/{repo}/compare/{basehead...}'

let made = 0
/** A repository of ada, and its directory. */
async function repository({ isEmpty = false, isPrivate = false } = {}) {
  const name = `r${++made}`
  const body = { name, auto_init: !isEmpty, private: isPrivate }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  return { name, path: join(folder, 'data', 'repositories', 'ada', `${name}.git`) }
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

const shas = (commits: { sha: string }[]) => commits.map(({ sha }) => sha)

/** A repository whose `main` has a commit of its creation and five more, and a branch `side` that was merged. */
const repo = await repository()
const work = join(folder, 'work')
const history: string[] = []
const commit = async (message: string, at: number) => {
  const date = `--date=@${at} +0130`
  await clientOk(work, 'add', '-A')
  await clientOk(work, 'commit', '-q', '--allow-empty', '-m', message, date)
  history.unshift(await clientOk(work, 'rev-parse', 'HEAD'))
}
await clientOk(folder, 'clone', '-q', repo.path, work)
history.unshift(await clientOk(work, 'rev-parse', 'HEAD'))
await writeFile(join(work, 'a.txt'), 'one\ntwo\n')
await commit('add a', 1_700_000_000)
await writeFile(join(work, 'a.txt'), 'one\nthree\nfour\n')
await writeFile(join(work, 'b [x].txt'), 'b\n')
await commit('change a', 1_700_000_100)
await clientOk(work, 'rm', '-q', 'a.txt')
await commit('remove a', 1_700_000_200)
await clientOk(work, 'push', '-q', 'origin', 'HEAD:main')
const [head = '', middle = '', added = '', first = ''] = history

test(`${LIST} shows commits with their files, newest first, and the numbers of the page`, async () => {
  const { status, headers, body } = await ask(LIST, repo, { as: undefined, query: { limit: '2' } })
  assert.deepEqual([status, shas(body)], [200, [head, middle]])
  const named = ['x-total-count', 'x-page', 'x-perpage', 'x-total', 'x-pagecount', 'x-hasmore']
  assert.deepEqual(
    named.map((name) => headers.get(name)),
    ['4', '1', '2', '4', '2', 'true'],
  )
  assert.match(headers.get('access-control-expose-headers') ?? '', /X-HasMore/)
  const [, shown] = body
  const own = await clientOk(repo.path, 'show', '-s', '--format=%cI %T %P', middle)
  const [committed, tree, parent] = own.split(' ')
  assert.equal(shown.created, committed?.replace('+00:00', 'Z'))
  assert.equal(shown.commit.author.date, '2023-11-14T23:45:00+01:30')
  assert.deepEqual([shown.commit.tree.sha, shown.parents[0].sha], [tree, parent])
  assert.deepEqual(shown.files, [
    { filename: 'a.txt', status: 'modified' },
    { filename: 'b [x].txt', status: 'added' },
  ])
  assert.deepEqual(shown.stats, { total: 4, additions: 3, deletions: 1 })
  assert.equal(shown.commit.verification.reason, 'gpg.error.not_signed_commit')
  assert.deepEqual(body[0].files, [{ filename: 'a.txt', status: 'removed' }])
  const last = await ask(LIST, repo, { query: { page: '2', limit: '3' } })
  assert.deepEqual([shas(last.body), last.headers.get('x-hasmore')], [[first], 'false'])
  assert.equal(last.body[0].author.login, 'ada')
  assert.deepEqual((await ask(LIST, repo, { query: { page: '9' } })).body, [])
})

test(`${LIST} leaves out parts that the caller turns off`, async () => {
  const off = { stat: 'false', files: '0', verification: 'no' }
  const { body } = await ask(LIST, repo, { query: off })
  assert.deepEqual(shas(body), history)
  for (const each of body)
    assert.deepEqual([each.files, each.stats, each.commit.verification], [null, null, null])
  const some = await ask(LIST, repo, { query: { files: 'false', stat: '' } })
  assert.deepEqual([some.body[1].files, some.body[1].stats.total], [null, 4])
})

test(`${LIST} selects by branch, tag and id, by path, by time, and without the commits of another one`, async () => {
  await clientOk(repo.path, 'tag', 'v1', added)
  const selections = [
    [{ sha: 'v1' }, [added, first]],
    [{ sha: middle.slice(0, 8) }, [middle, added, first]],
    [{ path: 'a.txt' }, [head, middle, added]],
    [{ path: '/a.txt/', limit: '1', page: '2' }, [middle]],
    [{ path: 'b [x].txt' }, [middle]],
    [{ path: 'a.*' }, 404],
    [{ path: 'none' }, 404],
    [{ path: '../a.txt' }, 404],
    [{ path: '.git/config' }, 404],
    [{ path: 'a.txt', until: '2000-01-01T00:00:00Z' }, []],
    [{ not: 'v1' }, [head, middle]],
    [{ not: 'main' }, []],
    [{ not: 'nowhere' }, 422],
    [{ sha: 'nowhere' }, 404],
    [{ sha: '--all' }, 404],
    [{ sha: 'x'.repeat(4000) }, 404],
    [{ since: '2000-01-01T00:00:00Z' }, history],
    [{ since: '9999-01-01T00:00:00Z' }, []],
    [{ until: '1900-01-01T00:00:00Z' }, []],
    [{ since: 'yesterday' }, 422],
    [{ until: 'x' }, 422],
  ] as const
  for (const [query, expected] of selections) {
    const { status, body } = await ask(LIST, repo, { query })
    const got = status === 200 ? shas(body) : status
    assert.deepEqual(got, expected, JSON.stringify(query).slice(0, 80))
  }
})

test(`${LIST} of an empty repository is refused, and a push is seen at once`, async () => {
  const empty = await repository({ isEmpty: true })
  const refused = await ask(LIST, empty)
  assert.deepEqual([refused.status, refused.body.message], [409, 'Git Repository is empty.'])
  const one = await repository()
  assert.equal((await ask(LIST, one)).body.length, 1)
  const params = { owner: 'ada', repo: one.name }
  const tip = await clientOk(one.path, 'rev-parse', 'main')
  const next = await clientOk(one.path, 'commit-tree', '-p', tip, '-m', 'n', `${tip}^{tree}`)
  const moving = { ...params, branch: 'main' }
  const moved = await call('PUT /api/v1/repos/{owner}/{repo}/branches/{branch...}', {
    as: ada,
    params: moving,
    body: { new_commit_id: next },
  })
  assert.equal(moved.status, 204)
  assert.deepEqual(shas((await ask(LIST, one)).body), [next, tip])
})

test(`${LIST} shows commits whose names, dates and encodings are broken`, async () => {
  const broken = await repository()
  const tree = await clientOk(broken.path, 'rev-parse', 'main^{tree}')
  const lines = [`tree ${tree}`, 'author A <a@b> 999999999999999 +0000', 'committer \xff <> 1 +9999', '']
  const raw = join(folder, 'raw')
  await writeFile(raw, Buffer.from([...lines, 'm\xfc\n'].join('\n'), 'latin1'))
  const id = await clientOk(broken.path, 'hash-object', '-t', 'commit', '-w', '--literally', raw)
  await clientOk(broken.path, 'update-ref', 'refs/heads/main', id)
  const { body } = await ask(LIST, broken, { query: { sha: id } })
  assert.deepEqual([body.length, body[0].sha, body[0].commit.author.date], [1, id, ''])
  assert.equal((await ask(GET, broken, { params: { sha: id } })).body.created, '1970-01-01T00:00:01Z')
})

test(`${GET} shows one commit by id, branch or tag, and a merge against its first parent`, async () => {
  for (const sha of [head, head.slice(0, 7), 'main', 'refs/heads/main'])
    assert.equal((await ask(GET, repo, { params: { sha } })).body.sha, head)
  await clientOk(work, 'checkout', '-q', '-b', 'side', added)
  await writeFile(join(work, 's.txt'), 's\n')
  await clientOk(work, 'add', '-A')
  await clientOk(work, 'commit', '-q', '-m', 'side')
  await clientOk(work, 'merge', '-q', '-m', 'merge', head)
  await clientOk(work, 'push', '-q', 'origin', 'side')
  const { body } = await ask(GET, repo, { params: { sha: 'side' } })
  assert.equal(body.parents.length, 2)
  assert.deepEqual(body.files.map(({ filename }: { filename: string }) => filename).toSorted(), [
    'a.txt',
    'b [x].txt',
  ])
  const unknown = await ask(GET, repo, { params: { sha: '1'.repeat(40) } })
  assert.deepEqual([unknown.status, unknown.body.message], [404, `commit doesn't exist: ${'1'.repeat(40)}`])
  for (const sha of ['a..b', 'main^', '-x', '@{u}', 'a\0b'])
    assert.equal((await ask(GET, repo, { params: { sha } })).status, 422, sha)
})

test(`${DIFF} and ${PATCH} send the output of git, also for the first commit`, async () => {
  const diff = await ask(DIFF, repo, { params: { sha: middle } })
  assert.equal(diff.headers.get('content-type'), 'text/plain; charset=utf-8')
  assert.match(diff.body, /^diff --git a\/a\.txt b\/a\.txt\n[\s\S]*\n-two\n\+three\n\+four\n/)
  assert.match((await ask(DIFF, repo, { params: { sha: first } })).body, /^diff --git [\s\S]*new file mode/)
  const patch = await ask(PATCH, repo, { as: undefined, params: { sha: middle } })
  const file = join(folder, 'mail.patch')
  await writeFile(file, patch.body)
  await clientOk(work, 'checkout', '-q', added)
  await clientOk(work, 'am', '-q', file)
  assert.equal(
    await clientOk(work, 'rev-parse', 'HEAD^{tree}'),
    await clientOk(work, 'rev-parse', `${middle}^{tree}`),
  )
  for (const literal of [DIFF, PATCH]) {
    assert.equal((await ask(literal, repo, { params: { sha: 'none' } })).status, 404)
    assert.equal((await ask(literal, repo, { params: { sha: 'a..b' } })).status, 422)
  }
  const address = `${root}/api/v1/repos/ada/${repo.name}/git/commits/${middle}.diff`
  const asked = await fetch(address, { method: 'HEAD' })
  assert.deepEqual([asked.status, await asked.text()], [200, ''])
})

test(`${NOTE} shows the note about a commit`, async () => {
  assert.equal((await ask(NOTE, repo, { params: { sha: 'main' } })).status, 404)
  await clientOk(repo.path, 'notes', 'add', '-m', 'well done', middle)
  const { status, body } = await ask(NOTE, repo, { as: undefined, params: { sha: middle } })
  const written = await clientOk(repo.path, 'rev-parse', 'refs/notes/commits')
  assert.deepEqual([status, body.message, body.commit.sha], [200, 'well done\n', written])
  assert.equal((await ask(NOTE, repo, { params: { sha: head } })).status, 404)
  assert.equal((await ask(NOTE, repo, { params: { sha: 'a..b' } })).status, 422)
})

test(`${COMPARE} lists the commits that only the second has, in all forms`, async () => {
  await clientOk(repo.path, 'branch', 'from/slash', added)
  const comparisons = [
    ['from/slash...main', [head, middle]],
    ['v1..main', [head, middle]],
    [`${first}...${middle.slice(0, 9)}`, [middle, added]],
    ['main...from/slash', []],
    ['main^...main', [head]],
    ['main~2..main', [head, middle]],
    ['main~9...main', 404],
    ['from/slash...ada:main', [head, middle]],
    [`from/slash...ada/${repo.name}:main`, [head, middle]],
    ['from/slash...eve:main', 404],
    ['none...main', 404],
    ['main...', 404],
    ['main^{/x}...main', 400],
    ['v1', []],
  ] as const
  for (const [basehead, expected] of comparisons) {
    const { status, body } = await ask(COMPARE, repo, { as: undefined, params: { basehead } })
    assert.deepEqual(status === 200 ? shas(body.commits) : status, expected, basehead)
    if (status === 200) assert.equal(body.total_commits, body.commits.length)
  }
  const { body } = await ask(COMPARE, repo, { params: { basehead: 'v1...main' }, query: { files: 'false' } })
  assert.deepEqual([body.commits[1].files, body.commits[1].stats.total], [null, 4])
})

test(`${COMPARE} accepts branches without common history, and sends texts`, async () => {
  const tree = await clientOk(repo.path, 'rev-parse', 'main^{tree}')
  const alone = await clientOk(repo.path, 'commit-tree', '-m', 'alone', tree)
  await clientOk(repo.path, 'branch', 'alone', alone)
  const { body } = await ask(COMPARE, repo, { params: { basehead: 'main...alone' } })
  assert.deepEqual(body, { total_commits: 0, commits: [] })
  const direct = await ask(COMPARE, repo, { params: { basehead: 'main..alone' } })
  assert.deepEqual([direct.body.total_commits, shas(direct.body.commits)], [1, [alone]])
  const text = async (basehead: string, output: string) => {
    const answer = await fetch(`${root}/api/v1/repos/ada/${repo.name}/compare/${basehead}?output=${output}`)
    return [answer.status, answer.headers.get('content-type'), await answer.text()] as const
  }
  const [status, type, diff] = await text('v1...main', 'diff')
  assert.deepEqual([status, type], [200, 'text/plain; charset=utf-8'])
  assert.match(diff, /^diff --git a\/a\.txt b\/a\.txt\ndeleted/)
  const [, , patch] = await text('v1...main', 'patch')
  assert.equal(patch.match(/^Subject: /gm)?.length, 2)
  assert.equal((await text('main...alone', 'diff'))[0], 404)
  assert.deepEqual(
    [(await text('main..alone', 'diff'))[0], (await text('v1...main', 'x'))[1]?.split(';')[0]],
    [200, 'application/json'],
  )
})

test(`${LIST} shows commits without their files if these are too many`, async () => {
  const large = await repository()
  const tip = await clientOk(large.path, 'rev-parse', 'main')
  const blob = await clientOk(large.path, 'rev-parse', 'main:README.md')
  const entries = Array.from({ length: 40_000 }, (_, at) => `100644 blob ${blob}\t${'x'.repeat(200)}${at}\n`)
  const input = entries.join('')
  const tree = execFileSync('git', ['mktree'], { cwd: large.path, input, encoding: 'utf8' }).trim()
  const many = await clientOk(large.path, 'commit-tree', '-p', tip, '-m', 'many', tree)
  const after = await clientOk(large.path, 'commit-tree', '-p', many, '-m', 'after', tree)
  await clientOk(large.path, 'update-ref', 'refs/heads/main', after)
  const { body } = await ask(LIST, large, { query: { sha: after } })
  assert.deepEqual(shas(body), [after, many, tip])
  assert.deepEqual([body[0].files, body[1].files, body[2].files], [[], null, null])
})

test('commits of a private repository are for its readers', async () => {
  const hidden = await repository({ isPrivate: true })
  for (const [literal, params] of [
    [LIST, {}],
    [GET, { sha: 'main' }],
    [DIFF, { sha: 'main' }],
    [PATCH, { sha: 'main' }],
    [NOTE, { sha: 'main' }],
    [COMPARE, { basehead: 'main...main' }],
  ] as const) {
    for (const as of [undefined, eve]) assert.equal((await ask(literal, hidden, { as, params })).status, 404)
    assert.notEqual((await ask(literal, hidden, { params })).status, 401)
  }
  assert.equal((await client(hidden.path, 'fsck')).code, 0)
})

test(`${LIST} counts correctly when commits are added, dropped and replaced, and for a repository at an old path`, async () => {
  const counted = await repository()
  const clone = join(folder, counted.name)
  await clientOk(folder, 'clone', '-q', counted.path, clone)
  const pushes: (() => Promise<unknown>)[] = [
    () => clientOk(clone, 'commit', '-q', '--allow-empty', '-m', 'one'),
    () => clientOk(clone, 'commit', '-q', '--allow-empty', '-m', 'two'),
    () => clientOk(clone, 'reset', '-q', '--hard', 'HEAD~1'),
    () => clientOk(clone, 'commit', '-q', '--amend', '--allow-empty', '-m', 'another'),
    () => clientOk(clone, 'fetch', '-q', repo.path, 'main'),
    () =>
      clientOk(clone, 'merge', '-q', '--allow-unrelated-histories', '-s', 'ours', '-m', 'both', 'FETCH_HEAD'),
  ]
  const totals = async () => {
    const { headers } = await ask(LIST, counted, { query: { sha: 'main' } })
    return [headers.get('x-total-count'), await clientOk(counted.path, 'rev-list', '--count', 'main')]
  }
  for (const change of pushes) {
    await change()
    await push(clone, counted.name)
    const [total, own] = await totals()
    assert.equal(total, own)
  }
  const params = { owner: 'ada', repo: counted.name }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params })).status, 204)
  const body = { name: counted.name, auto_init: true }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  assert.deepEqual(await totals(), ['1', '1'])
})

/** Pushes a work tree with force, as ada. */
const push = (path: string, name: string) =>
  clientOk(
    path,
    'push',
    '-q',
    '--force',
    `${new URL(`/ada/${name}.git`, root).href.replace('//', `//ada:${ada.token}@`)}`,
    'HEAD:refs/heads/main',
  )

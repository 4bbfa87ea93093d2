import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, pool, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/branches'
const GET = 'GET /api/v1/repos/{owner}/{repo}/branches/{branch...}'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/branches'
const DELETE = 'DELETE /api/v1/repos/{owner}/{repo}/branches/{branch...}'
const MOVE = 'PUT /api/v1/repos/{owner}/{repo}/branches/{branch...}'
const RENAME = 'PATCH /api/v1/repos/{owner}/{repo}/branches/{branch...}'

let made = 0
/** A repository of ada with one commit on `main`, and its directory. */
async function repository({ isEmpty = false } = {}) {
  const name = `r${++made}`
  const body = { name, auto_init: !isEmpty }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  const head = isEmpty ? '' : await clientOk(path, 'rev-parse', 'main')
  return { name, path, head }
}

interface More {
  as?: Somebody | undefined
  branch?: string
  body?: unknown
  query?: Record<string, string>
}
const ask = (literal: string, { name }: { name: string }, { branch = '', ...given }: More = {}) => {
  const { as, ...more } = { as: ada, ...given }
  return call(literal, { ...(as && { as }), params: { owner: 'ada', repo: name, branch }, ...more })
}

/** A further commit on top of another, which no ref has. */
const commitOn = (path: string, parent: string) =>
  clientOk(path, 'commit-tree', '-p', parent, '-m', 'more', `${parent}^{tree}`)

const refsIn = async (path: string) =>
  (await clientOk(path, 'for-each-ref', '--format=%(refname)')).split('\n')

/** The events of refs that were published for a repository, in order. */
async function eventsOf({ name }: { name: string }): Promise<string[]> {
  const rows = await pool<{ ref: string; after: string }[]>`
    select payload ->> 'ref' as ref, payload ->> 'after' as after
    from forge.event
    where kind = 'ref.updated' and payload -> 'repository' ->> 'name' = ${name}
    order by id`
  return rows.map(({ ref, after }) => `${/^0+$/.test(after) ? '-' : '+'}${ref}`)
}

test(`${LIST} and ${GET} show branches with their commits, to everybody who may read the code`, async () => {
  const repo = await repository()
  await ask(CREATE, repo, { body: { new_branch_name: 'topic/one' } })
  const listed = await ask(LIST, repo, { as: undefined })
  assert.deepEqual(
    [
      listed.status,
      listed.headers.get('x-total-count'),
      listed.body.map((each: { name: string }) => each.name),
    ],
    [200, '2', ['main', 'topic/one']],
  )
  const one = await ask(GET, repo, { branch: 'topic/one' })
  assert.deepEqual(one.body, {
    ...listed.body[1],
    user_can_push: true,
    user_can_merge: true,
  })
  assert.equal(one.body.commit.id, repo.head)
  assert.equal(one.body.commit.author.username, 'ada')
  assert.deepEqual((await ask(LIST, repo, { query: { q: 'TOPIC' } })).body.length, 1)
  assert.equal((await ask(GET, repo, { branch: 'none' })).status, 404)
  const empty = await ask(LIST, await repository({ isEmpty: true }))
  assert.deepEqual([empty.status, empty.body], [200, []])
})

test(`${LIST} is current immediately after a push`, async () => {
  const repo = await repository()
  for (const name of ['a', 'b', 'c']) {
    assert.equal((await ask(CREATE, repo, { body: { new_branch_name: name } })).status, 201)
    assert.ok((await ask(LIST, repo)).body.some((each: { name: string }) => each.name === name))
  }
})

test(`${CREATE} makes a branch from the default branch, a branch, a tag or a commit, and publishes it`, async () => {
  const repo = await repository()
  const next = await commitOn(repo.path, repo.head)
  await clientOk(repo.path, 'tag', '-a', 'v1', '-m', 'one', next)
  for (const [start, id] of [
    [undefined, repo.head],
    ['main', repo.head],
    ['v1', next],
    [next, next],
    [next.slice(0, 10), next],
  ] as const) {
    const new_branch_name = `from-${start ?? 'nothing'}`
    const { status, body } = await ask(CREATE, repo, { body: { new_branch_name, old_ref_name: start } })
    assert.deepEqual([status, body.name, body.commit?.id], [201, new_branch_name, id], new_branch_name)
  }
  assert.deepEqual((await eventsOf(repo)).slice(-1), [`+refs/heads/from-${next.slice(0, 10)}`])
  assert.equal((await pool`select from forge.push_journal`).length, 0)
})

test(`${CREATE} refuses taken, conflicting and invalid names, and unknown starts`, async () => {
  const repo = await repository()
  await clientOk(repo.path, 'tag', 'v1', 'main')
  const refusals = [
    [{ new_branch_name: 'main' }, 409, 'The branch already exists.'],
    [{ new_branch_name: 'main/x' }, 409, 'The branch with the same name already exists.'],
    [{ new_branch_name: 'v1' }, 409, 'The branch with the same tag already exists.'],
    [{ new_branch_name: 'x', old_ref_name: 'nowhere' }, 404, 'The old branch does not exist'],
    [{ new_branch_name: 'a..b' }, 422, '[NewBranchName]: GitRefName'],
    [{ new_branch_name: 'x'.repeat(101) }, 422, '[NewBranchName]: MaxSize'],
    [{}, 422, '[NewBranchName]: Required'],
  ] as const
  for (const [body, status, message] of refusals) {
    const answer = await ask(CREATE, repo, { body })
    assert.deepEqual([answer.status, answer.body.message], [status, message])
  }
  assert.deepEqual(await refsIn(repo.path), ['refs/heads/main', 'refs/tags/v1'])
  const empty = await repository({ isEmpty: true })
  assert.equal((await ask(CREATE, empty, { body: { new_branch_name: 'x' } })).status, 404)
})

test('changing branches requires write access to the code, and no archived repository', async () => {
  const repo = await repository()
  const body = { new_branch_name: 'x' }
  for (const [as, status] of [
    [undefined, 401],
    [eve, 403],
    [boss, 201],
  ] as const)
    assert.equal((await ask(CREATE, repo, { as, body })).status, status)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: repo.name },
    body: { archived: true },
  })
  assert.equal((await ask(CREATE, repo, { body: { new_branch_name: 'y' } })).status, 423)
  assert.equal((await ask(DELETE, repo, { branch: 'x' })).status, 423)
  assert.equal((await ask(MOVE, repo, { branch: 'x', body: { new_commit_id: repo.head } })).status, 423)
  assert.equal((await ask(RENAME, repo, { branch: 'x', body: { name: 'z' } })).status, 423)
  assert.deepEqual(await refsIn(repo.path), ['refs/heads/main', 'refs/heads/x'])
})

test(`${DELETE} deletes a branch, but not the default one`, async () => {
  const repo = await repository()
  await ask(CREATE, repo, { body: { new_branch_name: 'a/b' } })
  assert.equal((await ask(DELETE, repo, { branch: 'a/b' })).status, 204)
  assert.equal((await ask(DELETE, repo, { branch: 'a/b' })).status, 404)
  assert.equal((await ask(DELETE, repo, { branch: 'main' })).status, 403)
  assert.deepEqual(await refsIn(repo.path), ['refs/heads/main'])
  assert.deepEqual((await eventsOf(repo)).slice(-1), ['-refs/heads/a/b'])
})

test(`${MOVE} moves a branch to another commit, if no commit is lost or with force`, async () => {
  const repo = await repository()
  const next = await commitOn(repo.path, repo.head)
  const move = (body: object) => ask(MOVE, repo, { branch: 'main', body })
  assert.equal((await move({ new_commit_id: next, old_commit_id: next })).status, 422)
  assert.equal((await move({ new_commit_id: 'nowhere' })).status, 422)
  assert.equal((await move({ new_commit_id: next, old_commit_id: repo.head })).status, 204)
  assert.equal((await move({ new_commit_id: repo.head })).status, 422)
  assert.equal(await clientOk(repo.path, 'rev-parse', 'main'), next)
  assert.equal((await move({ new_commit_id: repo.head, force: true })).status, 204)
  assert.equal(await clientOk(repo.path, 'rev-parse', 'main'), repo.head)
})

test(`${RENAME} renames a branch, and the default branch with HEAD`, async () => {
  const repo = await repository()
  await ask(CREATE, repo, { body: { new_branch_name: 'x' } })
  assert.equal((await ask(RENAME, repo, { branch: 'x', body: { name: 'main' } })).status, 422)
  assert.equal((await ask(RENAME, repo, { branch: 'none', body: { name: 'y' } })).status, 404)
  assert.equal((await ask(RENAME, repo, { branch: 'x', body: { name: 'y/z' } })).status, 204)
  assert.equal((await ask(RENAME, repo, { branch: 'main', body: { name: 'trunk' } })).status, 204)
  assert.deepEqual(await refsIn(repo.path), ['refs/heads/trunk', 'refs/heads/y/z'])
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: repo.name },
  })
  assert.equal(body.default_branch, 'trunk')
  assert.equal(await clientOk(repo.path, 'symbolic-ref', 'HEAD'), 'refs/heads/trunk')
})

test('of ten concurrent moves of one branch, one succeeds, and the others get 409', async () => {
  const repo = await repository()
  const commits: string[] = []
  for (let at = 0; at < 10; at++)
    commits.push(
      await clientOk(repo.path, 'commit-tree', '-p', repo.head, '-m', `${at}`, `${repo.head}^{tree}`),
    )
  const answers = await Promise.all(
    commits.map((new_commit_id) =>
      ask(MOVE, repo, { branch: 'main', body: { new_commit_id, old_commit_id: repo.head } }),
    ),
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1, statuses.join())
  assert.ok(
    statuses.every((status) => [204, 409, 422].includes(status)),
    statuses.join(),
  )
  assert.equal(await clientOk(repo.path, 'rev-parse', 'main'), commits[statuses.indexOf(204)])
  assert.equal((await pool`select from forge.push_journal`).length, 0)
  assert.equal((await client(repo.path, 'fsck', '--strict')).code, 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProtected } from '../../support/forge/protected.ts'
import { client, clientOk } from '../../support/git.ts'

const { pool, ada, bob, repository } = await startProtected()

type Repo = Awaited<ReturnType<typeof repository>>
const protect = async (repo: Repo, body: object) => {
  const { status, body: said } = await repo.ask(ada, 'POST /api/v1/repos/{owner}/{repo}/branch_protections', {
    body,
  })
  assert.equal(status, 201, JSON.stringify(said))
}
const refused = (branch: string) => `Not allowed to push to protected branch ${branch}`
/** Moves a branch of the server by the API, with a commit that is pushed to another branch before. */
async function moveByApi(repo: Repo, as: typeof ada, branch: string, force = false) {
  const id = await clientOk(repo.work, 'rev-parse', 'HEAD')
  assert.equal(await repo.push(ada, '-f', 'HEAD:refs/heads/aside'), '')
  const answer = await repo.ask(as, 'PUT /api/v1/repos/{owner}/{repo}/branches/{branch...}', {
    params: { branch },
    body: { new_commit_id: id, force },
  })
  return answer.status === 204 ? '' : `${answer.status} ${answer.body.message}`
}

test('without enable_push nobody can push, not even the owner or by API', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: 'main' })
  await repo.commit({ a: 'a' })
  assert.equal(await repo.push(ada, 'HEAD:main'), refused('main'))
  assert.equal(await repo.push(bob, 'HEAD:main'), refused('main'))
  assert.equal(await moveByApi(repo, ada, 'main'), `403 ${refused('main')}`)
  const commits = await clientOk(repo.path, 'rev-list', '--count', 'main')
  assert.equal(commits, '1')
  assert.equal((await pool`select from forge.push_journal`).length, 0)
  assert.equal((await client(repo.path, 'fsck', '--strict')).code, 0)
})

test('enable_push allows users with write access to push, and with a whitelist only those on it', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: 'main', enable_push: true })
  await repo.commit({ a: 'a' })
  assert.equal(await repo.push(bob, 'HEAD:main'), '')
  const edit = (body: object) =>
    repo.ask(ada, 'PATCH /api/v1/repos/{owner}/{repo}/branch_protections/{name...}', {
      params: { name: 'main' },
      body,
    })
  assert.equal(
    (await edit({ enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ['bob'] }))
      .status,
    200,
  )
  await repo.commit({ a: 'b' })
  assert.equal(await repo.push(ada, 'HEAD:main'), refused('main'))
  assert.equal(await moveByApi(repo, ada, 'main'), `403 ${refused('main')}`)
  assert.equal(await moveByApi(repo, bob, 'main'), '')
  await repo.commit({ a: 'c' })
  assert.equal(await repo.push(bob, 'HEAD:main'), '')
})

test('the rules apply to a commit by API: who may push, and which files may change', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: 'main', unprotected_file_patterns: 'docs/*' })
  const create = async (as: typeof ada, filepath: string) => {
    const body = { content: Buffer.from('text').toString('base64'), branch: 'main' }
    const answer = await repo.ask(as, 'POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
      params: { filepath },
      body,
    })
    return answer.status === 201 ? '' : `${answer.status} ${answer.body.message}`
  }
  assert.equal(await create(ada, 'code'), `403 ${refused('main')}`)
  assert.equal(await create(bob, 'docs/a'), '')
  const rule = { enable_push: true, protected_file_patterns: 'secret' }
  await repo.ask(ada, 'PATCH /api/v1/repos/{owner}/{repo}/branch_protections/{name...}', {
    params: { name: 'main' },
    body: rule,
  })
  assert.equal(await create(ada, 'secret'), '403 branch main is protected from changing file secret')
  assert.equal(await create(ada, 'code'), '')
  assert.equal((await client(repo.path, 'fsck', '--strict')).code, 0)
})

test('a protected branch cannot be created by users who may not push, and cannot be deleted', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: 'release/*' })
  assert.equal(await repo.push(bob, 'HEAD:refs/heads/release/1'), refused('release/1'))
  const body = { new_branch_name: 'release/1' }
  const created = await repo.ask(bob, 'POST /api/v1/repos/{owner}/{repo}/branches', { body })
  assert.deepEqual([created.status, created.body.message], [403, refused('release/1')])
  assert.equal(await repo.push(bob, 'HEAD:refs/heads/release/1/2'), '')
  await repo.push(bob, ':refs/heads/release/1/2')
  await clientOk(repo.path, 'branch', 'release/1', 'main')
  assert.equal(await repo.push(ada, ':release/1'), 'branch release/1 is protected from deletion')
  const deleted = await repo.ask(ada, 'DELETE /api/v1/repos/{owner}/{repo}/branches/{branch...}', {
    params: { branch: 'release/1' },
  })
  assert.deepEqual([deleted.status, deleted.body.message], [403, 'branch protected'])
  assert.equal(await repo.push(ada, ':main'), 'branch main is the default branch and cannot be deleted')
})

test('a push of several branches changes nothing if a rule refuses one of them', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: 'main' })
  await repo.commit({ a: 'a' })
  assert.equal(await repo.push(ada, 'HEAD:other', 'HEAD:main'), refused('main'))
  assert.equal(await clientOk(repo.path, 'for-each-ref', '--format=%(refname)'), 'refs/heads/main')
})

test('force push: forbidden, allowed for pushers, or for pushers on a list', async () => {
  const repo = await repository()
  await repo.commit({ a: 'a' })
  assert.equal(await repo.push(ada, 'HEAD:main'), '')
  await protect(repo, { rule_name: 'main', enable_push: true })
  await clientOk(repo.work, 'reset', '-q', '--hard', 'HEAD~')
  await repo.commit({ b: 'b' })
  const said = 'branch main is protected from force push'
  assert.equal(await repo.push(ada, '-f', 'HEAD:main'), said)
  assert.equal(await moveByApi(repo, ada, 'main', true), `403 ${said}`)
  const edit = (body: object) =>
    repo.ask(ada, 'PATCH /api/v1/repos/{owner}/{repo}/branch_protections/{name...}', {
      params: { name: 'main' },
      body,
    })
  const lists = { force_push_allowlist_usernames: ['bob'] }
  await edit({ enable_force_push: true, enable_force_push_allowlist: true, ...lists })
  const notListed = 'Not allowed to force-push to protected branch main'
  assert.equal(await repo.push(ada, '-f', 'HEAD:main'), notListed)
  assert.equal(await moveByApi(repo, ada, 'main', true), `403 ${notListed}`)
  assert.equal(await repo.push(bob, '-f', 'HEAD:main'), '')
  await edit({ enable_push: true, enable_push_whitelist: true, push_whitelist_usernames: ['ada'] })
  await clientOk(repo.work, 'reset', '-q', '--hard', 'HEAD~')
  await repo.commit({ c: 'c' })
  assert.equal(await repo.push(bob, '-f', 'HEAD:main'), notListed)
  await edit({ enable_force_push: true, enable_force_push_allowlist: false })
  assert.equal(await repo.push(ada, '-f', 'HEAD:main'), '')
})

test('nobody can change protected files, in any commit and case', async () => {
  const repo = await repository()
  const rule = { enable_push: true, protected_file_patterns: '[; **.LOCK ; secret/*' }
  await protect(repo, { rule_name: 'main', ...rule })
  await repo.commit({ a: 'a' })
  await repo.commit({ 'deep/Go.Lock': 'b' })
  await repo.commit({ c: 'c' })
  const said = 'branch main is protected from changing file deep/Go.Lock'
  assert.equal(await repo.push(ada, 'HEAD:main'), said)
  assert.equal(await moveByApi(repo, ada, 'main'), `403 ${said}`)
  assert.equal(await repo.push(ada, 'HEAD~2:main'), '')
  await protect(repo, { rule_name: 'new', ...rule })
  assert.equal(await repo.push(ada, 'HEAD~2:refs/heads/new'), '')
  await repo.push(ada, ':aside')
  await protect(repo, { rule_name: 'next', ...rule })
  assert.equal(await repo.push(ada, 'HEAD:refs/heads/next'), said.replace('main', 'next'))
})

test('users who may not push may change unprotected files only', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: 'main', unprotected_file_patterns: 'docs/**' })
  await repo.commit({ 'docs/a/b.md': 'a' })
  assert.equal(await repo.push(bob, 'HEAD:main'), '')
  await repo.commit({ 'docs/c.md': 'c', code: 'c' })
  assert.equal(await repo.push(bob, 'HEAD:main'), refused('main'))
  assert.equal(await moveByApi(repo, bob, 'main'), `403 ${refused('main')}`)
})

test('required signatures refuse new commits, which this server cannot verify, but not stored ones', async () => {
  const repo = await repository()
  const id = await repo.commit({ a: 'a' })
  await protect(repo, { rule_name: '{main,copy}', enable_push: true, require_signed_commits: true })
  assert.equal(await repo.push(ada, 'HEAD:main'), `branch main is protected from unverified commit ${id}`)
  assert.equal(await repo.push(ada, 'HEAD~:refs/heads/copy'), '')
})

test('of several matching rules, the first applies: by priority, names before globs, older ones first', async () => {
  const repo = await repository()
  await protect(repo, { rule_name: '*', enable_push: true, priority: 5 })
  await protect(repo, { rule_name: 'm*', priority: 5 })
  await repo.commit({ a: 'a' })
  assert.equal(await repo.push(bob, 'HEAD:main'), '')
  await protect(repo, { rule_name: 'MAIN', priority: 5 })
  await repo.commit({ a: 'b' })
  assert.equal(await repo.push(bob, 'HEAD:main'), refused('main'))
  const listed = await repo.ask(ada, 'GET /api/v1/repos/{owner}/{repo}/branch_protections')
  assert.deepEqual(
    listed.body.map((rule: { rule_name: string }) => rule.rule_name),
    ['MAIN', '*', 'm*'],
  )
  const [{ id }] = await pool<[{ id: number }]>`
    select rule.id from forge.branch_protection as rule join forge.repository on repository.id = repository_id
    where rule_name = '*' and repository.name = ${repo.name}`
  const ordered = await repo.ask(ada, 'POST /api/v1/repos/{owner}/{repo}/branch_protections/priority', {
    body: { ids: [id, 999_999] },
  })
  assert.equal(ordered.status, 204)
  assert.equal(await repo.push(bob, 'HEAD:main'), '')
})

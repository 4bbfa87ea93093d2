import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { Somebody } from '../../../support/forge/make.ts'

const folder = await temporaryFolder()
const { call, pool, make } = await startApp({ DATA_DIR: folder })
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd')
const route = 'POST /api/v1/repos/{owner}/{repo}/merge-upstream'

const merge = (repo: string, body: object = {}, as: Somebody = bob) =>
  call(route, { as, params: { owner: 'bob', repo }, body })
const git = (owner: string, name: string, ...args: string[]) =>
  execFileSync('git', ['-C', join(folder, 'repositories', owner, `${name}.git`), ...args], {
    encoding: 'utf8',
  }).trim()
const head = (owner: string, name: string) => git(owner, name, 'rev-parse', 'refs/heads/main')

async function write(as: Somebody, repo: string, filepath: string, content: string) {
  const body = { content: Buffer.from(content).toString('base64'), message: `write ${filepath}` }
  const params = { owner: as.name, repo, filepath }
  const made = await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', { as, params, body })
  assert.equal(made.status, 201)
}

const reading = { owner: 'ada', collaborator: 'bob' }

/** A repository of ada, of which bob has a fork. */
async function forked(name: string, more: { private?: boolean } = {}) {
  const body = { name, auto_init: true, ...more }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  if (more.private)
    await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
      as: ada,
      params: { ...reading, repo: name },
      body: { permission: 'read' },
    })
  const forking = { as: bob, params: { owner: 'ada', repo: name }, body: {} }
  assert.equal((await call('POST /api/v1/repos/{owner}/{repo}/forks', forking)).status, 202)
}

test(`${route} moves a branch forward, or merges, or has nothing to do`, async () => {
  await forked('engine')
  assert.deepEqual((await merge('engine')).body, { merge_type: 'up-to-date' })
  await write(ada, 'engine', 'a.txt', 'a')
  assert.deepEqual((await merge('engine', { branch: 'main', ff_only: true })).body, {
    merge_type: 'fast-forward',
  })
  assert.equal(head('bob', 'engine'), head('ada', 'engine'))
  await write(ada, 'engine', 'b.txt', 'b')
  await write(bob, 'engine', 'c.txt', 'c')
  const [mine, theirs] = [head('bob', 'engine'), head('ada', 'engine')]
  const refused = await merge('engine', { ff_only: true })
  assert.deepEqual(
    [refused.status, refused.body.message],
    [400, 'fast-forward merge not possible: branch has diverged'],
  )
  assert.deepEqual((await merge('engine')).body, { merge_type: 'merge' })
  assert.equal(
    git('bob', 'engine', 'log', '-1', '--format=%P|%an|%cn|%s', 'main'),
    `${mine} ${theirs}|bob|bob|Merge branch 'main' of ada/engine`,
  )
  assert.equal(git('bob', 'engine', 'ls-tree', '--name-only', 'main'), 'README.md\na.txt\nb.txt\nc.txt')
  assert.equal(
    existsSync(join(folder, 'repositories', 'bob', 'engine.git', 'objects/info/alternates')),
    false,
  )
  git('bob', 'engine', 'fsck', '--strict')
  const events = await pool`
    select payload->>'ref' as ref
    from forge.event
    where kind = 'ref.updated' and payload->'repository'->>'full_name' = 'bob/engine'`
  assert.equal(events.length, 3)
})

test(`${route} refuses conflicts, missing branches, repositories that are no forks, and archived ones`, async () => {
  await forked('clash')
  await write(ada, 'clash', 'same.txt', 'ada')
  await write(bob, 'clash', 'same.txt', 'bob')
  const before = head('bob', 'clash')
  const conflict = await merge('clash')
  assert.deepEqual(
    [conflict.status, conflict.body.message],
    [409, 'merge failed because of conflict: same.txt'],
  )
  assert.equal(head('bob', 'clash'), before)
  assert.equal((await merge('clash', { branch: 'none' })).status, 404)
  assert.equal((await merge('clash', { branch: 5 })).status, 422)
  assert.equal((await merge('clash', {}, cyd)).status, 403)
  assert.equal((await call('POST /api/v1/user/repos', { as: bob, body: { name: 'own' } })).status, 201)
  const own = await merge('own')
  assert.deepEqual([own.status, own.body.message], [400, 'repo is not a fork'])
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: bob,
    params: { owner: 'bob', repo: 'clash' },
    body: { archived: true },
  })
  assert.equal((await merge('clash')).status, 423)
})

test(`${route} brings nothing of a parent that the caller may not read any more`, async () => {
  await forked('secret', { private: true })
  await write(ada, 'secret', 'a.txt', 'a')
  await call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { ...reading, repo: 'secret' },
  })
  const before = git('bob', 'secret', 'count-objects', '-v')
  assert.equal((await merge('secret')).status, 403)
  assert.equal(git('bob', 'secret', 'count-objects', '-v'), before)
})

test(`${route} obeys the rules of protected branches`, async () => {
  await forked('ruled')
  await write(ada, 'ruled', 'a.txt', 'a')
  await call('POST /api/v1/repos/{owner}/{repo}/branch_protections', {
    as: bob,
    params: { owner: 'bob', repo: 'ruled' },
    body: { rule_name: 'main', enable_push: false },
  })
  assert.equal((await merge('ruled')).status, 403)
})

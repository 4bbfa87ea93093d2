import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { clientOk } from '../../support/git.ts'
import { untilLocked } from '../../support/wait.ts'

/** Refs do not move by API for somebody whose rights are withdrawn between the access check and the move. */

const folder = await temporaryFolder()
const { call, make, pool } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, bob] = await make.people('ada', 'bob')
const params = { owner: 'ada', repo: 'code' }
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'code', auto_init: true } })
const path = join(folder, 'data', 'repositories', 'ada', 'code.git')
const collaborator = { params: { ...params, collaborator: 'bob' } }
const head = await clientOk(path, 'rev-parse', 'main')
const next = await clientOk(path, 'commit-tree', '-p', head, '-m', 'more', `${head}^{tree}`)
await clientOk(path, 'branch', 'topic/one', 'main')
await clientOk(path, 'tag', 'v1', 'main')

const moves = {
  'POST /api/v1/repos/{owner}/{repo}/branches': { body: { new_branch_name: 'x' } },
  'PUT /api/v1/repos/{owner}/{repo}/branches/{branch...}': { branch: 'main', body: { new_commit_id: next } },
  'PATCH /api/v1/repos/{owner}/{repo}/branches/{branch...}': { branch: 'topic/one', body: { name: 'y' } },
  'DELETE /api/v1/repos/{owner}/{repo}/branches/{branch...}': { branch: 'topic/one' },
  'POST /api/v1/repos/{owner}/{repo}/tags': { body: { tag_name: 'v2' } },
  'DELETE /api/v1/repos/{owner}/{repo}/tags/{tag...}': { tag: 'v1' },
}

const refs = () => clientOk(path, 'for-each-ref', '--format=%(objectname) %(refname)')

const member = 'repos/{owner}/{repo}/collaborators/{collaborator}'

for (const [literal, { body, ...own }] of Object.entries<{ body?: object; branch?: string; tag?: string }>(
  moves,
))
  test(`${literal} moves nothing for a collaborator who is removed before the move`, {
    skip: !onServer && 'one connection cannot wait for another',
  }, async () => {
    const added = await call(`PUT /api/v1/${member}`, {
      as: ada,
      ...collaborator,
      body: { permission: 'write' },
    })
    assert.equal(added.status, 204)
    const before = await refs()
    // The request waits with its note in the journal, which comes after the access check and before git.
    const asked = await pool.begin(async (tx) => {
      await tx`lock table forge.push_journal in exclusive mode`
      const answer = call(literal, { as: bob, params: { ...params, ...own }, ...(body && { body }) })
      await untilLocked(pool, 'the request waits')
      await call(`DELETE /api/v1/${member}`, { as: ada, ...collaborator })
      return { answer }
    })
    const { status } = await asked.answer
    assert.ok([403, 404].includes(status), `${status}`)
    assert.equal(await refs(), before)
    assert.equal((await pool`select from forge.push_journal`).length, 0)
  })

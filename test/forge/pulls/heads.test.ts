import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Somebody, samePassword } from '../../support/forge/make.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { client, clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, make, url } = app
const [ada, bob, eve, carol] = await make.people('ada', 'bob', 'eve', 'carol')
const { on, repository, commit, admit } = pullMakers(app, ada)

const CREATE = 'POST /api/v1/repos/{owner}/{repo}/pulls'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/pulls/{index}'
const FORK = 'POST /api/v1/repos/{owner}/{repo}/forks'
const RECEIVE = 'POST /{owner}/{repo}/git-receive-pack'

const open = (repo: string, as: Somebody, body: object) =>
  call(CREATE, { as, params: { owner: 'ada', repo }, body: { base: 'main', title: 'Propose', ...body } })

/** Forks a repository under its own name. */
async function fork(repo: string, from: Somebody, as: Somebody): Promise<void> {
  assert.equal((await call(FORK, { as, params: { owner: from.name, repo }, body: {} })).status, 202)
}

/** Adds a branch to a repository of somebody. */
async function branch(repo: string, owner: Somebody, name: string): Promise<void> {
  const body = { content: 'eA==', branch: 'main', new_branch: name }
  const given = { as: owner, body }
  const path = { filepath: `${name}.txt` }
  assert.equal((await on(repo, owner.name)('POST /contents/{filepath...}', path, given)).status, 201)
}

test(`${CREATE} takes branches of those who work on either repository, and of nobody else`, async () => {
  const repo = await repository()
  await commit(repo, 'topic', { 'a.txt': 'x' }, { isNew: true })
  await fork(repo, ada, bob)
  await branch(repo, bob, 'idea')
  const refused = await open(repo, eve, { head: 'topic' })
  assert.deepEqual([refused.status, refused.body.message], [403, 'user must be a collaborator'])
  assert.equal((await open(repo, eve, { head: 'bob:idea' })).status, 403)
  await admit(repo, eve, 'read')
  assert.equal((await open(repo, eve, { head: 'bob:idea' })).status, 201)
  assert.equal((await open(repo, eve, { head: 'topic' })).status, 201)
})

test(`${CREATE} takes branches of forks of forks`, async () => {
  const repo = await repository()
  await fork(repo, ada, bob)
  await fork(repo, bob, eve)
  await branch(repo, eve, 'deep')
  const { status, body } = await open(repo, eve, { head: 'eve:deep' })
  assert.deepEqual([status, body.head?.repo?.full_name], [201, `eve/${repo}`])
  assert.equal(body.head.repo.parent.full_name, `bob/${repo}`)
  const other = await repository()
  assert.equal((await open(other, eve, { head: `eve/${repo}:deep` })).status, 404)
})

test(`${CREATE} tells a tag and a commit from a name that nothing has`, async () => {
  const repo = await repository()
  const head = await commit(repo, 'topic', { 'a.txt': 'x' }, { isNew: true })
  const tag = { body: { tag_name: 'v1', target: 'topic' } }
  assert.equal((await on(repo)('POST /tags', {}, tag)).status, 201)
  const status = async (sides: object) => (await open(repo, ada, sides)).status
  assert.deepEqual(
    [await status({ head: 'v1' }), await status({ head }), await status({ head: 'topic', base: 'v1' })],
    [422, 422, 422],
  )
  assert.equal(await status({ head: 'nothing' }), 404)
})

test(`${EDIT} gives no other base to what is closed, unless it is reopened with it`, async () => {
  const repo = await repository()
  for (const name of ['topic', 'next']) await commit(repo, name, { [`${name}.txt`]: 'x' }, { isNew: true })
  const { number } = (await open(repo, ada, { head: 'topic' })).body
  const edit = (body: object) => on(repo)('PATCH /pulls/{index}', { index: number }, { body })
  assert.equal((await edit({ state: 'closed' })).status, 201)
  assert.equal((await edit({ base: 'next' })).status, 422)
  const { status, body } = await edit({ base: 'next', state: 'open' })
  assert.deepEqual([status, body.base.ref, body.state], [201, 'next', 'open'])
})

test(`${EDIT} overwrites no text that has changed since the caller read it`, async () => {
  const repo = await repository()
  await commit(repo, 'topic', { 'a.txt': 'x' }, { isNew: true })
  const { number, content_version } = (await open(repo, ada, { head: 'topic' })).body
  const edit = (body: object) => on(repo)('PATCH /pulls/{index}', { index: number }, { body })
  assert.equal((await edit({ body: 'one', content_version })).body.content_version, content_version + 1)
  assert.equal((await edit({ body: 'two', content_version })).status, 409)
})

test(`${EDIT} keeps what clients send empty because they do not change it`, async () => {
  const repo = await repository()
  await commit(repo, 'topic', { 'a.txt': 'x' }, { isNew: true })
  const milestone = (await on(repo)('POST /milestones', {}, { body: { title: 'M' } })).body.id
  const { number } = (await open(repo, ada, { head: 'topic', assignees: ['ada'], milestone })).body
  const unset = {
    body: null,
    base: '',
    assignee: '',
    assignees: null,
    milestone: 0,
    labels: null,
    state: null,
  }
  const body = {
    title: 'Another',
    ...unset,
    due_date: null,
    unset_due_date: null,
    allow_maintainer_edit: null,
  }
  const edited = (await on(repo)('PATCH /pulls/{index}', { index: number }, { body })).body
  assert.deepEqual(
    [edited.title, edited.assignee?.login, edited.milestone?.id],
    ['Another', 'ada', milestone],
  )
  const none = await on(repo)('PATCH /pulls/{index}', { index: number }, { body: { assignees: [] } })
  assert.equal(none.body.assignee, null)
  const off = await on(repo)('PATCH /issues/{index}', { index: number }, { body: { milestone: 0 } })
  assert.equal(off.body.milestone, null)
})

test(`${EDIT} lets only the author allow others to push to the branch, who must be able to push there`, async () => {
  const repo = await repository()
  await fork(repo, ada, bob)
  await branch(repo, bob, 'idea')
  const { body } = await open(repo, bob, { head: 'bob:idea', allow_maintainer_edit: false })
  const allow = (as: Somebody) =>
    on(repo)('PATCH /pulls/{index}', { index: body.number }, { as, body: { allow_maintainer_edit: true } })
  const refused = await allow(ada)
  assert.deepEqual(
    [refused.status, refused.body.message],
    [403, 'SetAllowEdits: user not allowed to do this action'],
  )
  assert.equal((await allow(bob)).body.allow_maintainer_edit, true)
})

test(`${RECEIVE} takes pushes of maintainers to branches that their authors share, and to no other`, async () => {
  const repo = await repository()
  await admit(repo, carol)
  await fork(repo, ada, bob)
  await branch(repo, bob, 'idea')
  await branch(repo, bob, 'private')
  const opened = await open(repo, bob, { head: 'bob:idea', allow_maintainer_edit: false })
  const { number } = opened.body
  // Opened by somebody who may not push there, it shares nothing.
  assert.equal((await open(repo, ada, { head: 'bob:private', allow_maintainer_edit: true })).status, 201)
  const share = (isShared: boolean) =>
    on(repo)(
      'PATCH /pulls/{index}',
      { index: number },
      { as: bob, body: { allow_maintainer_edit: isShared } },
    )
  const clone = join(folder, `clone-${repo}`)
  await clientOk(folder, 'clone', '-q', '-b', 'idea', new URL(`/bob/${repo}.git`, url).href, clone)
  const push = async (who: Somebody, ref: string) => {
    await clientOk(clone, 'commit', '-q', '--allow-empty', '-m', 'More')
    const address = new URL(`/bob/${repo}.git`, url)
    Object.assign(address, { username: who.name, password: samePassword })
    return (await client(clone, 'push', address.href, ref)).code === 0
  }
  assert.equal(await push(carol, 'HEAD:idea'), false, 'not shared')
  assert.equal((await share(true)).status, 201)
  assert.equal(await push(carol, 'HEAD:idea'), true, 'shared')
  const head = await clientOk(clone, 'rev-parse', 'HEAD')
  const shown = await on(repo)('GET /pulls/{index}', { index: number })
  assert.equal(shown.body.head.sha, head.trim())
  for (const ref of ['HEAD:private', 'HEAD:new', ':idea', 'HEAD:refs/tags/v1'])
    assert.equal(await push(carol, ref), false, ref)
  assert.equal(await push(eve, 'HEAD:idea'), false, 'a stranger')
  await on(repo)('PATCH /pulls/{index}', { index: number }, { as: bob, body: { state: 'closed' } })
  assert.equal(await push(carol, 'HEAD:idea'), false, 'closed')
})

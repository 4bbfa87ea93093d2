import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, pool, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, eve, bob] = await make.people('ada', 'eve', 'bob')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/pulls'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/pulls'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/pulls/{index}'
const PAIR = 'GET /api/v1/repos/{owner}/{repo}/pulls/{base}/{head...}'
const PINNED = 'GET /api/v1/repos/{owner}/{repo}/pulls/pinned'
const MERGED = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
const OF_COMMIT = 'GET /api/v1/repos/{owner}/{repo}/commits/{sha}/pull'
const DIFF = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}.diff'
const PATCH = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}.patch'
const COMMITS = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}/commits'
const FILES = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}/files'

const base64 = (text: string) => Buffer.from(text).toString('base64')

let made = 0
/** A repository of ada with a README on `main`. */
async function repository({ isPrivate = false } = {}): Promise<string> {
  const name = `r${++made}`
  const body = { name, auto_init: true, private: isPrivate }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  return name
}

const at = (repo: string, more: object = {}) => ({ owner: 'ada', repo, ...more })

/** Commits a file to a branch, which is made from `main` if it is `isNew`; returns the commit. */
async function commit(
  repo: string,
  branch: string,
  {
    file,
    text,
    isNew = true,
    owner = ada,
  }: { file: string; text: string; isNew?: boolean; owner?: Somebody },
): Promise<string> {
  const where = isNew ? { branch: 'main', new_branch: branch } : { branch }
  const params = { owner: owner.name, repo, filepath: file }
  const body = { content: base64(text), ...where }
  const answer = await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    as: owner,
    params,
    body,
  })
  assert.equal(answer.status, 201)
  return answer.body.commit.sha
}

const open = (repo: string, body: object, as: Somebody = ada) =>
  call(CREATE, { as, params: at(repo), body: { head: 'topic', base: 'main', title: 'Propose', ...body } })
const look = (repo: string, index = 1, as: Somebody = eve) => call(SHOW, { as, params: at(repo, { index }) })
const edit = (repo: string, body: object, as: Somebody = ada) =>
  call(EDIT, { as, params: at(repo, { index: 1 }), body })

/** A repository with one open pull request of ada. */
async function proposed(): Promise<{ repo: string; head: string }> {
  const repo = await repository()
  const head = await commit(repo, 'topic', { file: 'new.txt', text: 'one\ntwo\n' })
  assert.equal((await open(repo, {})).status, 201)
  return { repo, head }
}

const refOf = (repo: string, ref: string) =>
  clientOk(join(folder, 'data', 'repositories', 'ada', `${repo}.git`), 'rev-parse', ref)

test(`${CREATE} opens a pull request with the next number, its ref, counts and events`, async () => {
  const repo = await repository()
  const head = await commit(repo, 'topic', { file: 'new.txt', text: 'one\ntwo\n' })
  const reader = { as: ada, params: at(repo, { collaborator: 'eve' }), body: { permission: 'read' } }
  assert.equal(
    (await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', reader)).status,
    204,
  )
  const { status, body } = await open(repo, { body: 'Because' }, eve)
  assert.equal(status, 201)
  assert.deepEqual(
    [body.number, body.title, body.user.login, body.state, body.mergeable, body.merged, body.draft],
    [1, 'Propose', 'eve', 'open', true, false, false],
  )
  assert.deepEqual([body.additions, body.deletions, body.changed_files], [2, 0, 1])
  assert.deepEqual(
    [body.head.sha, body.head.ref, body.base.ref, body.merge_base],
    [head, 'topic', 'main', body.base.sha],
  )
  assert.equal((await refOf(repo, 'refs/pull/1/head')).trim(), head)
  const home = await call('GET /api/v1/repos/{owner}/{repo}', { params: at(repo) })
  assert.deepEqual([home.body.open_pr_counter, home.body.open_issues_count], [1, 0])
  const issue = await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}', {
    params: at(repo, { index: 1 }),
  })
  assert.deepEqual(issue.body.pull_request, {
    merged: false,
    merged_at: null,
    draft: false,
    html_url: body.html_url,
  })
  const messages = await queuedMessages(pool)
  const opened = messages.filter(({ event }) => event === 'pull_request')
  assert.deepEqual(
    opened.map(({ payload }) => [payload.action, payload.pull_request.mergeable]),
    [['opened', true]],
  )
})

test(`${CREATE} sends an event for its labels, and says in each whether it can be merged`, async () => {
  const repo = await repository()
  await commit(repo, 'clash', { file: 'same.txt', text: 'one' })
  await commit(repo, 'main', { file: 'same.txt', text: 'two', isNew: false })
  const label = await call('POST /api/v1/repos/{owner}/{repo}/labels', {
    as: ada,
    params: at(repo),
    body: { name: 'bug', color: '#ff0000' },
  })
  const { body } = await open(repo, { head: 'clash', labels: [label.body.id], assignees: ['ada'] })
  const sent = (await queuedMessages(pool)).filter(({ payload }) => payload.pull_request?.id === body.id)
  assert.deepEqual(
    sent.map(({ event, payload }) => [event, payload.action, payload.pull_request.mergeable]),
    [
      ['pull_request', 'opened', false],
      ['pull_request_label', 'label_updated', false],
      ['pull_request_assign', 'assigned', false],
    ],
  )
})

test(`${CREATE} refuses equal, unknown and unrelated branches, and a second request for the same ones`, async () => {
  const { repo } = await proposed()
  assert.equal((await open(repo, { head: 'main' })).status, 422)
  assert.equal((await open(repo, { head: 'nowhere' })).status, 404)
  assert.equal((await open(repo, { base: 'nowhere' })).status, 404)
  assert.equal((await open(repo, { head: 'nobody:topic' })).status, 404)
  assert.equal((await open(repo, { head: 'a/b/c:topic' })).status, 404)
  assert.equal((await open(repo, { title: '' })).status, 422)
  const again = await open(repo, {})
  assert.equal(again.status, 409)
  assert.match(again.body.message, /^pull request already exists for these targets \[id: \d+, issue_id: 1,/)
})

test(`${CREATE} lets one of several callers open a request for the same branches`, async () => {
  const repo = await repository()
  await commit(repo, 'topic', { file: 'new.txt', text: 'x' })
  const answers = await Promise.all([1, 2, 3, 4].map(() => open(repo, {})))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
})

test(`${CREATE} takes a branch of a fork, whose commits the base repository gets`, async () => {
  const repo = await repository()
  const params = at(repo)
  assert.equal(
    (await call('POST /api/v1/repos/{owner}/{repo}/forks', { as: eve, params, body: {} })).status,
    202,
  )
  const head = await commit(repo, 'idea', { file: 'idea.txt', text: 'x', owner: eve })
  const { status, body } = await open(repo, { head: 'eve:idea' }, eve)
  assert.equal(status, 201)
  assert.deepEqual([body.head.repo.full_name, body.head.sha, body.mergeable], [`eve/${repo}`, head, true])
  assert.equal((await refOf(repo, 'refs/pull/1/head')).trim(), head)
  const next = await commit(repo, 'idea', { file: 'more.txt', text: 'y', isNew: false, owner: eve })
  assert.equal((await look(repo)).body.head.sha, next)
  assert.equal((await refOf(repo, 'refs/pull/1/head')).trim(), next)
})

test(`${LIST} shows a private fork to those who may read it, whoever has asked before`, async () => {
  const repo = await repository()
  const fork = 'POST /api/v1/repos/{owner}/{repo}/forks'
  assert.equal((await call(fork, { as: eve, params: at(repo), body: {} })).status, 202)
  await commit(repo, 'idea', { file: 'idea.txt', text: 'x', owner: eve })
  assert.equal((await open(repo, { head: 'eve:idea' }, eve)).status, 201)
  const hide = { as: eve, params: { owner: 'eve', repo }, body: { private: true } }
  assert.equal((await call('PATCH /api/v1/repos/{owner}/{repo}', hide)).status, 200)
  const limited = { authorization: `token ${await make.token(eve, 'public-only', 'read:repository')}` }
  const heads = async (options: { as?: Somebody; headers?: Record<string, string> }) => {
    const pages = [
      await call(LIST, { params: at(repo), ...options }),
      await call(SHOW, { params: at(repo, { index: 1 }), ...options }),
    ]
    const pulls: { head: { repo: { full_name: string } | null } }[] = pages.flatMap(({ body }) => body)
    return pulls.map(({ head }) => head.repo?.full_name)
  }
  const nobodys = [undefined, undefined]
  const hers = [`eve/${repo}`, `eve/${repo}`]
  for (let round = 0; round < 3; round++) {
    const asked = [heads({ as: eve }), heads({ headers: limited }), heads({ as: ada }), heads({})]
    assert.deepEqual(await Promise.all(asked), [hers, nobodys, nobodys, nobodys], `round ${round}`)
  }
})

test(`${SHOW} follows its head and its base, and finds conflicts`, async () => {
  const { repo } = await proposed()
  const head = await commit(repo, 'topic', { file: 'more.txt', text: 'x', isNew: false })
  const moved = await look(repo)
  assert.deepEqual([moved.body.head.sha, moved.body.changed_files, moved.body.mergeable], [head, 2, true])
  await commit(repo, 'main', { file: 'new.txt', text: 'something else\n', isNew: false })
  assert.equal((await look(repo)).body.mergeable, false)
  const timeline = await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}/timeline', {
    params: at(repo, { index: 1 }),
  })
  const pushes = timeline.body.filter(({ type }: { type: string }) => type === 'pull_push')
  assert.deepEqual(JSON.parse(pushes[0].body), { is_force_push: false, commit_ids: [head] })
  assert.equal((await look(repo, 99)).status, 404)
})

test(`${LIST} filters by state, base, poster, label and milestone, and is no list of issues`, async () => {
  const { repo } = await proposed()
  await make.repository(ada)
  const list = (query: Record<string, string | number>, as: Somebody = eve) =>
    call(LIST, { as, params: at(repo), query })
  assert.equal((await list({})).body.length, 1)
  assert.equal((await list({ state: 'closed' })).body.length, 0)
  assert.equal((await list({ base_branch: 'main', poster: 'ada', sort: 'oldest' })).body.length, 1)
  assert.equal((await list({ base_branch: 'other' })).body.length, 0)
  assert.equal((await list({ labels: 1 })).body.length, 0)
  assert.equal((await list({ milestone: 1 })).body.length, 0)
  assert.equal((await list({ poster: 'nobody-at-all' })).status, 404)
  const issues = (type: string) =>
    call('GET /api/v1/repos/{owner}/{repo}/issues', { params: at(repo), query: { type } })
  assert.deepEqual(
    [
      (await issues('')).body.length,
      (await issues('pulls')).body.length,
      (await issues('issues')).body.length,
    ],
    [1, 1, 0],
  )
})

test(`${EDIT} changes texts, state and base; an open one with the same branches stands in the way`, async () => {
  const { repo } = await proposed()
  await commit(repo, 'next', { file: 'next.txt', text: 'x' })
  const changed = await edit(repo, {
    title: 'WIP: more',
    body: 'text',
    base: 'next',
    allow_maintainer_edit: true,
  })
  assert.equal(changed.status, 201)
  assert.deepEqual(
    [changed.body.title, changed.body.base.ref, changed.body.draft, changed.body.mergeable],
    ['WIP: more', 'next', true, false],
  )
  assert.equal((await edit(repo, { base: 'nowhere' })).status, 404)
  assert.equal((await edit(repo, { title: 'x' }, eve)).status, 403)
  assert.equal((await open(repo, {})).status, 201)
  assert.equal((await edit(repo, { base: 'main' })).status, 409)
  assert.equal((await edit(repo, { state: 'closed' })).body.state, 'closed')
  assert.equal((await edit(repo, { state: 'open' })).body.state, 'open')
  assert.equal((await edit(repo, { labels: [987654] })).status, 422)
  await pool`
    update forge.pull_request set merged_at = '2026-01-01', merged_commit = head_commit
    where issue_id = ${changed.body.id}`
  assert.equal((await edit(repo, { state: 'closed' })).status, 412)
})

test(`${PAIR} finds the request of two branches, also of those with slashes`, async () => {
  const { repo } = await proposed()
  const pair = (base: string, head: string) => call(PAIR, { as: eve, params: at(repo, { base, head }) })
  assert.equal((await pair('main', 'topic')).body.number, 1)
  assert.equal((await pair('main', 'ada:topic')).body.number, 1)
  assert.equal((await pair('main', 'other')).status, 404)
  await commit(repo, 'fix/two/three', { file: 'fix.txt', text: 'one\n' })
  assert.equal((await open(repo, { head: 'fix/two/three' })).status, 201)
  assert.equal((await pair('main', 'fix/two/three')).body.number, 2)
  assert.equal((await pair('main', `ada/${repo}:fix/two/three`)).body.number, 2)
})

test(`${MERGED}, ${OF_COMMIT} and ${PINNED} find merged and pinned requests`, async () => {
  const { repo, head } = await proposed()
  const params = at(repo, { index: 1 })
  assert.equal((await call(MERGED, { as: eve, params })).status, 404)
  assert.equal((await call(OF_COMMIT, { as: eve, params: at(repo, { sha: head }) })).status, 404)
  await pool`
    update forge.pull_request set merged_at = '2026-01-01', merged_commit = head_commit
    where head_commit = ${head}`
  assert.equal((await call(MERGED, { as: eve, params })).status, 204)
  assert.equal(
    (await call(OF_COMMIT, { as: eve, params: at(repo, { sha: head }) })).body.merge_commit_sha,
    head,
  )
  assert.deepEqual((await call(PINNED, { as: eve, params: at(repo) })).body, [])
  const pin = await call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/pin', { as: ada, params })
  assert.equal(pin.status, 204)
  const [pinned] = (await call(PINNED, { as: eve, params: at(repo) })).body
  assert.deepEqual([pinned.pin_order, pinned.additions, pinned.changed_files], [1, 2, 1])
})

test(`${DIFF}, ${PATCH}, ${COMMITS} and ${FILES} show what it changes`, async () => {
  const { repo, head } = await proposed()
  const params = at(repo, { index: 1 })
  assert.match(String((await call(DIFF, { as: eve, params })).body), /^diff --git a\/new\.txt b\/new\.txt/)
  assert.match(String((await call(PATCH, { as: eve, params })).body), new RegExp(`^From ${head} `))
  const commits = await call(COMMITS, { as: eve, params })
  assert.deepEqual(
    commits.body.map(({ sha }: { sha: string }) => sha),
    [head],
  )
  const files = await call(FILES, {
    as: eve,
    params,
    query: { whitespace: 'ignore-all', 'skip-to': 'new.txt' },
  })
  const [file] = files.body
  assert.deepEqual([file.filename, file.status, file.additions, file.changes], ['new.txt', 'added', 2, 2])
  for (const literal of [DIFF, PATCH, COMMITS, FILES])
    assert.equal((await call(literal, { as: eve, params: at(repo, { index: 9 }) })).status, 404)
})

test(`${LIST} is for those who may read the code; pull requests can be turned off and repositories archived`, async () => {
  const { repo } = await proposed()
  const turn = (body: object) =>
    call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: at(repo), body })
  await turn({ archived: true })
  assert.equal((await open(repo, { base: 'topic', head: 'main' })).status, 423)
  assert.equal((await edit(repo, { title: 'x' })).status, 423)
  await turn({ archived: false, has_pull_requests: false })
  assert.equal((await look(repo)).status, 404)
  const issue = await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}', {
    params: at(repo, { index: 1 }),
  })
  assert.equal(issue.status, 404)
  await turn({ has_pull_requests: true, private: true })
  assert.equal((await look(repo, 1, bob)).status, 404)
})

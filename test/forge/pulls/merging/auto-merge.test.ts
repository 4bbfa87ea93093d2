import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Somebody } from '../../../support/forge/make.ts'
import { pullMakers } from '../../../support/forge/pulls.ts'
import { settled, startForge, yardOf } from '../../../support/forge/workflows.ts'
import { until } from '../../../support/wait.ts'

/** Merges that wait for checks and approvals. */

const forge = await startForge()
const { pool, call, make, ada } = forge
const [bob, eve] = await make.people('bob', 'eve')
const { on, repository, admit, commit, propose, protect } = pullMakers(forge, ada)

const MERGE = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
const CANCEL = 'DELETE /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'

const schedule = (repo: string, index: number, more: object = {}, as = bob) =>
  on(repo)(
    'POST /pulls/{index}/merge',
    { index },
    { as, body: { Do: 'merge', merge_when_checks_succeed: true, ...more } },
  )
const status = (repo: string, sha: string, state = 'success') =>
  on(repo)('POST /statuses/{sha}', { sha }, { body: { state, context: 'ci' } })
const look = async (repo: string, index: number) => (await on(repo)('GET /pulls/{index}', { index })).body
const timeline = async (repo: string, index: number): Promise<string[]> =>
  (await on(repo)('GET /issues/{index}/timeline', { index })).body.map(({ type }: { type: string }) => type)
const isMerged = (repo: string, index: number) =>
  until('it is merged', async () => (await look(repo, index)).merged)

/** Waits until no process looks at a scheduled merge any more. */
async function idle() {
  await settled(forge)
  await until('all are looked at', async () => {
    const [row] = await pool`select count(*) as open from forge.pull_auto_merge where due_at is not null`
    return row?.open === 0
  })
}

/** A repository whose rule asks for the check `ci`, to which bob may write. */
async function checked(rule: object = {}) {
  const repo = await repository()
  await admit(repo, bob)
  await protect(repo, { enable_status_check: true, status_check_contexts: ['ci'], ...rule })
  return repo
}

test(`${MERGE} with merge_when_checks_succeed merges as soon as the checks have succeeded`, async () => {
  const repo = await checked()
  const { number, head } = await propose(repo, 'topic')
  const other = await propose(repo, 'other')
  const asked = await schedule(repo, number, {
    MergeTitleField: 'Bring it',
    delete_branch_after_merge: true,
  })
  assert.equal(asked.status, 201)
  assert.equal((await schedule(repo, number)).status, 409)
  await status(repo, head, 'pending')
  await status(repo, other.head)
  await idle()
  assert.equal((await look(repo, number)).merged, false)
  await status(repo, head)
  await isMerged(repo, number)
  await until('its branch is gone', async () => (await look(repo, number)).head.ref !== 'topic')
  const { merged_by, merge_commit_sha } = await look(repo, number)
  assert.equal(merged_by.login, 'bob')
  const made = await on(repo)('GET /git/commits/{sha}', { sha: merge_commit_sha })
  assert.deepEqual([made.body.commit.message.trim(), made.body.author.login], ['Bring it', 'bob'])
  assert.deepEqual(
    (await timeline(repo, number)).filter((type) => /merge/.test(type)),
    ['pull_scheduled_merge', 'merge_pull'],
  )
  assert.equal((await look(repo, other.number)).merged, false)
  assert.deepEqual([...(await pool`select from forge.pull_auto_merge`)], [])
})

test(`${MERGE} with merge_when_checks_succeed merges at once if nothing is against it`, async () => {
  const repo = await repository()
  const { number } = await propose(repo, 'topic')
  assert.equal((await schedule(repo, number, {}, ada)).status, 201)
  await isMerged(repo, number)
})

test(`${MERGE} schedules only what checks and approvals can make possible`, async () => {
  const repo = await checked()
  const { number } = await propose(repo, 'topic', { title: 'WIP: topic' })
  assert.equal((await schedule(repo, number)).status, 405)
  assert.equal((await schedule(repo, number, {}, eve)).status, 405)
  assert.equal((await schedule(repo, 99)).status, 404)
  const ready = await propose(repo, 'ready')
  assert.equal((await schedule(repo, ready.number, { head_commit_id: 'f'.repeat(40) })).status, 409)
  assert.equal((await schedule(repo, ready.number, { Do: 'rebase-merge' })).status, 201)
  await on(repo)('PATCH /pulls/{index}', { index: ready.number }, { body: { state: 'closed' } })
  assert.equal((await schedule(repo, ready.number)).status, 404)
})

test(`${MERGE} waits for approvals, and looks again when a job has ended`, async () => {
  const repo = await checked({ required_approvals: 1, status_check_contexts: ['*'] })
  const steps = 'jobs: {a: {runs-on: nowhere, steps: [{run: echo}]}}'
  await commit(repo, 'topic', { '.gitea/workflows/a.yml': `on: pull_request\n${steps}` }, { isNew: true })
  await admit(repo, eve, 'read')
  const opened = await on(repo)(
    'POST /pulls',
    {},
    { as: eve, body: { head: 'topic', base: 'main', title: 'x' } },
  )
  const index = opened.body.number
  await settled(forge)
  assert.equal((await schedule(repo, index)).status, 201)
  await on(repo)('POST /pulls/{index}/reviews', { index }, { as: ada, body: { event: 'APPROVED' } })
  await idle()
  assert.equal((await look(repo, index)).merged, false)
  // As a runner would report it.
  await pool`
    update forge.action_job set status = 'success', stopped_at = ${forge.clock.now()}
    where repository_id = (select id from forge.repository where name = ${repo})`
  forge.background.wake()
  await isMerged(repo, index)
})

test(`${CANCEL} cancels a scheduled merge for who has scheduled it and for administrators`, async () => {
  const repo = await checked()
  const carl = await make.person({ name: 'carl' })
  await admit(repo, carl)
  const { number, head } = await propose(repo, 'topic')
  const cancel = (as: Somebody, index = number) => call(CANCEL, { as, params: { owner: 'ada', repo, index } })
  assert.equal((await cancel(bob)).status, 404)
  await schedule(repo, number)
  assert.equal((await cancel(carl)).status, 403)
  assert.equal((await cancel(bob)).status, 204)
  await schedule(repo, number)
  assert.equal((await cancel(ada)).status, 204)
  assert.equal((await cancel(ada, 99)).status, 404)
  await status(repo, head)
  await idle()
  assert.equal((await look(repo, number)).merged, false)
  assert.deepEqual(
    (await timeline(repo, number)).filter((type) => /merge/.test(type)),
    [1, 2].flatMap(() => ['pull_scheduled_merge', 'pull_cancel_scheduled_merge']),
  )
  const again = await propose(repo, 'once')
  await schedule(repo, again.number)
  const both = await Promise.all([cancel(bob, again.number), cancel(bob, again.number)])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [204, 404])
})

test('a scheduled merge ends when the request is closed or a draft, and by a push of who may not write', async () => {
  const repo = await checked()
  const waits = async () => [...(await pool`select issue_id from forge.pull_auto_merge`)].length
  const { number: index } = await propose(repo, 'topic')
  const edit = (body: object, as: Somebody = ada) => on(repo)('PATCH /pulls/{index}', { index }, { as, body })
  const changes: [body: object, back: object][] = [
    [{ title: 'WIP: topic' }, { title: 'Topic' }],
    [{ state: 'closed' }, { state: 'open' }],
  ]
  for (const [body, back] of changes) {
    assert.equal((await schedule(repo, index)).status, 201)
    await edit(body)
    assert.equal(await waits(), 0, JSON.stringify(body))
    await edit(back)
  }
  await schedule(repo, index)
  await commit(repo, 'topic', { 'more.txt': 'x' })
  assert.equal(await waits(), 1, 'who may write has pushed')
  await on(repo)('DELETE /branches/{branch...}', { branch: 'topic' })
  assert.equal(await waits(), 0)

  await call('POST /api/v1/repos/{owner}/{repo}/forks', {
    as: eve,
    params: { owner: 'ada', repo },
    body: {},
  })
  const { commit: commitThere } = pullMakers(forge, eve)
  await commitThere(repo, 'theirs', { 'a.txt': 'a' }, { isNew: true })
  const body = { head: 'eve:theirs', base: 'main', title: 'x' }
  const fork = await on(repo)('POST /pulls', {}, { as: eve, body })
  await schedule(repo, fork.body.number)
  const bad = await commitThere(repo, 'theirs', { 'b.txt': 'bad' })
  assert.equal(await waits(), 0)
  await status(repo, bad)
  await idle()
  assert.equal((await look(repo, fork.body.number)).merged, false)
})

test('a scheduled merge takes the rights that its account has when it happens', async () => {
  const repo = await checked()
  const { number, head } = await propose(repo, 'topic')
  await schedule(repo, number)
  await on(repo)('DELETE /collaborators/{collaborator}', { collaborator: 'bob' })
  await status(repo, head)
  await idle()
  assert.equal((await look(repo, number)).merged, false)
  await admit(repo, bob)
  await status(repo, head)
  await isMerged(repo, number)
})

test('two processes merge once what is scheduled, and one after a restart', async () => {
  const repo = await checked()
  const pulls = []
  for (const name of ['a', 'b', 'c']) pulls.push(await propose(repo, name))
  for (const { number } of pulls) await schedule(repo, number)
  await idle()
  await forge.background.stop()
  for (const { head } of pulls) await status(repo, head)
  const yards = [yardOf(forge), yardOf(forge)]
  for (const { number } of pulls) await isMerged(repo, number)
  await Promise.all(yards.map((yard) => yard.stop()))
  for (const { number } of pulls)
    assert.equal((await timeline(repo, number)).filter((type) => type === 'merge_pull').length, 1)
  const log = await on(repo)('GET /commits', {}, { query: { sha: 'main' } })
  const merges = log.body.filter(({ parents }: { parents: unknown[] }) => parents.length === 2)
  assert.equal(merges.length, 3)
})

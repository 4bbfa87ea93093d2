import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { pullMakers } from '../../support/forge/pulls.ts'
import { settled, startForge } from '../../support/forge/workflows.ts'

/** The runs that changes of pull requests start. */

const forge = await startForge()
const { pool, call, make, ada } = forge
const [eve, mia] = await make.people('eve', 'mia')
const { on, repository, commit, propose, admit } = pullMakers(forge, ada)

const steps = 'jobs: {a: {runs-on: nowhere, steps: [{run: echo}]}}'
const workflow = (event: string) => `on: ${event}\n${steps}`
const file = (name: string) => `.gitea/workflows/${name}.yml`

interface Run {
  id: number
  file: string
  event: string
  ref: string
  commit: string
  action: string
  is_fork_pr: boolean
  needs_approval: boolean
  status: string
}

async function runsOf(repo: string, owner = 'ada'): Promise<Run[]> {
  await settled(forge)
  const rows = await pool<Run[]>`
    select run.id, replace(workflow_file, '.yml', '') as file, event, ref, commit_sha as commit,
      payload ->> 'action' as action, is_fork_pr, needs_approval, run.status
    from forge.action_run as run
    join forge.repository on repository.id = repository_id
    join forge.account as owner on owner.id = owner_id
    where repository.name = ${repo} and owner.name = ${owner}
    order by run.id`
  return [...rows]
}

/** Gives the files that have started since the last call, with their actions, sorted. */
function watch(repo: string) {
  let known = 0
  return async () => {
    const runs = await runsOf(repo)
    const added = runs.slice(known).map(({ file, action }) => `${file} ${action}`)
    known = runs.length
    return added.toSorted()
  }
}

test('changes of a pull request start the workflows of its head that wait for the action', async () => {
  const repo = await repository()
  const started = watch(repo)
  const ask = on(repo)
  await ask('POST /labels', {}, { body: { name: 'bug', color: '#ee0701' } })
  await admit(repo, mia)
  await commit(repo, 'main', {
    [file('default')]: workflow('pull_request'),
    [file('all')]: workflow('{pull_request: {types: ["*"]}}'),
    [file('named')]: workflow(
      '{pull_request: {types: [closed, reopened, labeled, unlabeled, assigned, edited, ready_for_review, review_requested]}}',
    ),
  })
  await started()
  const { number: index, head } = await propose(repo, 'topic')
  assert.deepEqual(await started(), ['all opened', 'default opened'])
  const [run] = await runsOf(repo)
  assert.deepEqual(
    { event: run?.event, ref: run?.ref, commit: run?.commit, fork: run?.is_fork_pr },
    { event: 'pull_request', ref: `refs/pull/${index}/head`, commit: head, fork: false },
  )
  await commit(repo, 'topic', { 'more.txt': 'x' })
  assert.deepEqual(await started(), ['all synchronized', 'default synchronized'])
  const each: [string, object, unknown, string[]][] = [
    ['POST /issues/{index}/labels', {}, { labels: ['bug'] }, ['label_updated']],
    ['DELETE /issues/{index}/labels', {}, undefined, ['label_cleared']],
    ['PATCH /pulls/{index}', {}, { assignees: ['mia'] }, ['assigned']],
    ['POST /pulls/{index}/requested_reviewers', {}, { reviewers: ['mia'] }, ['review_requested']],
    ['PATCH /pulls/{index}', {}, { title: 'WIP: not yet' }, ['converted_to_draft', 'edited']],
    ['PATCH /pulls/{index}', {}, { title: 'now' }, ['edited', 'ready_for_review']],
    ['PATCH /pulls/{index}', {}, { state: 'closed' }, ['closed']],
  ]
  for (const [literal, params, body, actions] of each) {
    const answered = await ask(literal, { index, ...params }, body === undefined ? {} : { body })
    assert.ok(answered.status < 300, `${literal} ${JSON.stringify(answered.body)}`)
    const named = actions.filter((action) => action !== 'converted_to_draft')
    assert.deepEqual(
      await started(),
      [...actions.map((action) => `all ${action}`), ...named.map((action) => `named ${action}`)].toSorted(),
      literal,
    )
  }
  await ask('PATCH /pulls/{index}', { index }, { body: { state: 'open' } })
  assert.deepEqual(await started(), ['all reopened', 'default reopened', 'named reopened'])
})

test('branches and paths of a workflow are those of the base and of what the pull request changes', async () => {
  const repo = await repository()
  await commit(repo, 'main', {
    [file('main')]: workflow('{pull_request: {branches: [main]}}'),
    [file('other')]: workflow('{pull_request: {branches-ignore: [main]}}'),
    [file('docs')]: workflow('{pull_request: {paths: ["docs/**"]}}'),
    [file('code')]: workflow('{pull_request: {paths-ignore: ["docs/**"]}}'),
    [file('wrong')]: workflow('{pull_request: {tags: [v1]}}'),
  })
  const started = watch(repo)
  await propose(repo, 'docs', { files: { 'docs/a.md': 'a' } })
  assert.deepEqual(await started(), ['docs opened', 'main opened'])
  // The base has moved since: only what the head changes counts.
  await commit(repo, 'main', { 'docs/b.md': 'b' })
  await propose(repo, 'code', { files: { 'a.c': 'a' } })
  assert.deepEqual(await started(), ['code opened', 'main opened'])
  await commit(repo, 'next', { 'n.txt': 'n' }, { isNew: true })
  await started()
  await on(repo)('PATCH /pulls/{index}', { index: 1 }, { body: { base: 'next' } })
  await commit(repo, 'docs', { 'docs/c.md': 'c' })
  assert.deepEqual(await started(), ['docs synchronized', 'other synchronized'])
})

test('no workflow starts where a text asks for that, and none by a job', async () => {
  const repo = await repository()
  await commit(repo, 'main', { [file('all')]: workflow('[pull_request, pull_request_target]') })
  const started = watch(repo)
  await propose(repo, 'titled', { title: 'Change [skip ci]' })
  assert.deepEqual(await started(), [])
  await commit(repo, 'silent', { 'a.txt': 'a' }, { isNew: true, message: 'a\n\n[ci skip]' })
  await on(repo)('POST /pulls', {}, { body: { head: 'silent', base: 'main', title: 'Quiet' } })
  assert.deepEqual(await started(), [])
})

test('reviews and comments start the workflows that wait for them', async () => {
  const repo = await repository()
  await commit(repo, 'main', {
    [file('review')]: workflow('{pull_request_review: {types: [submitted]}}'),
    [file('lines')]: workflow('pull_request_review_comment'),
    [file('issue')]: workflow('issue_comment'),
    [file('comment')]: workflow('pull_request_comment'),
  })
  const started = watch(repo)
  const { number: index, head } = await propose(repo, 'topic')
  await on(repo)('POST /issues', {}, { body: { title: 'An issue' } })
  const review = (event: string, as = mia) =>
    on(repo)('POST /pulls/{index}/reviews', { index }, { as, body: { event, body: 'read' } })
  for (const event of ['APPROVED', 'REQUEST_CHANGES']) {
    assert.equal((await review(event)).status, 200)
    assert.deepEqual(await started(), ['review reviewed'])
  }
  await review('COMMENT')
  assert.deepEqual(await started(), ['lines reviewed', 'review reviewed'])
  const [last] = (await runsOf(repo)).slice(-1)
  assert.deepEqual([last?.ref, last?.commit], [`refs/pull/${index}/head`, head])
  await on(repo)('POST /issues/{index}/comments', { index }, { as: mia, body: { body: 'hm' } })
  assert.deepEqual(await started(), ['comment created', 'issue created'])
  await on(repo)('POST /issues/{index}/comments', { index: 2 }, { as: mia, body: { body: 'hm' } })
  assert.deepEqual(await started(), ['issue created'])
})

/** A fork of `eve` with a branch `theirs`, proposed to the repository. */
async function proposeFromFork(repo: string, files: Record<string, string>, as = eve) {
  const params = { owner: 'ada', repo }
  const made = await call('POST /api/v1/repos/{owner}/{repo}/forks', { as, params, body: {} })
  assert.equal(made.status, 202)
  const { commit: commitThere } = pullMakers(forge, as)
  const head = await commitThere(repo, 'theirs', files, { isNew: true })
  const body = { head: `${as.name}:theirs`, base: 'main', title: 'From outside' }
  const opened = await on(repo)('POST /pulls', {}, { as, body })
  assert.equal(opened.status, 201, JSON.stringify(opened.body))
  return { index: opened.body.number as number, head }
}

test('a pull request from a fork runs without secrets and rights, after an approval; its target with both', async () => {
  const repo = await repository()
  const secret = { as: ada, params: { owner: 'ada', repo, secretname: 'KEY' }, body: { data: 'hidden' } }
  const put = await call('PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}', secret)
  assert.equal(put.status, 201)
  const shown =
    'jobs: {a: {runs-on: x, concurrency: "of ${{ github.head_ref }}", steps: [{run: "echo ours"}]}}'
  const main = await commit(repo, 'main', { [file('target')]: `on: pull_request_target\n${shown}` })
  const { index, head } = await proposeFromFork(repo, {
    [file('theirs')]: workflow('pull_request').replace('nowhere', 'x'),
    [file('target')]: `on: pull_request_target\n${steps.replace('echo', 'echo theirs')}`,
  })
  const runs = await runsOf(repo)
  assert.deepEqual(
    runs.map(({ id: _, action: __, ...run }) => run),
    [
      {
        file: 'theirs',
        event: 'pull_request',
        ref: `refs/pull/${index}/head`,
        commit: head,
        is_fork_pr: true,
        needs_approval: true,
        status: 'blocked',
      },
      {
        file: 'target',
        event: 'pull_request_target',
        ref: 'refs/heads/main',
        commit: main,
        is_fork_pr: false,
        needs_approval: false,
        status: 'queued',
      },
    ],
  )
  const runner = await startRunner(forge, { labels: ['x'] })
  const fetch = async () => (await runner.client.fetchTask({ tasksVersion: 0n })).task
  const target = await fetch()
  assert.ok(target)
  assert.match(Buffer.from(target.workflowPayload ?? []).toString(), /echo ours/)
  assert.equal(target.secrets.KEY, 'hidden')
  assert.deepEqual(
    [target.context?.ref, target.context?.sha, target.context?.head_ref, target.context?.base_ref],
    ['refs/heads/main', main, 'theirs', 'main'],
  )
  assert.equal(await writesWith(String(target.context?.token), repo), 201)
  const [group] = await pool<{ concurrency_group: string }[]>`
    select concurrency_group from forge.action_job where run_id = ${runs[1]?.id ?? 0}`
  assert.equal(group?.concurrency_group, 'of theirs')
  assert.equal(await fetch(), undefined, 'the other waits for an approval')

  const run = runs[0]?.id ?? 0
  const approve = (as: typeof ada) =>
    call('POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/approve', {
      as,
      params: { owner: 'ada', repo, run },
    })
  assert.equal((await approve(eve)).status, 403)
  const waiting = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs', {
    as: ada,
    params: { owner: 'ada', repo },
    query: { status: 'action_required' },
  })
  assert.deepEqual(
    waiting.body.workflow_runs.map(({ id, status }: { id: number; status: string }) => [id, status]),
    [[run, 'waiting']],
  )
  const approved = await approve(ada)
  assert.deepEqual([approved.status, approved.body.status], [200, 'queued'])
  assert.equal((await approve(ada)).status, 409)
  const audited = await pool<{ action: string }[]>`
    select action from forge.audit where action = 'workflow_run.approved' and actor_id = ${ada.id}`
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['workflow_run.approved'],
  )
  const theirs = await fetch()
  assert.ok(theirs)
  assert.deepEqual(Object.keys(theirs.secrets).toSorted(), ['GITEA_TOKEN', 'GITHUB_TOKEN'])
  assert.deepEqual(
    [theirs.context?.ref, theirs.context?.sha, theirs.context?.head_ref],
    [`refs/pull/${index}/head`, head, 'theirs'],
  )
  assert.equal(await writesWith(String(theirs.context?.token), repo), 403)
  await settled(forge)
  const statuses = await on(repo)('GET /commits/{ref}/statuses', { ref: head })
  const contexts = new Set(statuses.body.map(({ context }: { context: string }) => context))
  assert.deepEqual([...contexts].toSorted(), [
    'target.yml / a (pull_request_target)',
    'theirs.yml / a (pull_request)',
  ])
})

/** The status of an answer to a job that comments on an issue. */
async function writesWith(token: string, repo: string): Promise<number> {
  const as = { authorization: `token ${token}` }
  const params = { owner: 'ada', repo }
  const body = { title: 'by a job' }
  return (await call('POST /api/v1/repos/{owner}/{repo}/issues', { as, params, body })).status
}

test('whose pull request was merged, and who may write, needs no approval; a restricted account always does', async () => {
  const repo = await repository()
  await commit(repo, 'main', { [file('all')]: workflow('pull_request') })
  const first = await proposeFromFork(repo, { 'a.txt': 'a' })
  const needs = async () => (await runsOf(repo)).map(({ needs_approval }) => needs_approval)
  assert.deepEqual(await needs(), [true])
  const label = await on(repo)('PATCH /pulls/{index}', { index: first.index }, { body: { state: 'closed' } })
  assert.equal(label.status, 201)
  await on(repo)('PATCH /pulls/{index}', { index: first.index }, { body: { state: 'open' } })
  assert.deepEqual(await needs(), [true, false], 'the owner has reopened it')
  await on(repo)('POST /pulls/{index}/merge', { index: first.index }, { body: { Do: 'merge' } })
  const { commit: commitThere } = pullMakers(forge, eve)
  await commitThere(repo, 'theirs', { 'b.txt': 'b' })
  await on(repo)('POST /pulls', {}, { as: eve, body: { head: 'eve:theirs', base: 'main', title: 'Again' } })
  assert.deepEqual(await needs(), [true, false, false])
  await pool`update forge.account set is_restricted = true where name = 'eve'`
  await commitThere(repo, 'theirs', { 'c.txt': 'c' })
  assert.deepEqual(await needs(), [true, false, false, true])
  await pool`update forge.account set is_restricted = false where name = 'eve'`
})

test('what waits for an approval neither ends nor is in the way of a group, and waits again when run again', async () => {
  const repo = await repository()
  const grouped = (event: string) =>
    `on: ${event}\nconcurrency: {group: g, cancel-in-progress: true}\n${steps}`
  await commit(repo, 'main', { [file('push')]: grouped('{push: {branches: [main]}}') })
  const running = (await runsOf(repo))[0]?.id
  await proposeFromFork(repo, { [file('theirs')]: grouped('pull_request') }, mia)
  const [ours, theirs] = await runsOf(repo)
  assert.deepEqual([ours?.id, ours?.status, theirs?.status], [running, 'queued', 'blocked'])
  const onRun = { as: ada, params: { owner: 'ada', repo, run: theirs?.id ?? 0 } }
  const ask = (what: string) => call(`POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/${what}`, onRun)
  await ask('cancel')
  const again = await ask('rerun')
  assert.deepEqual([again.status, again.body.status], [201, 'waiting'])
  assert.equal((await ask('approve')).body.status, 'queued')
  assert.deepEqual(
    (await runsOf(repo)).map(({ status }) => status),
    ['cancelled', 'queued'],
  )
})

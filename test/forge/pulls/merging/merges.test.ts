import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import type { Somebody } from '../../../support/forge/make.ts'
import { until } from '../../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, make, clock } = await startApp({ DATA_DIR: folder })
const [ada, bob, cyd] = await make.people('ada', 'bob', 'cyd')

const route = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'
const isMerged = 'GET /api/v1/repos/{owner}/{repo}/pulls/{index}/merge'

const git = (name: string, ...args: string[]) =>
  execFileSync('git', ['-C', join(folder, 'repositories', 'ada', `${name}.git`), ...args], {
    encoding: 'utf8',
  }).trim()
const head = (name: string, branch = 'main') => git(name, 'rev-parse', `refs/heads/${branch}`)
const log = (name: string, format: string, branch = 'main') =>
  git(name, 'log', '-1', `--format=${format}`, branch)

/** The kinds of what happened to a pull request. */
async function timeline(repo: string, index: number): Promise<string[]> {
  const { body } = await call('GET /api/v1/repos/{owner}/{repo}/issues/{index}/timeline', {
    params: { owner: 'ada', repo, index },
  })
  return body.map(({ type }: { type: string }) => type)
}

async function write(repo: string, filepath: string, content: string, more: object = {}) {
  const body = { content: Buffer.from(content).toString('base64'), message: `write ${filepath}`, ...more }
  const params = { owner: 'ada', repo, filepath }
  const made = await call('POST /api/v1/repos/{owner}/{repo}/contents/{filepath...}', {
    as: ada,
    params,
    body,
  })
  assert.equal(made.status, 201)
}

/** A repository of ada to which bob may write. */
async function repository(name: string, settings: object = {}) {
  assert.equal(
    (await call('POST /api/v1/user/repos', { as: ada, body: { name, auto_init: true } })).status,
    201,
  )
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { owner: 'ada', repo: name, collaborator: 'bob' },
    body: { permission: 'write' },
  })
  if (Object.keys(settings).length > 0)
    await call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: ada,
      params: { owner: 'ada', repo: name },
      body: settings,
    })
}

/** A pull request for a branch with one new file; gives its number. */
async function propose(
  name: string,
  branch: string,
  { title = `Add ${branch}`, file = `${branch}.txt` } = {},
) {
  await write(name, file, branch, { branch: 'main', new_branch: branch })
  const commit = head(name, branch)
  const base = git(name, 'merge-base', 'main', branch)
  const [repo] = await pool<{ id: number }[]>`select id from forge.repository where name = ${name}`
  const [issue] = await pool<{ id: number; number: number }[]>`
    insert into forge.issue (repository_id, poster_id, title, body, ref, is_pull, created_at, updated_at)
    values (${repo?.id ?? 0}, ${bob.id}, ${title}, '', '', true, ${clock.now()}, ${clock.now()})
    returning id, number`
  assert.ok(issue)
  await pool`
    insert into forge.pull_request
      (issue_id, repository_id, head_repository_id, head_branch, base_branch, head_commit, merge_base)
    values (${issue.id}, ${repo?.id ?? 0}, ${repo?.id ?? 0}, ${branch}, 'main', ${commit}, ${base})`
  return { number: issue.number, id: issue.id, commit }
}

const merge = (name: string, index: number, body: object = { Do: 'merge' }, as: Somebody = ada) =>
  call(route, { as, params: { owner: 'ada', repo: name, index }, body })
const refusal = async (answer: ReturnType<typeof merge>) => {
  const { status, body } = await answer
  return [status, body.message]
}
const stateOf = async (id: number) => {
  const [row] = await pool`
    select pull.merged_commit, pull.merge_style, pull.merged_by, pull.is_open, issue.closed_at is not null as closed,
      (select count(*)::integer from forge.issue_event where issue_id = issue.id and type = 'merge_pull') as events,
      (select count(*)::integer from forge.pull_merge where issue_id = issue.id) as begun
    from forge.pull_request as pull
    join forge.issue on issue.id = pull.issue_id
    where issue.id = ${id}`
  return row
}
const protect = (name: string, rule: object) =>
  call('POST /api/v1/repos/{owner}/{repo}/branch_protections', {
    as: ada,
    params: { owner: 'ada', repo: name },
    body: { rule_name: 'main', enable_push: true, ...rule },
  })

test(`${route} merges in each way, closes the request, and says so`, async () => {
  await repository('ways')
  for (const [style, parents, author] of [
    ['merge', 2, 'ada'],
    ['squash', 1, 'bob'],
    ['rebase', 1, 'ada'],
    ['rebase-merge', 2, 'ada'],
  ] as const) {
    const { number, id, commit } = await propose('ways', `by-${style}`)
    await write('ways', `between-${style}.txt`, 'x')
    const before = head('ways')
    const params = { owner: 'ada', repo: 'ways', index: number }
    assert.equal((await call(isMerged, { as: bob, params })).status, 404)
    assert.equal((await merge('ways', number, { Do: style })).status, 200, style)
    assert.equal((await call(isMerged, { params })).status, 204)
    const [count, who, committer] = log('ways', '%P|%an|%cn').split('|')
    assert.deepEqual([count?.split(' ').length, who, committer], [parents, author, 'ada'], style)
    assert.equal(git('ways', 'rev-list', '--count', before, '^main'), '0')
    assert.equal(git('ways', 'show', `main:by-${style}.txt`), `by-${style}`)
    assert.deepEqual(
      { ...(await stateOf(id)) },
      {
        merged_commit: head('ways'),
        merge_style: style,
        merged_by: ada.id,
        is_open: false,
        closed: true,
        events: 1,
        begun: 0,
      },
    )
    assert.equal(head('ways', `by-${style}`), commit, 'the head branch stays')
  }
  assert.equal(
    git('ways', 'log', '--format=%s', '--grep=by-merge', '--grep=by-squash', 'main').split('\n').length > 2,
    true,
  )
  git('ways', 'fsck', '--strict')
})

test(`${route} writes the message of the request, or one that names the pull request`, async () => {
  await repository('words')
  const first = await propose('words', 'one')
  await merge('words', first.number)
  assert.equal(log('words', '%B'), `Merge pull request 'Add one' (#${first.number}) from one into main`)
  const second = await propose('words', 'two')
  await merge('words', second.number, {
    Do: 'squash',
    MergeTitleField: 'All of two',
    MergeMessageField: 'because\nof it',
  })
  assert.equal(log('words', '%B'), 'All of two\n\nbecause\nof it')
  const third = await propose('words', 'three')
  await merge('words', third.number, { Do: 'squash' })
  assert.equal(log('words', '%B'), `Add three (#${third.number})`)
  for (const { number } of [first, third]) assert.deepEqual(await timeline('words', number), ['merge_pull'])
})

test(`${route} moves forward only where it can, and deletes the branch if it is told to`, async () => {
  await repository('forward', { default_delete_branch_after_merge: true })
  const { number, commit } = await propose('forward', 'ahead')
  assert.equal((await merge('forward', number, { Do: 'fast-forward-only' })).status, 200)
  assert.equal(head('forward'), commit)
  assert.equal(git('forward', 'for-each-ref', 'refs/heads/ahead'), '')
  assert.deepEqual(await timeline('forward', number), ['merge_pull', 'delete_branch'])
  const behind = await propose('forward', 'behind')
  await write('forward', 'between.txt', 'x')
  assert.equal((await merge('forward', behind.number, { Do: 'fast-forward-only' })).status, 409)
  const keeping = { Do: 'merge', delete_branch_after_merge: false }
  assert.equal((await merge('forward', behind.number, keeping)).status, 200)
  assert.equal(head('forward', 'behind'), behind.commit)
  assert.deepEqual(await timeline('forward', behind.number), ['merge_pull'])
})

test(`${route} refuses with the reasons of the original, and changes nothing`, async () => {
  await repository('reasons', { allow_rebase: false })
  const draft = await propose('reasons', 'draft', { title: 'WIP: not yet' })
  const good = await propose('reasons', 'good')
  const clash = await propose('reasons', 'clash', { file: 'same.txt' })
  await write('reasons', 'same.txt', 'other')
  const before = head('reasons')
  assert.deepEqual(await refusal(merge('reasons', draft.number)), [
    405,
    'Work in progress PRs cannot be merged',
  ])
  assert.deepEqual(await refusal(merge('reasons', clash.number)), [405, 'Please try again later'])
  assert.deepEqual(await refusal(merge('reasons', good.number, { Do: 'merge' }, cyd)), [
    405,
    'User not allowed to merge PR',
  ])
  assert.deepEqual(await refusal(merge('reasons', good.number, { Do: 'rebase' })), [
    405,
    'rebase is not an allowed merge style for this repository',
  ])
  assert.deepEqual(await refusal(merge('reasons', good.number, { Do: 'merge', head_commit_id: before })), [
    409,
    'head out of date',
  ])
  assert.deepEqual(await refusal(merge('reasons', good.number, {})), [422, '[Do]: Required'])
  assert.equal((await merge('reasons', good.number, { Do: 'octopus' })).status, 422)
  assert.equal((await merge('reasons', 999)).status, 404)
  await pool`update forge.issue set closed_at = ${clock.now()} where id = ${draft.id}`
  assert.deepEqual(await refusal(merge('reasons', draft.number)), [404, 'The PR is closed'])
  assert.equal(head('reasons'), before)
  assert.equal((await stateOf(good.id))?.begun, 0)
  assert.equal((await merge('reasons', good.number)).status, 200)
  assert.deepEqual(await refusal(merge('reasons', good.number)), [405, 'The PR is already merged'])
})

test(`${route} obeys the rule of the base branch, and lets administrators override it`, async () => {
  await repository('ruled')
  await protect('ruled', {
    enable_status_check: true,
    status_check_contexts: ['ci/*'],
    required_approvals: 1,
    block_on_rejected_reviews: true,
    block_on_official_review_requests: true,
    block_on_outdated_branch: true,
    protected_file_patterns: '*.lock',
  })
  const { number, id, commit } = await propose('ruled', 'one')
  const set = (state: string, context: string) =>
    call('POST /api/v1/repos/{owner}/{repo}/statuses/{sha}', {
      as: ada,
      params: { owner: 'ada', repo: 'ruled', sha: commit },
      body: { state, context },
    })
  const review = (state: string, who: Somebody) => pool`
    insert into forge.review (issue_id, reviewer_id, state, is_official, created_at, updated_at)
    values (${id}, ${who.id}, ${state}, true, ${clock.now()}, ${clock.now()})`
  const checks = [405, 'Not all required status checks successful']
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), checks)
  await set('success', 'lint')
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), checks)
  await set('failure', 'ci/unit')
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), checks)
  await set('success', 'ci/unit')
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), [
    405,
    'Does not have enough approvals',
  ])
  await review('approve', ada)
  await review('reject', cyd)
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), [
    405,
    'There are requested changes',
  ])
  await review('approve', cyd)
  await review('request', cyd)
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), [
    405,
    'There are official review requests',
  ])
  await pool`delete from forge.review where state = 'request'`
  await pool`update forge.branch_protection set enable_push = true`
  await write('ruled', 'between.txt', 'x')
  const outdated = [405, 'The head branch is behind the base branch']
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge' }, bob)), outdated)
  assert.deepEqual(await refusal(merge('ruled', number, { Do: 'merge', force_merge: true }, bob)), outdated)
  assert.equal((await merge('ruled', number, { Do: 'merge', force_merge: true })).status, 200)
  const locked = await propose('ruled', 'two', { file: 'a.lock' })
  await pool`update forge.branch_protection set enable_status_check = false, required_approvals = 0`
  const files = [405, 'Changed protected files']
  assert.deepEqual(await refusal(merge('ruled', locked.number, { Do: 'merge' }, bob)), files)
  await pool`update forge.branch_protection set block_admin_merge_override = true`
  assert.deepEqual(await refusal(merge('ruled', locked.number, { Do: 'merge', force_merge: true })), files)
})

test(`${route} merges into a branch to which nobody may push, if its list of mergers names the caller`, async () => {
  await repository('listed')
  await protect('listed', {
    enable_push: false,
    enable_merge_whitelist: true,
    merge_whitelist_usernames: ['bob'],
  })
  const { number } = await propose('listed', 'one')
  assert.deepEqual(await refusal(merge('listed', number)), [405, 'User not allowed to merge PR'])
  assert.equal((await merge('listed', number, { Do: 'merge' }, bob)).status, 200)
})

test(`${route} merges once of two requests, and one of two into a base branch that moves meanwhile`, async () => {
  await repository('race')
  const one = await propose('race', 'one')
  const two = await propose('race', 'two')
  const answers = await Promise.all([
    merge('race', one.number),
    merge('race', one.number, { Do: 'squash' }, bob),
    merge('race', two.number),
    write('race', 'pushed.txt', 'x').then(
      () => undefined,
      () => undefined,
    ),
  ])
  const statuses = answers.flatMap((answer) => answer?.status ?? [])
  assert.ok(
    statuses.every((status) => [200, 405, 409].includes(status)),
    statuses.join(),
  )
  assert.ok(statuses.slice(0, 2).filter((status) => status === 200).length <= 1)
  for (const { id, commit } of [one, two]) {
    const state = await stateOf(id)
    const isIn = git('race', 'ls-tree', '--name-only', 'main').includes(id === one.id ? 'one.txt' : 'two.txt')
    assert.equal(state?.closed, isIn, commit)
    assert.equal(state?.begun, 0)
  }
  git('race', 'fsck', '--strict')
})

test(`${route} completes a merge whose server has ended between the branch and the row`, async () => {
  await repository('killed')
  const { number, id, commit } = await propose('killed', 'one')
  const begin = (merge: string) => pool`
    insert into forge.pull_merge (issue_id, commit_id, head_commit, style, merger_id, begun_at)
    values (${id}, ${merge}, ${commit}, 'fast-forward-only', ${ada.id}, ${clock.now()})`
  await begin(commit)
  assert.deepEqual(await refusal(merge('killed', number)), [405, 'Please try again later'])
  clock.tick(200_000)
  git('killed', 'update-ref', 'refs/heads/main', commit)
  assert.deepEqual(await refusal(merge('killed', number)), [405, 'The PR is already merged'])
  assert.deepEqual((await stateOf(id))?.merged_commit, commit)
  assert.equal((await stateOf(id))?.begun, 0)
  const other = await propose('killed', 'two')
  await pool`
    insert into forge.pull_merge (issue_id, commit_id, head_commit, style, merger_id, begun_at)
    values (${other.id}, ${other.commit}, ${other.commit}, 'merge', ${ada.id}, ${clock.now()})`
  clock.tick(200_000)
  assert.equal((await merge('killed', other.number)).status, 200, 'nothing had moved')
})

test(`${route} records a merge that was made by a push`, async () => {
  await repository('hand', { allow_manual_merge: true })
  const { number, id, commit } = await propose('hand', 'one')
  const wrong = await merge('hand', number, { Do: 'manually-merged', MergeCommitID: commit })
  assert.equal(wrong.status, 409)
  git('hand', 'update-ref', 'refs/heads/main', commit)
  assert.equal(
    (await merge('hand', number, { Do: 'manually-merged', MergeCommitID: commit.slice(0, 12) })).status,
    200,
  )
  assert.equal((await stateOf(id))?.merged_commit, commit)
})

test(`${route} refuses to merge into an archived repository`, async () => {
  await repository('archived')
  const { number } = await propose('archived', 'one')
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'archived' },
    body: { archived: true },
  })
  assert.equal((await merge('archived', number)).status, 423)
})

const update = 'POST /api/v1/repos/{owner}/{repo}/pulls/{index}/update'
const bring = (name: string, index: number, style = '', as: Somebody = bob) =>
  call(update, { as, params: { owner: 'ada', repo: name, index }, query: style === '' ? {} : { style } })

test(`${update} merges the base branch into the head branch, or rebases the head branch on it`, async () => {
  await repository('fresh')
  const { number, commit } = await propose('fresh', 'one')
  assert.equal((await bring('fresh', number)).status, 200)
  assert.equal(head('fresh', 'one'), commit, 'there was nothing to bring')
  await write('fresh', 'between.txt', 'x')
  assert.equal((await bring('fresh', number)).status, 200)
  assert.equal(
    log('fresh', '%P|%an|%s', 'one'),
    `${commit} ${head('fresh')}|bob|Merge branch 'main' into one`,
  )
  const two = await propose('fresh', 'two')
  await write('fresh', 'again.txt', 'x')
  assert.equal((await bring('fresh', two.number, 'rebase')).status, 200)
  assert.equal(log('fresh', '%P|%an|%cn', 'two'), `${head('fresh')}|ada|bob`)
})

test(`${update} refuses conflicts, closed and merged requests, other styles, and who may not push`, async () => {
  await repository('stale', { allow_rebase_update: false })
  const { number, id, commit } = await propose('stale', 'one', { file: 'same.txt' })
  await write('stale', 'same.txt', 'other')
  assert.deepEqual(await refusal(bring('stale', number)), [409, 'merge failed because of conflict'])
  assert.equal((await bring('stale', number, 'rebase')).status, 403)
  assert.equal((await bring('stale', number, 'squash')).status, 422)
  assert.equal((await bring('stale', number, 'merge', cyd)).status, 403)
  assert.equal((await bring('stale', 999)).status, 404)
  await pool`update forge.issue set closed_at = ${clock.now()} where id = ${id}`
  assert.deepEqual(await refusal(bring('stale', number)), [422, 'pull request is already closed'])
  assert.equal(head('stale', 'one'), commit)
  await call('PATCH /api/v1/repos/{owner}/{repo}', {
    as: ada,
    params: { owner: 'ada', repo: 'stale' },
    body: { archived: true },
  })
  assert.equal((await bring('stale', number)).status, 423)
})

test('the task repair_merges closes what was merged, and forgets what was not', async () => {
  await repository('tasks')
  const [one, two] = [await propose('tasks', 'one'), await propose('tasks', 'two')]
  for (const { id, commit } of [one, two])
    await pool`
      insert into forge.pull_merge (issue_id, commit_id, head_commit, style, merger_id, begun_at)
      values (${id}, ${commit}, ${commit}, 'fast-forward-only', ${ada.id}, ${clock.now()})`
  git('tasks', 'update-ref', 'refs/heads/main', one.commit)
  clock.tick(200_000)
  const boss = await make.admin({ name: 'boss' })
  const params = { task: 'repair_merges' }
  assert.equal((await call('POST /api/v1/admin/cron/{task}', { as: boss, params })).status, 204)
  await until('both merges have ended', async () => {
    const [left] = await pool`select count(*)::integer as merges from forge.pull_merge`
    return left?.merges === 0
  })
  assert.deepEqual((await stateOf(one.id))?.merged_commit, one.commit)
  assert.equal((await stateOf(two.id))?.closed, false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRunner } from '../../support/forge/actions.ts'
import { bearer } from '../../support/forge/make.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/wait.ts'

const forge = await startForge()
const { call, ada, make, pool } = forge
const eve = await make.person({ name: 'eve' })
const repo = await startRepository(forge, 'tool')
const first = await repo.push({ 'a.txt': 'a' })

const COMBINED = 'GET /api/v1/repos/{owner}/{repo}/commits/{ref}/status'
const OF_REF = 'GET /api/v1/repos/{owner}/{repo}/commits/{ref}/statuses'
const LIST = 'GET /api/v1/repos/{owner}/{repo}/statuses/{sha}'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/statuses/{sha}'

const at = (sha: string) => ({ owner: 'ada', repo: 'tool', sha })
const on = (ref: string) => ({ owner: 'ada', repo: 'tool', ref })
const say = (body: unknown, sha = first, as = ada) => call(CREATE, { as, params: at(sha), body })

test(`${COMBINED} of a commit without statuses`, async () => {
  const { status, body } = await call(COMBINED, { as: ada, params: on('main') })
  assert.equal(status, 200)
  assert.deepEqual([body.state, body.sha, body.total_count, body.statuses], ['pending', first, 0, []])
})

test(`${CREATE} creates a status, and ${LIST} lists all of them, the newest first`, async () => {
  const made = await say({
    state: 'pending',
    context: 'build',
    description: 'building',
    target_url: 'https://ci.example/1',
  })
  assert.equal(made.status, 201)
  const { id, creator, created_at, updated_at, ...rest } = made.body
  assert.ok(id > 0)
  assert.deepEqual([creator.login, created_at], ['ada', updated_at])
  assert.deepEqual(rest, {
    status: 'pending',
    target_url: 'https://ci.example/1',
    description: 'building',
    url: `https://forgehall.example/api/v1/repos/ada/tool/statuses/${first}`,
    context: 'build',
  })
  await say({ state: 'success', context: 'build' })
  await say({ state: 'failure' })
  const all = await call(LIST, { as: ada, params: at(first) })
  assert.equal(all.headers.get('x-total-count'), '3')
  const shown = (body: { context: string; status: string }[]) =>
    body.map(({ context, status }) => `${context} ${status}`)
  assert.deepEqual(shown(all.body), ['default failure', 'build success', 'build pending'])
  const old = await call(OF_REF, { as: ada, params: on('main'), query: { sort: 'oldest', state: 'success' } })
  assert.deepEqual(shown(old.body), ['build success'])
  const second = await call(LIST, { as: ada, params: at(first), query: { page: 2, limit: 2 } })
  assert.deepEqual(shown(second.body), ['build pending'])
})

test(`${COMBINED} combines the newest of each context`, async () => {
  const look = async (ref: string) => (await call(COMBINED, { as: ada, params: on(ref) })).body
  assert.deepEqual([(await look('main')).state, (await look(first)).total_count], ['failure', 2])
  for (const [build, other, combined] of [
    ['success', 'skipped', 'success'],
    ['skipped', 'skipped', 'success'],
    ['success', 'warning', 'failure'],
    ['pending', 'error', 'failure'],
    ['pending', 'skipped', 'pending'],
    ['pending', 'success', 'pending'],
    ['success', 'success', 'success'],
  ]) {
    await say({ state: build, context: 'build' })
    await say({ state: other })
    assert.equal((await look('main')).state, combined, `${build}, ${other}`)
  }
  await repo.git('tag', '-a', 'v1', '-m', 'one')
  await repo.git('push', '-q', 'origin', 'v1')
  assert.equal((await look('v1')).sha, first)
  assert.equal((await look('refs/tags/v1')).sha, first)
  const unknown = ['0'.repeat(40), 'f'.repeat(40), 'f'.repeat(12), first.slice(0, 6), first.toUpperCase()]
  const refs = ['none', 'ma', '../main', '--all', 'HEAD', 'main~0', 'refs/heads', `${first.slice(0, 9)}\n`]
  for (const ref of [...unknown, ...refs])
    for (const literal of [COMBINED, OF_REF])
      assert.equal((await call(literal, { as: ada, params: on(ref) })).status, 404, ref)
})

test(`${COMBINED}, ${OF_REF}, ${LIST} and ${CREATE} know a commit by a branch, a tag and a short id`, async () => {
  const commit = await repo.push({ 'b.txt': 'named' })
  await repo.git('tag', '-a', 'v2', '-m', 'two')
  await repo.git('branch', 'topic/x')
  await repo.git('push', '-q', 'origin', 'v2', 'topic/x')
  const short = [commit.slice(0, 7), commit.slice(0, 12), commit.slice(0, 39)]
  const names = ['main', 'topic/x', 'v2', 'refs/heads/topic/x', 'refs/tags/v2', ...short, commit]
  for (const [at_, name] of names.entries()) {
    const made = await say({ state: 'success', context: `by ${name}` }, name)
    assert.equal(made.status, 201, name)
    assert.match(made.body.url, new RegExp(`/statuses/${commit}$`))
    const { body: shown } = await call(COMBINED, { as: ada, params: on(name) })
    assert.deepEqual([shown.sha, shown.total_count], [commit, at_ + 1], name)
    for (const [literal, params] of [
      [OF_REF, on(name)],
      [LIST, at(name)],
    ] as const)
      assert.equal((await call(literal, { as: ada, params })).body.length, at_ + 1, name)
  }
  // A branch comes before the commit whose id begins like its name.
  await repo.git('push', '-q', 'origin', `${first}:refs/heads/${short[0]}`)
  assert.equal((await call(COMBINED, { as: ada, params: on(short[0] ?? '') })).body.sha, first)
  await repo.git('push', '-q', 'origin', `:refs/heads/${short[0]}`)
})

test(`${CREATE} refuses invalid bodies and callers without the permission`, async () => {
  const count = async () => (await pool`select id from forge.commit_status`).length
  const before = await count()
  const refused: readonly (readonly [unknown, number])[] = [
    [{}, 422],
    [{ state: '' }, 422],
    [{ state: 'good' }, 422],
    [{ state: 1 }, 422],
    [{ state: 'success', context: 'x'.repeat(501) }, 422],
    [{ state: 'success', description: ['a'] }, 422],
    [{ state: 'success', target_url: 'javascript:alert(1)' }, 422],
    [{ state: 'success', target_url: 'data:text/html,x' }, 422],
    [{ state: 'success', target_url: '//ci.example' }, 422],
    [{ state: 'success', target_url: 'ci.example/1' }, 422],
    [{ state: 'success', target_url: 'https://' }, 422],
    ['{', 422],
  ]
  for (const [body, status] of refused) assert.equal((await say(body)).status, status, JSON.stringify(body))
  for (const context of ['a\0b', 'a\ud800b']) {
    const { status } = await say(JSON.stringify({ state: 'success', context }))
    assert.ok(status === 422 || status === 400 || status === 201)
  }
  for (const sha of ['none', first.slice(0, 6), 'f'.repeat(40), 'f'.repeat(10), '-x', 'a..b'])
    assert.equal((await say({ state: 'success' }, sha)).status, 404)
  assert.equal((await say({ state: 'success' }, first, eve)).status, 403)
  assert.equal((await call(CREATE, { params: at(first), body: { state: 'success' } })).status, 401)
  assert.ok((await count()) - before <= 1)
  await pool`update forge.repository set is_private = true where id = ${repo.id}`
  for (const [literal, params] of [
    [COMBINED, on('main')],
    [OF_REF, on('main')],
    [LIST, at(first)],
  ] as const)
    assert.equal((await call(literal, { as: eve, params })).status, 404)
  await pool`update forge.repository set is_private = false where id = ${repo.id}`
})

test('jobs of pushes set statuses of their commit', async () => {
  const steps = 'steps: [{run: echo}]'
  const commit = await repo.push({
    '.gitea/workflows/ci.yml': `name: CI\non: push\njobs: {a: {runs-on: x, ${steps}}, b: {needs: a, runs-on: x, ${steps}}, c: {needs: b, runs-on: x, ${steps}}}`,
  })
  const look = async () => {
    await settled(forge)
    const { body } = await call(COMBINED, { as: ada, params: on(commit) })
    const statuses = body.statuses.map(
      ({ context, status }: Record<string, string>) => `${context}: ${status}`,
    )
    return [body.state, ...statuses]
  }
  assert.deepEqual(await look(), [
    'pending',
    'CI / a (push): pending',
    'CI / b (push): pending',
    'CI / c (push): pending',
  ])
  const runner = await startRunner(forge, { labels: ['x'] })
  for (const result of [1, 2]) {
    const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
    await runner.client.updateTask({ state: { id: task?.id ?? 0n, result } })
  }
  assert.deepEqual(await look(), [
    'failure',
    'CI / a (push): success',
    'CI / b (push): failure',
    'CI / c (push): skipped',
  ])
  const [status] = (await call(LIST, { as: ada, params: at(commit) })).body
  assert.equal(status.creator.login, 'gitea-actions')
  assert.match(status.target_url, /^https:\/\/forgehall.example\/ada\/tool\/actions\/runs\/\d+\/jobs\/\d+$/)
})

test(`${CREATE} and ${LIST} are what a workflow grants its jobs as "statuses", or with the code`, async () => {
  const wishes: readonly (readonly [permissions: string, reads: number, writes: number])[] = [
    ['{statuses: write}', 200, 201],
    ['{statuses: read}', 200, 403],
    ['{statuses: read, contents: write}', 200, 201],
    ['{contents: read}', 200, 403],
    ['{issues: write}', 404, 403],
    ['write-all', 200, 201],
    ['read-all', 200, 403],
    ['{}', 404, 403],
  ]
  const job = 'runs-on: statuses, steps: [{run: echo}]'
  const jobs = wishes.map(([permissions], at) => `j${at}: {permissions: ${permissions}, ${job}}`)
  const commit = await repo.push({
    '.gitea/workflows/ci.yml': `on: push\npermissions: {statuses: write}\njobs: {${jobs.join(', ')}, last: {${job}}}`,
  })
  await settled(forge)
  await pool`update forge.repository set is_private = true where id = ${repo.id}`
  const runner = await startRunner(forge, { labels: ['statuses'] })
  for (const [permissions, reads, writes] of [...wishes, ['the workflow alone', 200, 201] as const]) {
    const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
    const as = bearer(task?.secrets.GITHUB_TOKEN ?? '')
    const body = { state: 'success', context: permissions }
    assert.equal((await call(LIST, { as, params: at(commit) })).status, reads, permissions)
    assert.equal((await call(COMBINED, { as, params: on(commit) })).status, reads, permissions)
    assert.equal((await call(CREATE, { as, params: at(commit), body })).status, writes, permissions)
    await runner.client.updateTask({ state: { id: task?.id ?? 0n, result: 1 } })
  }
  await pool`update forge.repository set is_private = false where id = ${repo.id}`
})

test(`${CREATE}: webhooks that subscribe to it receive each status, also those of jobs`, async () => {
  // The statuses of jobs of other tests are stored.
  await settled(forge)
  const receiver = await startReceiver()
  const makeHook = (events: string[], type = 'gitea') =>
    call('POST /api/v1/repos/{owner}/{repo}/hooks', {
      as: ada,
      params: { owner: 'ada', repo: 'tool' },
      body: {
        type,
        active: true,
        events,
        config: { url: `${receiver.url}/${type}-${events[0]}`, content_type: 'json', channel: '#builds' },
      },
    })
  assert.equal((await makeHook(['status'])).status, 201)
  assert.equal((await makeHook(['workflow_run'])).status, 201)
  assert.equal((await makeHook(['status'], 'slack')).status, 201)
  const sent = {
    state: 'success',
    context: 'hooked',
    description: 'all well',
    target_url: 'https://ci.example/2',
  }
  const { body: made } = await say(sent)
  assert.equal((await say({ state: 'good' })).status, 422)
  await until('both hooks have received it', () => receiver.received.length >= 2)
  const receivedBy = (type: string) =>
    receiver.received.filter(({ target }) => target.endsWith(`${type}-status`))
  const [plain] = receivedBy('gitea')
  assert.ok(plain)
  assert.equal(plain.headers['x-gitea-event'], 'status')
  const { commit, repository, sender, ...rest } = JSON.parse(plain.body)
  assert.deepEqual(Object.keys(JSON.parse(plain.body)), [
    ...['commit', 'context', 'created_at', 'description', 'id', 'repository', 'sender', 'sha', 'state'],
    ...['target_url', 'updated_at'],
  ])
  const { created_at, updated_at, id } = made
  assert.deepEqual(rest, { ...sent, id, sha: first, created_at, updated_at })
  assert.deepEqual([repository.full_name, sender.login], ['ada/tool', 'ada'])
  assert.deepEqual(
    [commit.id, commit.message.trim(), commit.added, commit.url],
    [first, 'a change', ['a.txt'], `https://forgehall.example/ada/tool/commit/${first}`],
  )
  const [chat] = receivedBy('slack')
  assert.match(chat?.body ?? '', /hooked is success for commit [0-9a-f]{7}: all well/)
  assert.match(chat?.body ?? '', /https:\/\/ci\.example\/2/)
  const pushed = await repo.push({
    'b.txt': 'b',
    '.gitea/workflows/ci.yml': 'name: CI\non: push\njobs: {z: {runs-on: nobody, steps: [{run: echo}]}}',
  })
  await until('the statuses of the jobs of the push have arrived', () => receivedBy('gitea').length >= 2)
  const jobs = receivedBy('gitea')
    .slice(1)
    .map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    jobs.map(({ context, state, sha }) => `${context} ${state} ${sha}`),
    [`CI / z (push) pending ${pushed}`],
  )
  const { commit: pushedCommit, sender: bot } = jobs[0]
  const files = [...pushedCommit.added, ...pushedCommit.modified].sort()
  assert.deepEqual(
    [pushedCommit.id, files, bot.login],
    [pushed, ['.gitea/workflows/ci.yml', 'b.txt'], 'gitea-actions'],
  )
})

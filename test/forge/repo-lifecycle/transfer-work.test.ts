import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { triggerConsumer } from '../../../src/actions/trigger/consumer.ts'
import { holdDueEvents } from '../../../src/db/outbox-events.ts'
import { workflowMessages } from '../../../src/forge/webhooks/payload/messages.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { putRun, rows, runnerClient, startRunner, type TestRunner } from '../../support/forge/actions.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { startRepository } from '../../support/forge/workflows.ts'

const app = await startApp({ DATA_DIR: await temporaryFolder() })
const { call, pool, url, make } = app
const [ada, bob] = await make.people('ada', 'bob')
const guild = await make.organization(ada, { name: 'guild' })

const OFFER = 'POST /api/v1/repos/{owner}/{repo}/transfer'
const ACCEPT = 'POST /api/v1/repos/{owner}/{repo}/transfer/accept'
const RUNNERS = 'GET /api/v1/repos/{owner}/{repo}/actions/runners'
const TOKEN = 'POST /api/v1/repos/{owner}/{repo}/actions/runners/registration-token'

const code = (error: unknown) => (error instanceof ConnectError ? error.code : error)

async function repository(name: string): Promise<number> {
  const { status, body } = await call('POST /api/v1/user/repos', { as: ada, body: { name, private: true } })
  assert.equal(status, 201)
  return body.id
}

async function take({ client }: TestRunner) {
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const own = bearer(task.secrets.GITEA_TOKEN ?? '')
  return {
    id: task.id,
    read: (params: Record<string, string>) => call('GET /api/v1/repos/{owner}/{repo}', { as: own, params }),
  }
}

const statuses = (table: string, repository: number) =>
  pool<{ status: string }[]>`
    select status from forge.${pool.unsafe(table)} where repository_id = ${repository} order by id`.then(
    (found) => found.map(({ status }) => status),
  )

const transfers: Record<string, (repo: string) => Promise<Somebody>> = {
  direct: async (repo) => {
    const body = { new_owner: 'guild' }
    assert.equal((await call(OFFER, { as: ada, params: { owner: 'ada', repo }, body })).status, 202)
    return ada
  },
  accepted: async (repo) => {
    const params = { owner: 'ada', repo }
    assert.equal((await call(OFFER, { as: ada, params, body: { new_owner: 'bob' } })).status, 201)
    assert.equal((await call(ACCEPT, { as: bob, params })).status, 202)
    return bob
  },
}

for (const [name, transfer] of Object.entries(transfers)) {
  test(`a transfer (${name}) ends jobs, their tokens, the runners of the repository and their token`, async () => {
    const owner = name === 'direct' ? 'guild' : 'bob'
    const id = await repository(name)
    const params = { owner: 'ada', repo: name }
    const { body: registration } = await call(TOKEN, { as: ada, params })
    const scope = { owner_id: null, repository_id: id }
    const [own, site] = [await startRunner(app, { scope }), await startRunner(app, { capabilities: [] })]
    const first = await putRun(pool, id, ada.id, [
      { key: 'a' },
      { key: 'b' },
      { key: 'c', needs: ['a'], status: 'requested' },
    ])
    const second = await putRun(pool, id, ada.id, [{ key: 'd' }])
    await pool`
      update forge.action_attempt set concurrency_group = 'deploy', is_held = true where run_id = ${second.run}`
    await pool`update forge.action_job set status = 'blocked' where run_id = ${second.run}`
    const [mine, other] = [await take(own), await take(site)]
    assert.equal((await mine.read(params)).status, 200)

    await pool`
      insert into forge.action_trigger
        (repository_id, kind, ref, before, after, actor_id, by_bot, payload, created_at, due_at)
      values
        (${id}, 'push', 'refs/heads/main', ${'0'.repeat(40)}, ${'f'.repeat(40)}, ${ada.id}, false, '{}', '2026-01-31',
         '2026-01-31')`

    const as = await transfer(name)
    const now = { owner, repo: name }
    assert.deepEqual(await statuses('action_job', id), ['cancelled', 'cancelled', 'cancelled', 'cancelled'])
    assert.deepEqual(await statuses('action_run', id), ['cancelled', 'cancelled'])
    assert.equal((await pool`select from forge.action_trigger where repository_id = ${id}`).length, 0)
    for (const { read } of [mine, other]) assert.equal((await read(now)).status, 401)
    assert.deepEqual((await call(RUNNERS, { as, params: now })).body, { runners: [], total_count: 0 })
    const report = await own.client.updateTask({ state: { id: mine.id, result: 0 } })
    assert.equal(report.state?.result, Result.cancelled)
    const line = { taskId: other.id, index: 0n, rows: rows('late'), noMore: false }
    assert.equal(await site.client.updateLog(line).catch(code), Code.AlreadyExists)
    assert.equal(await own.client.fetchTask({ tasksVersion: 0n }).catch(code), Code.Unauthenticated)
    const again = { name: 'again', token: registration.token, labels: ['self-hosted'] }
    assert.equal(await runnerClient(url, 'protobuf').register(again).catch(code), Code.PermissionDenied)
    const { body: fresh } = await call(TOKEN, { as, params: now })
    assert.match(fresh.token, /^[A-Za-z0-9]{40}$/)
    assert.notEqual(fresh.token, registration.token)

    const [entry] = await pool<{ details: unknown }[]>`
      select details from forge.audit where action = 'repository.transferred' and target_id = ${id}`
    assert.deepEqual(entry?.details, { from: 'ada', to: owner, jobs: 4, runners: 1 })
    const later = await putRun(pool, id, as.id, [{ key: 'e' }])
    const { task } = await site.client.fetchTask({ tasksVersion: 0n })
    assert.ok(task, 'jobs of the new owner run')
    await site.client.updateTask({ state: { id: task.id, result: Result.success } })
    assert.deepEqual(await statuses('action_run', id), ['cancelled', 'cancelled', 'success'])
    assert.ok(first.run < later.run)
  })
}

test('runners of the former owner get no job of a transferred repository', async () => {
  const id = await repository('left')
  const theirs = await startRunner(app, { scope: { owner_id: ada.id, repository_id: null } })
  await transfers.direct?.('left')
  await putRun(pool, id, ada.id, [{ key: 'a' }])
  assert.equal((await theirs.client.fetchTask({ tasksVersion: 0n })).task, undefined)
  const ours = await startRunner(app, { scope: { owner_id: guild.id, repository_id: null } })
  assert.ok((await ours.client.fetchTask({ tasksVersion: 0n })).task)
})

test('a push before a transfer starts no run after it; one of the new owner does', async () => {
  const forge = { ...app, ada, folder: await temporaryFolder() }
  const repo = await startRepository(forge, 'pushed')
  const push = () =>
    repo.push({ '.gitea/workflows/ci.yml': 'on: push\njobs: {a: {runs-on: x, steps: [{run: echo}]}}' })
  const spread = () =>
    make.begin(async (tx) => {
      const events = await holdDueEvents(tx, 100, tx.now)
      await triggerConsumer(workflowMessages)(tx, events, tx.now)
      await tx`delete from forge.event`
      const triggers = await tx<{ kind: string }[]>`
        delete from forge.action_trigger where repository_id = ${repo.id} returning kind`
      return triggers.map(({ kind }) => kind).toSorted()
    })
  await push()
  assert.deepEqual(await spread(), ['create', 'push'])
  await push()
  await transfers.direct?.('pushed')
  assert.deepEqual(await spread(), [])
  await repo.git(
    'remote',
    'set-url',
    'origin',
    (await repo.git('remote', 'get-url', 'origin')).trim().replace('/ada/', '/guild/'),
  )
  await push()
  assert.deepEqual(await spread(), ['push'])
})

test('collaborators, webhooks, secrets and variables of a repository stay with it', async () => {
  await repository('kept')
  const [before, after] = [
    { owner: 'ada', repo: 'kept' },
    { owner: 'guild', repo: 'kept' },
  ]
  const put = async (literal: string, params: object, body: object) =>
    assert.ok(
      (await call(literal, { as: ada, params: { ...before, ...params }, body })).status < 300,
      literal,
    )
  const of = '/api/v1/repos/{owner}/{repo}'
  await put(`PUT ${of}/collaborators/{collaborator}`, { collaborator: 'bob' }, { permission: 'write' })
  const hook = {
    type: 'gitea',
    events: ['push'],
    config: { url: 'https://example.org/', content_type: 'json' },
  }
  await put(`POST ${of}/hooks`, {}, hook)
  await put(`PUT ${of}/actions/secrets/{secretname}`, { secretname: 'A' }, { data: 'b' })
  await put(`POST ${of}/actions/variables/{variablename}`, { variablename: 'A' }, { value: 'b' })
  await transfers.direct?.('kept')
  for (const kind of ['collaborators', 'hooks', 'actions/secrets', 'actions/variables']) {
    const { body } = await call(`GET ${of}/${kind}`, { as: ada, params: after })
    assert.equal(body.length, 1, kind)
  }
})

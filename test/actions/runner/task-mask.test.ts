import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { cleanLogs } from '../../../src/actions/run/sweeps.ts'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { serveApp, startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { bareRepository, putRun, rows, runnerClient, startRunner } from '../../support/forge/actions.ts'
import { tablesHolding } from '../../support/traces.ts'
import { until } from '../../support/wait.ts'

const app = await startApp()
const second = await serveApp(app.database)
after(second.close)
const { call, clock, pool, make } = app
const ada = await make.person({ name: 'ada' })

const SECRET = '/api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}'
let made = 0

/** A job that a runner has taken with these secrets, which can be changed then. */
async function taken(secrets: Record<string, string>) {
  const { id, name } = await bareRepository(pool, ada, `code${++made}`)
  const put = (secretname: string, data: string) =>
    call(`PUT ${SECRET}`, { as: ada, params: { owner: 'ada', repo: name, secretname }, body: { data } })
  const remove = (secretname: string) =>
    call(`DELETE ${SECRET}`, { as: ada, params: { owner: 'ada', repo: name, secretname } })
  for (const [secret, value] of Object.entries(secrets)) assert.equal((await put(secret, value)).status, 201)
  await putRun(pool, id, ada.id, [{ key: 'one' }, { key: 'two', needs: ['one'], status: 'requested' }])
  const runner = await startRunner(app, { scope: { owner_id: null, repository_id: id } })
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  const elsewhere = runnerClient(second.url, 'protobuf', {
    'x-runner-uuid': runner.uuid,
    'x-runner-token': runner.token,
  })
  return { ...runner, elsewhere, task, put, remove, repository: id }
}

async function linesOf(task: bigint): Promise<string> {
  const pieces = await pool<{ content: string }[]>`
    select content from forge.action_log where task_id = ${Number(task)} order by first_line`
  return pieces.map(({ content }) => content.replace(/^\S+ /gm, '')).join('')
}

test('a log hides the secrets that the task has received, in every process, also after they were changed', async () => {
  const { client, elsewhere, task, put, remove } = await taken({
    KEPT: 'kept-value',
    OLD: 'old-value',
    GONE: 'gone-value',
  })
  assert.equal(task.secrets.GONE, 'gone-value')
  assert.equal((await put('OLD', 'new-value')).status, 204)
  assert.equal((await remove('GONE')).status, 204)
  const runtimeToken = String(task.context?.gitea_runtime_token)
  const line = `kept-value old-value gone-value ${runtimeToken} new-value`
  await client.updateLog({ taskId: task.id, index: 0n, rows: rows(line) })
  await elsewhere.updateLog({ taskId: task.id, index: 1n, rows: rows(line), noMore: true })
  const hidden = '*** *** *** *** new-value\n'
  assert.equal(await linesOf(task.id), hidden + hidden)
  for (const value of ['kept-value', 'old-value', 'gone-value', runtimeToken])
    assert.deepEqual(await tablesHolding(pool, value), [])
})

test('the log of a task that has received no secrets does not hide later ones, which would reveal them', async () => {
  const { client, task, put } = await taken({})
  assert.equal((await put('LATER', 'later-value')).status, 201)
  await client.updateLog({ taskId: task.id, index: 0n, rows: rows('later-value') })
  assert.equal(await linesOf(task.id), 'later-value\n')
})

test('the log of a task that an earlier release has assigned hides the current secrets', async () => {
  const { client, task } = await taken({ KEPT: 'kept-value' })
  await pool`delete from forge.action_task_secret where task_id = ${Number(task.id)}`
  await client.updateLog({ taskId: task.id, index: 0n, rows: rows('kept-value') })
  assert.equal(await linesOf(task.id), '***\n')
})

test('an output that contains a secret or the token is dropped, and the others are stored', async () => {
  const pem = '-----BEGIN KEY-----\nabcdefgh\n-----END KEY-----'
  const { client, elsewhere, task, remove } = await taken({ WORD: 'pass-word', PEM: pem })
  await remove('WORD')
  const state = { id: task.id, result: Result.unspecified }
  const outputs = {
    plain: 'version 1.2',
    whole: 'pass-word',
    inside: 'https://u:pass-word@example.org',
    line: 'abcdefgh',
    lines: `x\n${pem}\ny`,
    escaped: pem.replaceAll('\n', '\\n'),
    token: `token ${task.context?.token}`,
    'pass-word': 'a name',
  }
  const { sentOutputs } = await elsewhere.updateTask({ state, outputs })
  assert.deepEqual(sentOutputs.toSorted(), Object.keys(outputs).toSorted(), 'none is sent again')
  await client.updateTask({ state: { ...state, result: Result.success }, outputs: { last: 'b pass-word' } })
  const { task: next } = await client.fetchTask({ tasksVersion: 0n })
  assert.deepEqual({ ...next?.needs.one?.outputs }, { plain: 'version 1.2' })
  assert.deepEqual(await tablesHolding(pool, 'pass-word'), [])
  assert.deepEqual(await tablesHolding(pool, 'abcdefgh'), [])
})

test('the secrets of a task are stored until an hour after its end, when its log is closed', async () => {
  const { client, task } = await taken({ KEPT: 'kept-value' })
  const stored = async () =>
    (await pool`select from forge.action_task_secret where task_id = ${Number(task.id)}`).length
  const sweep = async () => {
    const { signal } = new AbortController()
    await cleanLogs({ sql: pool, begin: make.begin, now: clock.now(), signal }, 1e12)
  }
  clock.tick(2 * 3_600_000)
  await sweep()
  assert.equal(await stored(), 1, 'it runs')
  await client.updateTask({ state: { id: task.id, result: Result.success } })
  clock.tick(3_600_000)
  await sweep()
  assert.equal(await stored(), 1)
  await client.updateLog({ taskId: task.id, index: 0n, rows: rows('kept-value') })
  assert.equal(await linesOf(task.id), '***\n')
  clock.tick(1)
  await sweep()
  assert.equal(await stored(), 0)
  const late = client.updateLog({ taskId: task.id, index: 1n, rows: rows('kept-value') })
  await assert.rejects(late, /the log has been closed/)
})

test('a task that ends while its secrets are read reaches no runner', {
  skip: !onServer && 'needs a PostgreSQL server',
}, async () => {
  const { client, id, repository } = await taken({ KEPT: 'kept-value' })
  await putRun(pool, repository, ada.id, [{ key: 'three' }])
  const lock = await pool.reserve()
  await lock`begin`
  await lock`lock table forge.secret in access exclusive mode`
  const fetching = client.fetchTask({ tasksVersion: 0n })
  await until('the secrets are being read', async () => {
    const [row] = await pool<{ waiting: number }[]>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%forge.secret%'`
    return row?.waiting === 1
  })
  const params = { owner: 'ada', repo: `code${made}`, runner_id: id }
  const removed = call('DELETE /api/v1/repos/{owner}/{repo}/actions/runners/{runner_id}', { as: ada, params })
  assert.equal((await removed).status, 204)
  await lock`commit`
  lock.release()
  const answer = await fetching.catch(() => ({ task: undefined }))
  assert.equal(answer.task, undefined)
})

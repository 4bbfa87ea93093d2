import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Code, ConnectError } from '@connectrpc/connect'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { registrationToken } from '../../../src/actions/runner/registration-store.ts'
import { siteScope } from '../../../src/actions/secrets/scope-store.ts'
import { startApp } from '../../support/app.ts'
import {
  bareRepository,
  type Codec,
  putRun,
  rows,
  runnerClient,
  startRunner,
} from '../../support/forge/actions.ts'
import { testSecrets } from '../../support/forge/make.ts'
import { openRaw } from '../../support/raw.ts'
import { until } from '../../support/wait.ts'

const app = await startApp()
const { url, pool, clock, make } = app
after(() =>
  assert.deepEqual(
    app.log.lines().filter(({ level, status }) => level === 'error' && status !== 503),
    [],
  ),
)
const ada = await make.person({ name: 'ada' })

let repositories = 0
const repository = () => bareRepository(pool, ada, `code${++repositories}`)

/** What a call was refused with. */
async function refusal(call: Promise<unknown>): Promise<[code: string, message: string]> {
  try {
    await call
  } catch (error) {
    if (error instanceof ConnectError) return [Code[error.code] ?? '', error.rawMessage]
    throw error
  }
  throw new Error('it was not refused')
}

async function statusOf(job: number): Promise<string | undefined> {
  const [row] = await pool<{ status: string }[]>`select status from forge.action_job where id = ${job}`
  return row?.status
}

async function logOf(task: bigint): Promise<string> {
  const pieces = await pool<{ content: string }[]>`
    select content
    from forge.action_log
    where task_id = ${Number(task)}
    order by first_line`
  return pieces.map(({ content }) => content).join('')
}

/** The same without the times before its lines. */
const linesOf = async (task: bigint) => (await logOf(task)).replace(/^\S+ /gm, '')

/** Calls as a runner without a client of the protocol. */
function post(
  { uuid, token }: { uuid: string; token: string },
  call: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Response> {
  const own = { 'content-type': 'application/json', 'x-runner-uuid': uuid, 'x-runner-token': token }
  return fetch(`${url}/api/actions/runner.v1.RunnerService/${call}`, {
    method: 'POST',
    headers: { ...own, ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
}

for (const codec of ['protobuf', 'json'] satisfies Codec[]) {
  test(`${codec}: a runner registers, takes a job, writes its log and ends it`, async () => {
    const { id } = await repository()
    const { run, jobs } = await putRun(pool, id, ada.id, [{ key: 'build' }, { key: 'test' }])
    assert.equal((await runnerClient(url, codec).ping({ data: 'you' })).data, 'Hello, you!')
    const scope = { owner_id: null, repository_id: id }
    const { client } = await startRunner(app, { codec, scope, name: `by ${codec}` })
    const { task, tasksVersion } = await client.fetchTask({ tasksVersion: 0n })
    assert.ok(task)
    assert.ok(tasksVersion >= 1n)
    assert.match(Buffer.from(task.workflowPayload ?? []).toString(), /jobs:\n {2}build:/)
    assert.equal(
      task.context?.repository,
      `ada/${(await pool`select name from forge.repository where id = ${id}`)[0]?.name}`,
    )
    assert.equal(task.context?.ref_name, 'main')
    assert.equal(task.context?.ref_type, 'branch')
    assert.equal(task.context?.actor, 'ada')
    assert.deepEqual(task.context?.event, { ref: 'refs/heads/main', after: 'f'.repeat(40) })
    assert.equal(task.secrets.GITHUB_TOKEN, task.context?.token)
    assert.match(task.secrets.GITEA_TOKEN ?? '', /^[0-9a-f]{40}$/)
    assert.equal(await statusOf(jobs[0] ?? 0), 'in_progress')

    const log = { taskId: task.id, index: 0n, rows: rows('one', 'two'), noMore: false }
    assert.equal((await client.updateLog(log)).ackIndex, 2n)
    const steps = [
      {
        id: 0n,
        result: Result.success,
        logIndex: 0n,
        logLength: 1n,
        startedAt: seconds(10),
        stoppedAt: seconds(11),
      },
    ]
    const going = await client.updateTask({
      state: { id: task.id, result: 0, startedAt: seconds(10), steps },
    })
    assert.deepEqual([going.state?.id, going.state?.result], [task.id, Result.unspecified])
    const ended = await client.updateTask({
      state: { id: task.id, result: Result.success, stoppedAt: seconds(20), steps: [] },
      outputs: { version: '1.10' },
    })
    assert.equal(ended.state?.result, Result.success)
    assert.deepEqual(ended.sentOutputs, ['version'])
    assert.equal(await statusOf(jobs[0] ?? 0), 'success')
    assert.equal((await client.updateLog({ ...log, index: 2n, rows: [], noMore: true })).ackIndex, 2n)
    assert.equal(await logOf(task.id), '2026-01-31T08:00:00.1234567Z one\n2026-01-31T08:00:00.1234567Z two\n')

    const second = await client.fetchTask({ tasksVersion: 0n })
    assert.ok(second.task)
    await client.updateTask({ state: { id: second.task.id, result: Result.failure } })
    const [row] = await pool`select status, started_at, stopped_at from forge.action_run where id = ${run}`
    assert.equal(row?.status, 'failure')
    assert.ok(row?.started_at && row?.stopped_at)
    const named =
      await pool`select number, name, status from forge.action_step where task_id = ${Number(task.id)} order by number`
    assert.deepEqual(
      named.map(({ number, name, status }) => [number, name, status]),
      [
        [0, 'Run echo', 'success'],
        [1, 'Run make', 'skipped'],
      ],
    )
  })
}

function seconds(past: number) {
  return { $typeName: 'google.protobuf.Timestamp' as const, seconds: BigInt(1_769_846_400 + past), nanos: 0 }
}

/** A runner of its own repository, with a task of it. */
async function taken(wish: { steps?: string[]; capabilities?: string[]; ephemeral?: boolean } = {}) {
  const { id } = await repository()
  const put = await putRun(pool, id, ada.id, [{ ...(wish.steps && { steps: wish.steps }) }])
  const scope = { owner_id: null, repository_id: id }
  const runner = await startRunner(app, { ...wish, scope })
  const { task } = await runner.client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  return { ...runner, task, repository: id, run: put.run, job: put.jobs[0] ?? 0 }
}

test('an unregistered runner gets the exact error message on every call', async () => {
  const { uuid, token } = await startRunner(app)
  const forged = [
    {},
    { 'x-runner-uuid': uuid },
    { 'x-runner-uuid': uuid, 'x-runner-token': 'f'.repeat(40) },
    { 'x-runner-uuid': 'no uuid', 'x-runner-token': token },
    { 'x-runner-uuid': uuid.replace(/.$/, (last) => (last === '0' ? '1' : '0')), 'x-runner-token': token },
  ]
  for (const headers of forged) {
    const client = runnerClient(url, 'protobuf', headers)
    assert.deepEqual(await refusal(client.declare({})), ['Unauthenticated', 'unregistered runner'])
    assert.deepEqual(await refusal(client.fetchTask({})), ['Unauthenticated', 'unregistered runner'])
    assert.deepEqual(await refusal(client.updateTask({})), ['Unauthenticated', 'unregistered runner'])
    assert.deepEqual(await refusal(client.updateLog({})), ['Unauthenticated', 'unregistered runner'])
  }
})

test('a registration without a name, or with a token that nobody made, makes no runner', async () => {
  const client = runnerClient(url, 'protobuf')
  const [before] = await pool`select count(*) from forge.action_runner`
  assert.equal((await refusal(client.register({ name: '', token: 'x' })))[0], 'InvalidArgument')
  assert.equal((await refusal(client.register({ name: 'r', token: '' })))[0], 'InvalidArgument')
  assert.equal((await refusal(client.register({ name: 'r', token: 'x'.repeat(40) })))[0], 'Unauthenticated')
  const broken = 'n\u0000l'
  assert.equal((await refusal(client.register({ name: 'r', token: broken })))[0], 'Unauthenticated')
  const { token } = await registrationToken(pool, testSecrets, siteScope, new Date())
  assert.equal((await refusal(client.register({ name: broken, token })))[0], 'InvalidArgument')
  assert.deepEqual((await pool`select count(*) from forge.action_runner`)[0], before)
})

test('an old runner sends its labels under another name', async () => {
  const { token } = await startRunner(app)
  assert.match(token, /^[0-9a-f]{40}$/)
  const known = await registrationToken(pool, testSecrets, siteScope, new Date())
  const { runner } = await runnerClient(url, 'protobuf').register({
    name: 'x'.repeat(300),
    token: known.token,
    agentLabels: ['old', 'old'],
    version: 'v0.2.13',
  })
  assert.deepEqual([runner?.labels, runner?.name.length, runner?.ephemeral], [['old'], 255, false])
})

test('a malformed message, another method and an unknown call have their own errors', async () => {
  const post = (path: string, type: string, body: BodyInit) =>
    fetch(`${url}/api/actions/${path}`, { method: 'POST', headers: { 'content-type': type }, body })
  const ping = 'ping.v1.PingService/Ping'
  assert.equal((await post(ping, 'application/proto', new Uint8Array([0xff, 0xff]))).status, 400)
  // A string that is not UTF-8.
  assert.equal((await post(ping, 'application/proto', new Uint8Array([0x0a, 0x02, 0xc3, 0x28]))).status, 400)
  assert.equal((await post(ping, 'application/json', '{"data":')).status, 400)
  assert.equal((await post(ping, 'text/plain', 'x')).status, 415)
  for (const type of ['application/grpc', 'application/grpc-web+proto'])
    for (const path of [ping, 'runner.v1.RunnerService/Register'])
      assert.equal((await post(path, type, new Uint8Array(5))).status, 415, `${path} as ${type}`)
  assert.equal((await fetch(`${url}/api/actions/${ping}`)).status, 405)
  const unknown = await post('runner.v1.RunnerService/Nothing', 'application/proto', '')
  assert.deepEqual(
    [unknown.status, await unknown.json()],
    [404, { code: 'unimplemented', message: 'there is no such call' }],
  )
  const large = await post(ping, 'application/json', JSON.stringify({ data: 'x'.repeat(2_000_000) }))
  assert.equal(large.status, 413)
  assert.equal((await large.json()).code, 'resource_exhausted')
})

test('a runner is given jobs of its scope and labels only, the oldest first', async () => {
  const other = await repository()
  const { id } = await repository()
  await putRun(pool, other.id, ada.id, [{}])
  const { jobs } = await putRun(pool, id, ada.id, [
    { runs_on: ['self-hosted', 'gpu'] },
    { runs_on: ['Self-Hosted'] },
    { runs_on: [] },
    { status: 'requested', runs_on: [], needs: ['job2'] },
  ])
  const scope = { owner_id: null, repository_id: id }
  const { client } = await startRunner(app, { scope })
  const first = await client.fetchTask({ tasksVersion: 0n })
  assert.equal(first.task?.context?.job, 'job3')
  const nothing = await client.fetchTask({ tasksVersion: 0n })
  assert.equal(nothing.task, undefined)
  const gpu = await startRunner(app, { scope, labels: ['self-hosted', 'gpu'] })
  assert.equal((await gpu.client.fetchTask({ tasksVersion: 0n })).task?.context?.job, 'job1')
  assert.deepEqual(await Promise.all(jobs.map(statusOf)), [
    'in_progress',
    'queued',
    'in_progress',
    'requested',
  ])
  const bob = await make.person({ name: 'bob' })
  const ofBob = await startRunner(app, {
    scope: { owner_id: bob.id, repository_id: null },
    labels: ['Self-Hosted'],
  })
  assert.equal((await ofBob.client.fetchTask({ tasksVersion: 0n })).task, undefined)
  const before = (await ofBob.client.fetchTask({ tasksVersion: 0n })).tasksVersion
  await pool`update forge.repository set owner_id = ${bob.id}, name = 'moved' where id = ${id}`
  const moved = await ofBob.client.fetchTask({ tasksVersion: before })
  assert.equal(moved.task?.context?.repository, 'bob/moved', 'a repository that moves brings its jobs along')
})

test('a runner with the newest version number gets no job, and a higher number once a job is ready', async () => {
  const { id } = await repository()
  const { client } = await startRunner(app, { scope: { owner_id: null, repository_id: id } })
  const { tasksVersion } = await client.fetchTask({ tasksVersion: 0n })
  const { jobs } = await putRun(pool, id, ada.id, [{ status: 'requested' }])
  assert.equal((await client.fetchTask({ tasksVersion })).tasksVersion, tasksVersion)
  await pool`update forge.action_job set status = 'queued' where id = ${jobs[0] ?? 0}`
  const { task, tasksVersion: later } = await client.fetchTask({ tasksVersion })
  assert.ok(task)
  assert.ok(later > tasksVersion)
})

test('each line of a log is stored once, whether lines are repeated, left out or sent twice at once', async () => {
  const { client, task } = await taken()
  const send = (index: number, lines: string[], noMore = false) =>
    client
      .updateLog({ taskId: task.id, index: BigInt(index), rows: rows(...lines), noMore })
      .then(({ ackIndex }) => Number(ackIndex))
  assert.equal(await send(5, ['gap']), 0)
  assert.equal(await send(0, []), 0)
  assert.equal(await send(0, ['a', 'b']), 2)
  assert.equal(await send(0, ['a', 'b']), 2)
  assert.equal(await send(1, ['b', 'c']), 3)
  assert.equal(await send(9, [], true), 3, 'a gap seals nothing')
  assert.deepEqual(await Promise.all([1, 2, 3, 4].map(() => send(3, ['d', 'e']))), [5, 5, 5, 5])
  assert.equal(await send(5, ['f'], true), 6)
  assert.equal(await send(5, ['f'], true), 6)
  assert.equal(await send(6, [], true), 6)
  assert.equal((await refusal(send(6, ['g'])))[0], 'AlreadyExists')
  const text = await linesOf(task.id)
  assert.equal(text, 'a\nb\nc\nd\ne\nf\n')
})

test('a line is stored without NUL and line feeds, and truncated', async () => {
  const { client, task } = await taken()
  const odd = ['n\u0000l', 'two\nlines\n', 'x'.repeat(70_000), '', '::error::stays']
  assert.equal((await client.updateLog({ taskId: task.id, index: 0n, rows: rows(...odd) })).ackIndex, 5n)
  const text = await linesOf(task.id)
  assert.deepEqual(text.split('\n'), [
    'n\uFFFDl',
    'two\\nlines',
    'x'.repeat(65_536),
    '',
    '::error::stays',
    '',
  ])
})

test('a runner has no access to the task of another one', async () => {
  const { task } = await taken()
  const { client } = await startRunner(app)
  for (const [id, code] of [
    [task.id, 'PermissionDenied'],
    [999_999n, 'NotFound'],
    [-1n, 'NotFound'],
    [1n << 62n, 'NotFound'],
  ] as const) {
    assert.equal((await refusal(client.updateTask({ state: { id, result: Result.success } })))[0], code)
    assert.equal((await refusal(client.updateLog({ taskId: id, index: 0n, rows: rows('x') })))[0], code)
  }
  assert.equal(await logOf(task.id), '')
})

test('the first report of the end counts; later ones change nothing', async () => {
  const { client, task, job } = await taken()
  const end = (result: number) =>
    client.updateTask({ state: { id: task.id, result } }).then(({ state }) => state?.result)
  assert.equal((await refusal(client.updateTask({})))[0], 'InvalidArgument')
  assert.equal((await refusal(end(7)))[0], 'InvalidArgument')
  assert.equal(await end(Result.unspecified), Result.unspecified)
  assert.equal(await end(Result.failure), Result.failure)
  assert.equal(await end(Result.success), Result.failure)
  assert.equal(await end(Result.unspecified), Result.failure)
  assert.equal(await statusOf(job), 'failure')
  assert.equal((await client.updateLog({ taskId: task.id, index: 0n, rows: rows('late') })).ackIndex, 1n)
})

test('the first value of an output counts, and every name is acknowledged, also of a value that is too long', async () => {
  const { client, task } = await taken()
  const state = { id: task.id, result: Result.unspecified }
  const tell = (outputs: Record<string, string>) =>
    client.updateTask({ state, outputs }).then(({ sentOutputs }) => sentOutputs)
  assert.deepEqual(await tell({ a: '1' }), ['a'])
  assert.deepEqual(await tell({}), ['a'])
  const long = 'k'.repeat(300)
  assert.deepEqual(await tell({ a: '2', b: 'v'.repeat(1_100_000), [long]: 'x', nul: 'a\u0000b' }), [
    'a',
    'b',
    'nul',
    long,
  ])
  const kept =
    await pool`select key, value from forge.action_output where task_id = ${Number(task.id)} order by key`
  assert.deepEqual(
    kept.map(({ key, value }) => [key, value]),
    [
      ['a', '1'],
      ['b', null],
      ['nul', 'a\uFFFDb'],
    ],
  )
})

test('the last non-empty value of an output of a matrix counts, whatever its name', async () => {
  const { id } = await repository()
  await putRun(pool, id, ada.id, [
    { key: 'build' },
    { key: 'build' },
    { key: 'build' },
    { key: 'test', status: 'requested', needs: ['build'] },
  ])
  const { client } = await startRunner(app, { scope: { owner_id: null, repository_id: id } })
  for (const value of ['one', 'two', '']) {
    const { task } = await client.fetchTask({})
    const outputs = { constructor: value, toString: value, plain: value }
    await client.updateTask({ state: { id: task?.id ?? 0n, result: Result.success }, outputs })
  }
  const { task } = await client.fetchTask({})
  assert.deepEqual({ ...task?.needs.build?.outputs }, { constructor: 'two', toString: 'two', plain: 'two' })
})

test('outputs that arrive after the end, or are too many, are acknowledged and not stored', async () => {
  const { client, task } = await taken()
  const tell = (result: 0 | 1, outputs: Record<string, string>) =>
    client.updateTask({ state: { id: task.id, result }, outputs }).then(({ sentOutputs }) => sentOutputs)
  const kept = async () => {
    const rows = await pool<{ key: string; value: string }[]>`
      select key, value from forge.action_output where task_id = ${Number(task.id)} order by key`
    return rows.map(({ key, value }) => `${key} ${value.length}`)
  }
  const long = 'v'.repeat(1_048_576)
  const names = Array.from({ length: 9 }, (_, at) => `long${at}`)
  assert.deepEqual(await tell(0, Object.fromEntries(names.map((name) => [name, long]))), names)
  assert.deepEqual(
    await kept(),
    names.slice(0, 8).map((name) => `${name} 1048576`),
  )
  assert.deepEqual(await tell(1, { last: 'x' }), [...names.slice(0, 8), 'last'])
  assert.deepEqual(await tell(1, { late: 'x' }), [...names.slice(0, 8), 'late'])
  assert.equal((await kept()).length, 8)
  const many = await taken()
  const outputs = Object.fromEntries(Array.from({ length: 1_500 }, (_, at) => [`o${at}`, '']))
  await many.client.updateTask({ state: { id: many.task.id }, outputs })
  const [row] = await pool`select count(*) from forge.action_output where task_id = ${Number(many.task.id)}`
  assert.equal(row?.count, 1_000)
})

test('a task that ended in the future by the clock of its runner ends now', async () => {
  const { client, task } = await taken()
  const stoppedAt = seconds(1e9)
  await client.updateTask({ state: { id: task.id, result: Result.success, stoppedAt } })
  const [row] = await pool`select stopped_at from forge.action_task where id = ${Number(task.id)}`
  assert.equal(row?.stopped_at, app.clock.now().toISOString())
})

test('an ephemeral runner gets one job, also after two concurrent requests, and is deleted with it', async () => {
  const { id } = await repository()
  await putRun(pool, id, ada.id, [{}, {}, {}])
  const scope = { owner_id: null, repository_id: id }
  const { client, id: runner } = await startRunner(app, { scope, ephemeral: true })
  const asked = await Promise.all([1, 2, 3].map(() => client.fetchTask({ tasksVersion: 0n })))
  const [task, ...more] = asked.flatMap((each) => each.task ?? [])
  assert.ok(task && more.length === 0)
  assert.equal((await client.fetchTask({ tasksVersion: 0n })).task, undefined)
  await client.updateTask({ state: { id: task.id, result: Result.success } })
  assert.deepEqual(await refusal(client.fetchTask({})), ['Unauthenticated', 'unregistered runner'])
  const late = { taskId: task.id, index: 0n, rows: rows('owed'), noMore: true }
  assert.equal((await client.updateLog(late)).ackIndex, 1n, 'it may still send what it owes')
  clock.tick(61_000)
  assert.deepEqual(await refusal(client.updateLog(late)), ['Unauthenticated', 'unregistered runner'])
  const [row] = await pool`select deleted_at from forge.action_runner where id = ${runner}`
  assert.ok(row?.deleted_at)
})

test('the log of a task contains neither its token nor the secrets of its repository', async () => {
  const { client, task, repository: id } = await taken()
  const secret = task.context?.token
  assert.equal(typeof secret, 'string')
  await client.updateLog({
    taskId: task.id,
    index: 0n,
    rows: rows(`token=${secret} other=${'a'.repeat(40)} escaped=%20${secret}`),
  })
  const text = await linesOf(task.id)
  assert.equal(text, `token=*** other=${'a'.repeat(40)} escaped=%20***\n`)
  assert.ok(id > 0)
})

test('a truncated line ends without a part of the token of the task', async () => {
  const { client, task } = await taken()
  const secret = String(task.context?.token)
  for (const [at, shown] of [1, 20, 39].entries()) {
    const line = `${'.'.repeat(65_536 - shown)}${secret} and more`
    await client.updateLog({ taskId: task.id, index: BigInt(at), rows: rows(line) })
  }
  for (const line of (await logOf(task.id)).trimEnd().split('\n'))
    assert.ok(/^\S+ \.+\*{1,3}( and more)?$/.test(line), line.slice(-60))
})

test('the last contact of a runner is stored at intervals', async () => {
  const { client, id } = await startRunner(app)
  const seen = async () => (await pool`select last_online from forge.action_runner where id = ${id}`)[0]
  const [first] = [await seen()]
  assert.equal(first?.last_online, clock.now().toISOString())
  clock.tick(20_000)
  await client.fetchTask({ tasksVersion: 0n })
  assert.deepEqual(await seen(), first)
  clock.tick(10_000)
  await client.fetchTask({ tasksVersion: 0n })
  assert.equal((await seen())?.last_online, clock.now().toISOString())
})

test('a task whose runner disconnects goes to another runner', async () => {
  const { id } = await repository()
  const { jobs } = await putRun(pool, id, ada.id, [{}])
  const runner = await startRunner(app, { scope: { owner_id: null, repository_id: id } })
  const given = await post(runner, 'FetchTask', '{}', { 'connect-timeout-ms': '0' })
  assert.equal((await given.json()).code, 'deadline_exceeded')
  assert.equal(await statusOf(jobs[0] ?? 0), 'queued')
  assert.equal((await pool`select id from forge.action_task where job_id = ${jobs[0] ?? 0}`).length, 0)
})

test('a runner that disconnects before a task is found gets none', async () => {
  const { id } = await repository()
  const { jobs } = await putRun(pool, id, ada.id, [{}])
  const { uuid, token } = await startRunner(app, { scope: { owner_id: null, repository_id: id } })
  const raw = await openRaw(url)
  raw.socket.end(
    `POST /api/actions/runner.v1.RunnerService/FetchTask HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\n` +
      `X-Runner-Uuid: ${uuid}\r\nX-Runner-Token: ${token}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  )
  assert.equal(await raw.closed, '')
  await until('the call is over', () => app.log.lines().find((line) => line.id === 'gone'))
  assert.equal(await statusOf(jobs[0] ?? 0), 'queued')
  assert.equal((await pool`select id from forge.action_task where job_id = ${jobs[0] ?? 0}`).length, 0)
})

test('while the database is unavailable, calls answer unavailable, and each has a line in the log', async () => {
  const { client, task } = await taken()
  app.app.limiter.close()
  const calls = [
    () => client.fetchTask({}),
    () => client.updateTask({ state: { id: task.id } }),
    () => client.updateLog({ taskId: task.id }),
    () => runnerClient(url, 'json').register({ name: 'r', token: 'x' }),
  ]
  for (const call of calls) assert.equal((await refusal(call()))[0], 'Unavailable')
  app.app.limiter.open()
  assert.equal((await client.updateTask({ state: { id: task.id } })).state?.result, Result.unspecified)
  const line = '/api/actions/runner.v1.RunnerService/FetchTask'
  await until('the call has a line', () =>
    app.log
      .lines()
      .some(({ message, status, route }) => message === 'request' && status === 503 && route === line),
  )
})

test('messages may be compressed; one that expands beyond the limit is refused', async () => {
  const { task, ...runner } = await taken()
  const send = (call: string, body: string, more: Record<string, string> = {}) =>
    post(runner, call, gzipSync(body), { 'content-encoding': 'gzip', ...more })
  const log = { taskId: String(task.id), index: '0', rows: [{ content: 'x' }] }
  assert.deepEqual(await (await send('UpdateLog', JSON.stringify(log))).json(), { ackIndex: '1' })
  const outputs = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`output${n}`, 'x']))
  const long = await send('UpdateTask', JSON.stringify({ state: { id: log.taskId }, outputs }), {
    'accept-encoding': 'gzip',
  })
  assert.equal(long.headers.get('content-encoding'), 'gzip')
  assert.equal((await long.json()).sentOutputs.length, 200)
  const bomb = await send('Register', JSON.stringify({ name: 'x'.repeat(3_000_000) }))
  assert.deepEqual([bomb.status, (await bomb.json()).code], [429, 'resource_exhausted'])
})

test('logs are written also with secrets of the largest size', async () => {
  const { id } = await repository()
  await putRun(pool, id, ada.id, [{}])
  const [{ name }] = await pool<[{ name: string }]>`select name from forge.repository where id = ${id}`
  const large = (at: number) => `${at} large `.repeat(9_000).slice(0, 65_536)
  for (const at of [1, 2])
    await app.call('PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}', {
      as: ada,
      params: { owner: 'ada', repo: name, secretname: `large_${at}` },
      body: { data: large(at) },
    })
  const { client } = await startRunner(app, { scope: { owner_id: null, repository_id: id } })
  const { task } = await client.fetchTask({ tasksVersion: 0n })
  assert.ok(task)
  await client.updateLog({ taskId: task.id, index: 0n, rows: rows('Hello', large(1), `=${large(2)}=`) })
  const text = await linesOf(task.id)
  assert.equal(text, 'Hello\n***\n=***=\n')
})

test('a message has a bounded number of parts, however small they are', async () => {
  const { task, ...runner } = await taken()
  const send = async (call: string, type: string, body: Buffer, packed = false) => {
    const response = await post(runner, call, packed ? gzipSync(body) : body, {
      'content-type': `application/${type}`,
      ...(packed && { 'content-encoding': 'gzip' }),
    })
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
  }
  const times = (count: number, ...bytes: number[]) => Buffer.alloc(count * bytes.length, Buffer.from(bytes))
  const [id] = [Buffer.from([0x08, ...varint(Number(task.id))])]
  // Of 60,000 lines (field 3), and the end behind them, as many are taken as may come at once; the rest comes again.
  const log = Buffer.concat([id, times(60_000, 0x1a, 0), Buffer.from([0x20, 1])])
  const taking = await send('UpdateLog', 'proto', log, true)
  assert.deepEqual([taking.status, taking.bytes], [200, Buffer.from([0x08, ...varint(49_999)])])
  const [stored] =
    await pool`select log_lines, log_sealed from forge.action_task where id = ${Number(task.id)}`
  assert.deepEqual([stored?.log_lines, stored?.log_sealed], [49_999, false])
  const steps = Buffer.concat([id, times(60_000, 0x2a, 0)])
  const outputs = `{"outputs":{${Array.from({ length: 210_000 }, (_, n) => `"${n}":""`).join()}}}`
  const refused: [call: string, type: string, body: Buffer, packed?: boolean][] = [
    // Steps inside the state, outputs, and labels, packed too.
    ['UpdateTask', 'proto', Buffer.concat([Buffer.from([0x0a, ...varint(steps.length)]), steps])],
    ['UpdateTask', 'proto', times(60_000, 0x12, 0), true],
    ['UpdateTask', 'json', Buffer.from(outputs)],
    ['Declare', 'proto', times(60_000, 0x12, 0)],
  ]
  for (const [call, type, body, packed] of refused) {
    const { status, bytes } = await send(call, type, body, packed)
    assert.deepEqual([status, JSON.parse(bytes.toString()).code], [413, 'resource_exhausted'], call)
  }
  const grown = await send('UpdateLog', 'proto', Buffer.concat([id, Buffer.alloc(5_000_000)]), true)
  assert.deepEqual([grown.status, JSON.parse(grown.bytes.toString()).code], [413, 'resource_exhausted'])
  for (const broken of [times(1, 0x1a, 9), times(1, 0x1b), times(11, 0xff)])
    assert.equal((await send('UpdateLog', 'proto', broken)).status, 400)
  // Fields that nobody knows yet are passed over.
  const newer = await send('UpdateLog', 'proto', Buffer.concat([id, times(3, 0x78, 1, 0x7d, 1, 2, 3, 4)]))
  assert.equal(newer.status, 200)
})

/** A number as protobuf has it. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}

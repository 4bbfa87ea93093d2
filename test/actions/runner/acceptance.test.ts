import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { parse } from 'yaml'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import { type Codec, rows, runnerClient, startRunner } from '../../support/forge/actions.ts'
import { settled, startForge, startRepository } from '../../support/forge/workflows.ts'

/**
 * What a site does with a runner, from its registration to its end, step by step, seen through the lists of the API.
 */

const forge = await startForge()
const { call, url, make, ada, clock } = forge
const boss = await make.admin({ name: 'boss' })

const workflow = `
name: CI
on: push
jobs:
  build:
    runs-on: self-hosted
    outputs: {version: "\${{ steps.v.outputs.version }}"}
    steps:
      - name: Tell
        run: echo "\${{ secrets.DEPLOY_KEY }}"
      - id: v
        run: echo version=1.10 >> $GITHUB_OUTPUT
  test:
    needs: build
    runs-on: [self-hosted]
    strategy: {matrix: {node: [20, 22]}}
    steps: [{run: "echo \${{ needs.build.outputs.version }} \${{ matrix.node }} \${{ vars.LEVEL }}"}]
`

type Shown = { name: string; status: string; conclusion?: string }
const words = ({ name, status, conclusion }: Shown) =>
  [name, status, ...(conclusion ? [conclusion] : [])].join(' ')

/** What `/admin/actions/runs` and `/jobs` show of a repository's newest run. */
async function seen(repository: string): Promise<{ run: string; jobs: string[]; steps: Shown[][] }> {
  const { body } = await call('GET /api/v1/admin/actions/runs', { as: boss })
  const run = body.workflow_runs.find(
    (each: { repository: { full_name: string } }) => each.repository.full_name === repository,
  )
  const jobs = (
    await call('GET /api/v1/admin/actions/jobs', { as: boss, query: { limit: 50 } })
  ).body.jobs.filter((each: { run_id: number }) => each.run_id === run?.id)
  return {
    run: words({ ...run, name: 'run' }),
    jobs: jobs.map(words),
    steps: jobs.map(({ steps }: { steps: Shown[] }) => steps),
  }
}

async function runnersSeen() {
  const { body } = await call('GET /api/v1/admin/actions/runners', { as: boss })
  return body.runners
}

for (const codec of ['protobuf', 'json'] satisfies Codec[]) {
  test(`${codec}: from a registration token to the end of a run`, async () => {
    const name = `by-${codec}`
    const full = `ada/${name}`
    const repo = await startRepository(forge, name)
    const at = { as: ada, params: { owner: 'ada', repo: name } }
    const secret = 'a very secret key'
    await call('PUT /api/v1/repos/{owner}/{repo}/actions/secrets/{secretname}', {
      as: ada,
      params: { ...at.params, secretname: 'deploy_key' },
      body: { data: `${secret}\nof two lines` },
    })
    await call('POST /api/v1/repos/{owner}/{repo}/actions/variables/{variablename}', {
      as: ada,
      params: { ...at.params, variablename: 'level' },
      body: { value: '1.10' },
    })

    // 1 to 3: a token, a registration, a runner that nobody has heard of.
    const { body: given } = await call('POST /api/v1/admin/actions/runners/registration-token', { as: boss })
    const { runner } = await runnerClient(url, codec).register({
      name: codec,
      token: given.token,
      labels: ['self-hosted'],
    })
    assert.ok(runner)
    const labels = [{ id: 0, name: 'self-hosted', type: 'custom' }]
    const listed = {
      id: Number(runner.id),
      name: codec,
      busy: false,
      disabled: false,
      ephemeral: false,
      labels,
    }
    assert.deepEqual(await runnersSeen(), [{ ...listed, status: 'offline' }])

    // 4: its daemon starts.
    const headers = { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token }
    const client = runnerClient(url, codec, headers)
    await client.declare({ version: 'v3.3.0', labels: ['self-hosted'], capabilities: ['cancelling'] })
    assert.equal((await runnersSeen())[0].status, 'online')
    const idle = await client.fetchTask({ tasksVersion: 0n })

    // 5: a push.
    await repo.push({ '.gitea/workflows/t.yml': workflow }, { message: 'Build it' })
    await settled(forge)
    const waiting = ['build queued', 'test (20) requested', 'test (22) requested']
    assert.deepEqual(await seen(full), { run: 'run queued', jobs: waiting, steps: [[], [], []] })

    // 6: the first job.
    const { task } = await client.fetchTask({ tasksVersion: idle.tasksVersion })
    assert.ok(task)
    assert.equal(task.secrets.DEPLOY_KEY, `${secret}\nof two lines`)
    assert.equal(task.vars.LEVEL, '1.10')
    assert.deepEqual(Object.keys(parse(Buffer.from(task.workflowPayload ?? []).toString()).jobs), ['build'])
    assert.equal((await seen(full)).run, 'run in_progress')
    const log = {
      taskId: task.id,
      index: 0n,
      rows: rows('Hello', `key: ${secret}`, 'of two lines'),
      noMore: false,
    }
    assert.equal((await client.updateLog(log)).ackIndex, 3n)
    const step = {
      id: 0n,
      result: Result.success,
      startedAt: moment(1),
      stoppedAt: moment(2),
      logIndex: 0n,
      logLength: 3n,
    }
    await client.updateTask({ state: { id: task.id, startedAt: moment(1), steps: [step] } })
    assert.deepEqual((await runnersSeen())[0].busy, true)
    const during = await seen(full)
    assert.deepEqual(during.jobs, ['build in_progress', 'test (20) requested', 'test (22) requested'])
    assert.deepEqual(during.steps[0]?.map(words), [
      'Tell completed success',
      'Run echo version=1.10 >> $GITHUB_OUTPUT queued',
    ])
    const [build] = (await call('GET /api/v1/repos/{owner}/{repo}/actions/jobs', at)).body.jobs
    const readLog = async () => {
      const path = `/api/v1/repos/ada/${name}/actions/jobs/${build.id}/logs`
      return (await fetch(url + path, { headers: { authorization: ada.authorization } })).text()
    }
    assert.match(await readLog(), /Z Hello\n\S+ key: \*\*\*\n\S+ \*\*\*\n/, 'it is read while it is written')
    await client.updateLog({ ...log, index: 3n, rows: [], noMore: true })
    const ended = await client.updateTask({
      state: {
        id: task.id,
        result: Result.success,
        stoppedAt: moment(3),
        steps: [step, { ...step, id: 1n }],
      },
      outputs: { version: '1.10' },
    })
    assert.deepEqual([ended.state?.result, ended.sentOutputs], [Result.success, ['version']])

    // The dependents, with what they need.
    assert.deepEqual((await seen(full)).jobs, [
      'build completed success',
      'test (20) queued',
      'test (22) queued',
    ])
    for (const node of ['20', '22']) {
      const next = await client.fetchTask({ tasksVersion: 0n })
      assert.ok(next.task)
      const { build: need } = next.task.needs
      assert.deepEqual([need?.outputs, need?.result], [{ version: '1.10' }, Result.success])
      const payload = parse(Buffer.from(next.task.workflowPayload ?? []).toString())
      assert.deepEqual(payload.jobs.test.strategy.matrix.node.map(String), [node])
      assert.equal(payload.jobs.test.needs, undefined)
      await client.updateTask({ state: { id: next.task.id, result: Result.success, stoppedAt: moment(4) } })
    }
    assert.deepEqual(await seen(full).then(({ run, jobs }) => [run, ...jobs]), [
      'run completed success',
      ...['build completed success', 'test (20) completed success', 'test (22) completed success'],
    ])

    // 7: a runner that is switched off takes nothing, and at once when it is on again.
    const edit = (disabled: boolean) =>
      call('PATCH /api/v1/admin/actions/runners/{runner_id}', {
        as: boss,
        params: { runner_id: Number(runner.id) },
        body: { disabled },
      })
    await edit(true)
    await repo.push({ 'a.txt': 'a' })
    await settled(forge)
    const off = await client.fetchTask({ tasksVersion: 0n })
    assert.equal(off.task, undefined)
    await edit(false)
    const on = await client.fetchTask({ tasksVersion: off.tasksVersion })
    assert.ok(on.task)

    const cancelNewest = async () => {
      const { body } = await call('GET /api/v1/repos/{owner}/{repo}/actions/runs', at)
      return call('POST /api/v1/repos/{owner}/{repo}/actions/runs/{run}/cancel', {
        as: ada,
        params: { ...at.params, run: body.workflow_runs[0].id },
      })
    }

    // 8: a long job is cancelled; its runner ends it in order, and nothing else of the run begins.
    const cancelled = await cancelNewest()
    assert.equal(cancelled.status, 200)
    assert.equal((await seen(full)).run, 'run in_progress')
    const told = await client.updateTask({ state: { id: on.task.id } })
    assert.equal(told.state?.result, Result.cancelled)
    await client.updateTask({ state: { id: on.task.id, result: Result.failure, stoppedAt: moment(0) } })
    assert.deepEqual(await seen(full).then(({ run, jobs }) => [run, ...jobs]), [
      'run completed cancelled',
      ...['build completed cancelled', 'test (20) completed cancelled', 'test (22) completed cancelled'],
    ])

    // 9: a runner that is deleted is told so, and its job fails.
    await repo.push({ 'b.txt': 'b' })
    await settled(forge)
    assert.ok((await client.fetchTask({ tasksVersion: 0n })).task)
    await call('DELETE /api/v1/admin/actions/runners/{runner_id}', {
      as: boss,
      params: { runner_id: Number(runner.id) },
    })
    await assert.rejects(client.fetchTask({}), (error: unknown) => {
      return (
        error instanceof ConnectError &&
        error.code === Code.Unauthenticated &&
        error.rawMessage === 'unregistered runner'
      )
    })
    assert.equal((await seen(full)).run, 'run completed failure')
    assert.deepEqual(await runnersSeen(), [])

    // 10: a runner for one job is gone after it, and may still send what it owes.
    const once = (
      await runnerClient(url, codec).register({
        name: 'once',
        token: given.token,
        labels: ['self-hosted'],
        ephemeral: true,
      })
    ).runner
    assert.ok(once?.ephemeral)
    const proof = { 'x-runner-uuid': once.uuid, 'x-runner-token': once.token }
    const ephemeral = runnerClient(url, codec, proof)
    await ephemeral.declare({ version: 'v3.3.0', labels: ['self-hosted'] })
    const [shown] = await runnersSeen()
    assert.deepEqual([shown.name, shown.status, shown.ephemeral], ['once', 'online', true])
    await repo.push({ 'c.txt': 'c' })
    await settled(forge)
    const only = (await ephemeral.fetchTask({ tasksVersion: 0n })).task
    assert.ok(only)
    assert.equal((await ephemeral.fetchTask({ tasksVersion: 0n })).task, undefined)
    await ephemeral.updateTask({ state: { id: only.id, result: Result.success } })
    assert.deepEqual(await runnersSeen(), [])
    const owed = { taskId: only.id, index: 0n, rows: rows('last words'), noMore: true }
    assert.equal((await ephemeral.updateLog(owed)).ackIndex, 1n)
    await assert.rejects(ephemeral.fetchTask({}), /unregistered runner/)
    // What it has made ready is nobody's.
    assert.equal((await seen(full)).run, 'run queued')
    await cancelNewest()
    assert.equal((await seen(full)).run, 'run completed cancelled')
  })
}

function moment(past: number) {
  const seconds = BigInt(Math.floor(clock.now().getTime() / 1000) + past)
  return { $typeName: 'google.protobuf.Timestamp' as const, seconds, nanos: 0 }
}

test('a push with the token of a job starts nothing', async () => {
  const repo = await startRepository(forge, 'loop')
  await repo.push({
    '.gitea/workflows/loop.yml': 'on: push\njobs: {a: {runs-on: self-hosted, steps: [{run: x}]}}',
  })
  await settled(forge)
  const scope = { owner_id: null, repository_id: repo.id }
  const { client } = await startRunner(forge, { scope })
  const { task } = await client.fetchTask({})
  const token = task?.secrets.GITEA_TOKEN
  assert.ok(token)
  const address = new URL('ada/loop.git', url)
  address.username = 'job'
  address.password = token
  await repo.git('commit', '-q', '--allow-empty', '-m', 'By the job itself')
  await repo.git('push', '-q', address.href, 'HEAD:refs/heads/main')
  await settled(forge)
  const runs = await forge.pool`select title from forge.action_run where repository_id = ${repo.id}`
  assert.equal(runs.length, 1)
  await repo.push({ 'b.txt': 'b' })
  await settled(forge)
  assert.equal((await forge.pool`select id from forge.action_run where repository_id = ${repo.id}`).length, 2)
})

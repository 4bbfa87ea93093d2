import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { Result } from '../../../src/actions/runner/protocol/messages.ts'
import type { Scope } from '../../../src/actions/secrets/scope-store.ts'
import { createSecrets } from '../../../src/db/encryption/secrets.ts'
import { startApp } from '../../support/app.ts'
import { bareRepository, putRun, runnerClient, startRunner } from '../../support/forge/actions.ts'
import { bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { tablesHolding } from '../../support/traces.ts'

const app = await startApp()
const { call, pool, clock, url, make } = app
const boss = await make.admin({ name: 'boss' })
const [ada, mia, eve] = await make.people('ada', 'mia', 'eve')
const guild = await make.organization(ada, { name: 'Guild' })
await make.team(guild, [mia], { permission: 'write' })
const shed = await bareRepository(pool, ada, 'shed')

const LIST = 'GET /api/v1/admin/actions/runners'
const TOKEN = 'POST /api/v1/admin/actions/runners/registration-token'
const SHOW = 'GET /api/v1/admin/actions/runners/{runner_id}'
const EDIT = 'PATCH /api/v1/admin/actions/runners/{runner_id}'
const DELETE = 'DELETE /api/v1/admin/actions/runners/{runner_id}'
const LIST_ORG = 'GET /api/v1/orgs/{org}/actions/runners'
const TOKEN_ORG = 'POST /api/v1/orgs/{org}/actions/runners/registration-token'
const SHOW_ORG = 'GET /api/v1/orgs/{org}/actions/runners/{runner_id}'
const EDIT_ORG = 'PATCH /api/v1/orgs/{org}/actions/runners/{runner_id}'
const DELETE_ORG = 'DELETE /api/v1/orgs/{org}/actions/runners/{runner_id}'
const LIST_REPO = 'GET /api/v1/repos/{owner}/{repo}/actions/runners'
const TOKEN_REPO = 'POST /api/v1/repos/{owner}/{repo}/actions/runners/registration-token'
const SHOW_REPO = 'GET /api/v1/repos/{owner}/{repo}/actions/runners/{runner_id}'
const EDIT_REPO = 'PATCH /api/v1/repos/{owner}/{repo}/actions/runners/{runner_id}'
const DELETE_REPO = 'DELETE /api/v1/repos/{owner}/{repo}/actions/runners/{runner_id}'
const LIST_OWN = 'GET /api/v1/user/actions/runners'
const TOKEN_OWN = 'POST /api/v1/user/actions/runners/registration-token'
const SHOW_OWN = 'GET /api/v1/user/actions/runners/{runner_id}'
const EDIT_OWN = 'PATCH /api/v1/user/actions/runners/{runner_id}'
const DELETE_OWN = 'DELETE /api/v1/user/actions/runners/{runner_id}'

const scopes: Record<'site' | 'org' | 'user' | 'repo', Scope> = {
  site: { owner_id: null, repository_id: null },
  org: { owner_id: guild.id, repository_id: null },
  user: { owner_id: ada.id, repository_id: null },
  repo: { owner_id: null, repository_id: shed.id },
}
const inGuild = { org: 'guild' }
const inShed = { owner: 'ada', repo: 'shed' }

const idsOf = ({ body }: { body: { runners: { id: number }[] } }) => body.runners.map(({ id }) => id)

async function register(name: string, scope = scopes.site, labels = ['self-hosted']): Promise<number> {
  const { id } = await startRunner(app, { name, scope, labels })
  return id
}

const deeds = async (action: string) =>
  (
    await pool<
      { target_name: string }[]
    >`select target_name from forge.audit where action = ${action} order by id`
  ).map(({ target_name }) => target_name)

test(`${TOKEN} gives the same token each time, and it registers any number of runners`, async () => {
  const [one, two] = await Promise.all([call(TOKEN, { as: boss }), call(TOKEN, { as: boss })])
  assert.equal(one.status, 200)
  assert.match(one.body.token, /^[A-Za-z0-9]{40}$/)
  assert.deepEqual(two.body, one.body)
  assert.deepEqual(await deeds('registration_token.created'), [''])
  const client = runnerClient(url, 'protobuf')
  for (const name of ['first', 'second']) {
    const { runner } = await client.register({ name, token: one.body.token, labels: ['a'] })
    const { body } = await call(SHOW, { as: boss, params: { runner_id: Number(runner?.id) } })
    const labels = [{ id: 0, name: 'a', type: 'custom' }]
    const state = { status: 'offline', busy: false, disabled: false, ephemeral: false, labels }
    assert.deepEqual(body, { id: Number(runner?.id), name, ...state }, 'nobody has heard of it since')
    await call(DELETE, { as: boss, params: { runner_id: Number(runner?.id) } })
  }
})

for (const [token, old, params, as] of [
  [TOKEN_ORG, 'GET /api/v1/orgs/{org}/actions/runners/registration-token', inGuild, ada],
  [TOKEN_REPO, 'GET /api/v1/repos/{owner}/{repo}/actions/runners/registration-token', inShed, ada],
  [TOKEN_OWN, 'GET /api/v1/user/actions/runners/registration-token', {}, ada],
  [TOKEN, 'GET /api/v1/admin/actions/runners/registration-token', {}, boss],
  [TOKEN, 'GET /api/v1/admin/runners/registration-token', {}, boss],
] as const) {
  test(`${token} and ${old} give the token of their scope`, async () => {
    const { status, body } = await call(token, { as, params })
    assert.equal(status, 200)
    assert.deepEqual((await call(old, { as, params })).body, body)
    const { runner } = await runnerClient(url, 'protobuf').register({ name: 'r', token: body.token })
    assert.ok(runner)
    assert.equal((await call(DELETE, { as: boss, params: { runner_id: Number(runner.id) } })).status, 204)
    assert.deepEqual(await tablesHolding(pool, body.token), [])
    // What lets programs join is not for a token that may only read.
    const reader = bearer(
      await make.token(as, 'read:admin', 'read:organization', 'read:repository', 'read:user'),
    )
    assert.equal((await call(old, { as: reader, params })).status, 403)
    assert.equal((await call(token, { as: reader, params })).status, 403)
  })
}

test(`${TOKEN}: a token that no key opens is replaced`, async () => {
  const ask = async () => (await call(TOKEN, { as: boss })).body.token
  const lost = await ask()
  const stranger = createSecrets(['a key that nobody knows, but long enough'])
  await pool`
    update forge.action_runner_token
    set sealed = ${stranger.encrypt(lost, 'whatever')}
    where owner_id is null and repository_id is null and is_active`
  const fresh = await ask()
  assert.notEqual(fresh, lost)
  assert.equal(await ask(), fresh)
  const client = runnerClient(url, 'protobuf')
  await assert.rejects(client.register({ name: 'r', token: lost }), { code: Code.PermissionDenied })
})

test(`${LIST} shows runners of every scope, last seen first; the others show their own`, async () => {
  const site = await register('site')
  clock.tick(1000)
  const org = await register('org', scopes.org)
  clock.tick(1000)
  const user = await register('user', scopes.user)
  clock.tick(1000)
  const repo = await register('repo', scopes.repo)
  const all = await call(LIST, { as: boss })
  assert.deepEqual(idsOf(all), [repo, user, org, site])
  assert.equal(all.body.total_count, 4)
  assert.deepEqual([all.headers.get('link'), all.headers.get('x-total-count')], [null, '4'])
  assert.deepEqual(idsOf(await call(LIST_ORG, { as: ada, params: inGuild })), [org])
  assert.deepEqual(idsOf(await call(LIST_REPO, { as: ada, params: inShed })), [repo])
  assert.deepEqual(idsOf(await call(LIST_OWN, { as: ada })), [user])
  assert.deepEqual((await call(LIST_OWN, { as: eve })).body, { runners: [], total_count: 0 })
  const second = await call(LIST, { as: boss, query: { limit: 1, page: 2 } })
  assert.deepEqual([idsOf(second), second.body.total_count], [[user], 4])
  const beyond = await call(LIST, { as: boss, query: { limit: '0', page: 9 } })
  assert.deepEqual([idsOf(beyond), beyond.body.total_count], [[], 4])
  for (const id of [site, org, user, repo]) await call(DELETE, { as: boss, params: { runner_id: id } })
})

test(`${LIST} and ${LIST_ORG} filter by disabled, in every spelling of a boolean`, async () => {
  const [on, off] = [await register('on', scopes.org), await register('off', scopes.org)]
  assert.equal(
    (await call(EDIT, { as: boss, params: { runner_id: off }, body: { disabled: true } })).status,
    200,
  )
  const ids = async (disabled?: string) =>
    idsOf(
      await call(LIST_ORG, {
        as: ada,
        params: inGuild,
        ...(disabled !== undefined && { query: { disabled } }),
      }),
    )
  for (const word of ['1', 't', 'T', 'TRUE', 'true', 'True', 'on', 'ON'])
    assert.deepEqual(await ids(word), [off], word)
  for (const word of ['0', 'false', 'banana', 'tRUE']) assert.deepEqual(await ids(word), [on], word)
  assert.deepEqual((await ids('')).sort(), [on, off].sort())
  const { body } = await call(LIST, { as: boss, query: { disabled: 'true' } })
  assert.deepEqual([body.runners.map(({ id }: { id: number }) => id), body.total_count], [[off], 1])
  for (const id of [on, off]) await call(DELETE, { as: boss, params: { runner_id: id } })
})

test(`${SHOW} shows which runners are online, and which have a job`, async () => {
  const { client, id } = await startRunner(app, { name: 'r', scope: scopes.repo, labels: ['a', 'b'] })
  const shown = async () => {
    const { body } = await call(SHOW, { as: boss, params: { runner_id: id } })
    return [body.status, body.busy]
  }
  assert.deepEqual(await shown(), ['online', false])
  await putRun(pool, shed.id, ada.id, [{ runs_on: ['a'] }])
  const { task } = await client.fetchTask({})
  assert.ok(task)
  assert.deepEqual(await shown(), ['online', true], 'from the moment at which it has the job')
  clock.tick(60_001)
  assert.deepEqual(await shown(), ['offline', true])
  await client.updateTask({ state: { id: task.id, result: Result.success } })
  assert.deepEqual(await shown(), ['online', false])
  await call(DELETE, { as: boss, params: { runner_id: id } })
})

test(`${EDIT} disables and enables a runner, and requires the member disabled`, async () => {
  const { client, id } = await startRunner(app, { name: 'switched', scope: scopes.repo })
  const edit = (body: unknown, runner_id: number | string = id) =>
    call(EDIT, { as: boss, params: { runner_id }, body })
  assert.equal((await edit({ disabled: true, name: 'x' })).body.disabled, true)
  assert.equal((await edit({ disabled: true })).body.name, 'switched')
  await putRun(pool, shed.id, ada.id, [{}])
  const off = await client.fetchTask({})
  assert.equal(off.task, undefined)
  assert.equal((await edit({ disabled: false })).body.disabled, false)
  const on = await client.fetchTask({ tasksVersion: off.tasksVersion })
  assert.ok(on.task, 'an idle runner looks again')
  await client.updateTask({ state: { id: on.task.id, result: Result.success } })
  for (const body of [{}, { disabled: null }, '{"name":"x"}'])
    holdRefusal(await edit(body), 422, '[Disabled]: Required')
  for (const body of ['{"disabled":"yes"}', '{"disabled":1}', '{', '[]', ''])
    assert.equal((await edit(body)).status, 422, body)
  for (const nobody of [999_999, 'x', '0', '-1', '9'.repeat(30)]) {
    assert.equal((await edit({}, nobody)).status, 404)
    assert.equal((await edit('{', nobody)).status, 422)
  }
  assert.deepEqual(
    [await deeds('runner.disabled'), await deeds('runner.enabled')],
    [['off', 'switched'], ['switched']],
  )
  await call(DELETE, { as: boss, params: { runner_id: id } })
})

test(`${DELETE} deletes a runner at once and ends its job`, async () => {
  const { client, id } = await startRunner(app, { name: 'gone', scope: scopes.repo })
  const { run, jobs } = await putRun(pool, shed.id, ada.id, [{}])
  const { task } = await client.fetchTask({})
  assert.ok(task)
  assert.equal((await call(DELETE, { as: boss, params: { runner_id: id } })).status, 204)
  holdRefusal(
    await call(DELETE, { as: boss, params: { runner_id: id } }),
    404,
    `runner with id ${id}: resource does not exist`,
  )
  holdRefusal(
    await call(SHOW, { as: boss, params: { runner_id: id } }),
    404,
    `runner with id ${id}: resource does not exist`,
  )
  assert.deepEqual((await call(LIST, { as: boss })).body.runners, [])
  const [job] = await pool`select status from forge.action_job where id = ${jobs[0] ?? 0}`
  const [whole] = await pool`select status from forge.action_run where id = ${run}`
  assert.deepEqual([job?.status, whole?.status], ['failure', 'failure'])
  await assert.rejects(
    client.fetchTask({}),
    (error) => error instanceof ConnectError && error.code === Code.Unauthenticated,
  )
  assert.equal((await client.updateTask({ state: { id: task.id } })).state?.result, Result.cancelled)
  assert.deepEqual((await deeds('runner.deleted')).at(-1), 'gone')
})

test(`${DELETE} leaves no job to a runner that was asking for one at the same moment`, async () => {
  for (let late = 0; late < 40; late++) {
    const { client, id } = await startRunner(app, { name: `late ${late}`, scope: scopes.repo })
    const { jobs } = await putRun(pool, shed.id, ada.id, [{}])
    const asking = client.fetchTask({}).catch(() => undefined)
    await pause(late % 2 === 0 ? 15 + late / 2 : 24)
    assert.equal((await call(DELETE, { as: boss, params: { runner_id: id } })).status, 204)
    await asking
    const left =
      await pool`select id from forge.action_task where runner_id = ${id} and status = 'in_progress'`
    assert.deepEqual([...left], [], `asked ${late} before it was deleted`)
    await pool`update forge.action_job set status = 'cancelled' where id = any(${jobs}::bigint[])`
  }
})

for (const [literal, makeOwner, paramsOf] of [
  [
    'DELETE /api/v1/orgs/{org}',
    () => make.organization(ada, { name: 'leaving' }),
    ({ name }: { name: string }) => ({ org: name }),
  ],
  [
    'DELETE /api/v1/admin/users/{username}',
    () => make.person({ name: 'leaver' }),
    ({ name }: { name: string }) => ({ username: name }),
  ],
] as const) {
  test(`${literal} ends what runners of the account work on in a repository that has another owner by now`, async () => {
    const owner = await makeOwner()
    const code = await bareRepository(pool, owner, `moved-from-${owner.name}`)
    const { client } = await startRunner(app, { scope: { owner_id: owner.id, repository_id: null } })
    const { run, jobs } = await putRun(pool, code.id, ada.id, [{}, { needs: ['job1'], status: 'requested' }])
    assert.ok((await client.fetchTask({})).task)
    await pool`update forge.repository set owner_id = ${eve.id} where id = ${code.id}`
    assert.equal((await call(literal, { as: boss, params: paramsOf(owner) })).status, 204)
    const states = await pool<{ status: string }[]>`
      select status from forge.action_job where id = any(${jobs}::bigint[]) order by id`
    const [whole] = await pool`select status from forge.action_run where id = ${run}`
    assert.deepEqual(
      [...states.map(({ status }) => status), whole?.status],
      ['failure', 'skipped', 'failure'],
    )
    await assert.rejects(client.fetchTask({}), ConnectError)
  })
}

for (const [show, edit, remove, params, own] of [
  [SHOW_ORG, EDIT_ORG, DELETE_ORG, inGuild, scopes.org],
  [SHOW_REPO, EDIT_REPO, DELETE_REPO, inShed, scopes.repo],
  [SHOW_OWN, EDIT_OWN, DELETE_OWN, {}, scopes.user],
] as const) {
  test(`${show}, ${edit} and ${remove} reach runners of their own scope and no other`, async () => {
    const mine = await register('mine', own)
    const others = Object.values(scopes).filter((scope) => scope !== own)
    for (const scope of others) {
      const runner_id = await register('other', scope)
      const at = { as: ada, params: { ...params, runner_id } }
      holdRefusal(await call(show, at), 404, 'No permission to access this runner')
      holdRefusal(
        await call(edit, { ...at, body: { disabled: true } }),
        404,
        'No permission to access this runner',
      )
      holdRefusal(await call(remove, at), 404, 'No permission to access this runner')
      await call(DELETE, { as: boss, params: { runner_id } })
    }
    const at = { as: ada, params: { ...params, runner_id: mine } }
    assert.equal((await call(show, at)).body.name, 'mine')
    assert.equal((await call(edit, { ...at, body: { disabled: true } })).body.disabled, true)
    assert.equal((await call(edit, { ...at, body: {} })).status, 422)
    assert.equal((await call(remove, at)).status, 204)
  })
}

test(`${LIST}, ${TOKEN}, ${SHOW}, ${EDIT} and ${DELETE} are for site administrators`, async () => {
  const body = { disabled: true }
  for (const literal of [LIST, TOKEN, SHOW, EDIT, DELETE]) {
    const request = { params: { runner_id: 1 }, ...(literal === EDIT && { body }) }
    assert.equal((await call(literal, request)).status, 401)
    holdRefusal(await call(literal, { ...request, as: ada }), 403, 'user should be the site admin')
    const weak = bearer(await make.token(boss, 'write:organization', 'read:user'))
    assert.equal((await call(literal, { ...request, as: weak })).status, 403)
  }
})

test(`${LIST_ORG}, ${TOKEN_ORG}, ${SHOW_ORG}, ${EDIT_ORG} and ${DELETE_ORG} are for owners of the organization`, async () => {
  const body = { disabled: true }
  for (const literal of [LIST_ORG, TOKEN_ORG, SHOW_ORG, EDIT_ORG, DELETE_ORG]) {
    const request = { params: { ...inGuild, runner_id: 1 }, ...(literal === EDIT_ORG && { body }) }
    assert.equal((await call(literal, request)).status, 401)
    for (const as of [mia, eve])
      holdRefusal(await call(literal, { ...request, as }), 403, 'Must be an organization owner')
    assert.ok([200, 404].includes((await call(literal, { ...request, as: boss })).status))
    assert.equal(
      (await call(literal, { ...request, as: ada, params: { org: 'nobody', runner_id: 1 } })).status,
      404,
    )
  }
})

test(`${LIST_REPO}, ${TOKEN_REPO}, ${SHOW_REPO}, ${EDIT_REPO} and ${DELETE_REPO} are for the owner of the repository`, async () => {
  const body = { disabled: true }
  for (const literal of [LIST_REPO, TOKEN_REPO, SHOW_REPO, EDIT_REPO, DELETE_REPO]) {
    const request = { params: { ...inShed, runner_id: 1 }, ...(literal === EDIT_REPO && { body }) }
    for (const as of [undefined, eve]) {
      assert.ok([401, 404].includes((await call(literal, { ...request, ...(as && { as }) })).status))
    }
  }
})

test(`${LIST_OWN}, ${TOKEN_OWN}, ${SHOW_OWN}, ${EDIT_OWN} and ${DELETE_OWN} are for whoever is signed in`, async () => {
  for (const literal of [LIST_OWN, TOKEN_OWN, SHOW_OWN, EDIT_OWN, DELETE_OWN]) {
    const request = { params: { runner_id: 1 }, ...(literal === EDIT_OWN && { body: { disabled: true } }) }
    assert.equal((await call(literal, request)).status, 401)
    const limited = bearer(await make.token(ada, 'all', 'public-only'))
    assert.equal((await call(literal, { ...request, as: limited })).status, 403)
  }
})

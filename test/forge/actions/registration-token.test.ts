import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { startApp } from '../../support/app.ts'
import { bareRepository, runnerClient } from '../../support/forge/actions.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, url, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [ada, mia, eve] = await make.people('ada', 'mia', 'eve')
const guild = await make.organization(ada, { name: 'Guild' })
await make.team(guild, [mia], { permission: 'admin' })
await bareRepository(pool, ada, 'shed')

const path = 'actions/runners/registration-token'

/** Each scope: its path, who manages it, who does not, and how the audit trail names it. */
const scopes: readonly [prefix: string, params: Record<string, string>, manager: Somebody, target: string][] =
  [
    ['/api/v1/admin', {}, boss, 'site '],
    ['/api/v1/orgs/{org}', { org: 'guild' }, ada, 'organization Guild'],
    ['/api/v1/repos/{owner}/{repo}', { owner: 'ada', repo: 'shed' }, ada, 'repository ada/shed'],
    ['/api/v1/user', {}, ada, 'user ada'],
  ]

const register = (token: string) =>
  runnerClient(url, 'protobuf').register({ name: 'r', token, labels: ['a'] })

async function replacements(): Promise<string[]> {
  const entries = await pool<{ target: string }[]>`
    select target_kind || ' ' || target_name as target
    from forge.audit
    where action = 'registration_token.replaced'
    order by id`
  return entries.map(({ target }) => target)
}

for (const [prefix, params, as, target] of scopes) {
  const [remove, show] = [`DELETE ${prefix}/${path}`, `POST ${prefix}/${path}`]

  test(`${remove} replaces the token of this scope alone; runners that have registered stay`, async () => {
    const others = scopes.filter((scope) => scope[0] !== prefix)
    const tokens = () =>
      Promise.all(
        others.map(async ([at, params, who]) => (await call(`POST ${at}/${path}`, { as: who, params })).body),
      )
    const before = await tokens()
    const { token } = (await call(show, { as, params })).body
    const { runner } = await register(token)
    assert.equal((await call(remove, { as, params })).status, 204)
    await assert.rejects(register(token), { code: Code.PermissionDenied })
    const { body: fresh } = await call(show, { as, params })
    assert.match(fresh.token, /^[A-Za-z0-9]{40}$/)
    assert.notEqual(fresh.token, token)
    assert.ok((await register(fresh.token)).runner)
    assert.deepEqual(await tokens(), before)
    const runnerParams = { ...params, runner_id: Number(runner?.id) }
    const shown = await call(`GET ${prefix}/actions/runners/{runner_id}`, { as, params: runnerParams })
    assert.equal(shown.status, 200)
    assert.deepEqual((await replacements()).slice(-1), [target])
  })

  test(`${remove} of no token is as if there had been one, and no event`, async () => {
    await call(remove, { as, params })
    const before = await replacements()
    assert.equal((await call(remove, { as, params })).status, 204)
    assert.deepEqual(await replacements(), before)
  })

  test(`${remove} is for those who manage the runners, and for tokens that may write`, async () => {
    const { body } = await call(show, { as, params })
    const reader = bearer(
      await make.token(as, 'read:admin', 'read:organization', 'read:repository', 'read:user'),
    )
    assert.equal((await call(remove, { as: reader, params })).status, 403)
    assert.equal((await call(remove, { params })).status, prefix.startsWith('/api/v1/repos') ? 404 : 401)
    if (!prefix.endsWith('/user'))
      for (const other of [mia, eve]) {
        const { status } = await call(remove, { as: other, params })
        assert.ok(status === 403 || status === 404, `${other.name}: ${status}`)
      }
    assert.deepEqual((await call(show, { as, params })).body, body)
  })
}

test(`DELETE /api/v1/orgs/{org}/${path} of an unknown organization is 404`, async () => {
  holdRefusal(
    await call(`DELETE /api/v1/orgs/{org}/${path}`, { as: ada, params: { org: 'nobody' } }),
    404,
    'not found',
  )
})

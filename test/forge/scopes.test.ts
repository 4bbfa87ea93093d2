import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { startBackground } from '../support/background.ts'
import { until } from '../support/wait.ts'

const app = await startApp()
const { call, pool, make } = app
const boss = await make.admin({ name: 'boss' })
await make.organization(boss, { name: 'guild' })
await call('POST /api/v1/user/repos', { as: boss, body: { name: 'tool' } })

/** Where resources of these kinds exist; operations of one kind share their handlers, and each path is declared. */
const scopes = ['/user', '/admin', '/orgs/{org}', '/repos/{owner}/{repo}']
const names = { org: 'guild', owner: 'boss', repo: 'tool' }

interface Asked {
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: unknown
}

/** The answer to an operation of a scope. */
const ask = async (method: string, path: string, { params, ...request }: Asked = {}) =>
  call(`${method} /api/v1${path}`, { as: boss, params: { ...names, ...params }, ...request })
const statusOf = async (...args: Parameters<typeof ask>) => (await ask(...args)).status

for (const scope of scopes) {
  suite(`below ${scope}`, () => {
    const variable = `${scope}/actions/variables/{variablename}`
    const at = (variablename: string, body?: unknown) => ({ params: { variablename }, body })

    test(`GET, POST, PUT and DELETE ${variable} answer alike at every scope`, async () => {
      for (const name of ['ONE', 'TWO'])
        assert.equal(await statusOf('POST', variable, at(name, { value: 'x' })), 201)
      assert.equal(await statusOf('POST', variable, at('ONE', { value: 'x' })), 409)
      assert.equal(await statusOf('POST', variable, at('CI', { value: 'x' })), 400)
      assert.equal(await statusOf('POST', variable, at('NEW', {})), 422)
      assert.equal((await ask('GET', variable, at('ONE'))).body.data, 'x')
      assert.equal(await statusOf('PUT', variable, at('ONE', { name: 'TWO', value: 'x' })), 409)
      assert.equal(await statusOf('PUT', variable, at('ONE', { name: 'CI', value: 'x' })), 400)
      assert.equal(await statusOf('PUT', variable, at('ONE', {})), 422)
      assert.equal(await statusOf('PUT', variable, at('NONE', { value: 'x' })), 404)
      assert.equal(await statusOf('PUT', variable, at('ONE', { name: 'THREE', value: 'y' })), 204)
      assert.equal(await statusOf('GET', variable, at('ONE')), 404)
      for (const name of ['TWO', 'THREE']) assert.equal(await statusOf('DELETE', variable, at(name)), 204)
      assert.equal(await statusOf('DELETE', variable, at('TWO')), 404)
    })
  })
}

const withoutSite = scopes.filter((scope) => scope !== '/admin')

for (const scope of withoutSite) {
  const secret = `${scope}/actions/secrets/{secretname}`
  test(`PUT ${secret} refuses names and bodies that cannot be`, async () => {
    const put = (secretname: string, body: unknown) =>
      statusOf('PUT', secret, { params: { secretname }, body })
    assert.equal(await put('CI', { data: 'x' }), 400)
    assert.equal(await put('ONE', {}), 422)
    assert.deepEqual((await ask('GET', `${scope}/actions/secrets`)).body, [])
  })
}

const jobLists = [
  ...scopes.map((scope) => `${scope}/actions/jobs`),
  '/repos/{owner}/{repo}/actions/runs/{run}/jobs',
  '/repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs',
]
const runLists = scopes.map((scope) => `${scope}/actions/runs`)

test('GET of jobs and runs refuses a status that there is not, and of jobs an order, at every scope', async () => {
  const params = { run: 1, attempt: 1 }
  await pool`
    insert into forge.action_run
      (id, repository_id, number, workflow_file, title, event, payload, ref, commit_sha, status, created_at, updated_at)
    overriding system value
    select 1, id, 1, 'ci.yml', 'x', 'push', '{}', 'refs/heads/main', 'c', 'success', now(), now()
    from forge.repository`
  for (const list of [...jobLists, ...runLists])
    assert.equal(await statusOf('GET', list, { params, query: { status: 'nonsense' } }), 400, list)
  for (const list of jobLists) {
    assert.equal(await statusOf('GET', list, { params, query: { sort: 'name' } }), 422, list)
    assert.equal(await statusOf('GET', list, { params, query: { sort: 'id', order: 'up' } }), 422, list)
  }
})

for (const scope of withoutSite) {
  test(`PATCH ${scope}/hooks/{id} refuses a channel that cannot be, and an inactive webhook sends nothing again`, async () => {
    const background = startBackground({ pool, clock: app.clock })
    const config = { url: 'https://127.0.0.1:1/', content_type: 'json', channel: '#here' }
    const hook = { type: 'slack', active: true, events: ['repository', 'issues'], config }
    const { id } = (await ask('POST', `${scope}/hooks`, { body: hook })).body
    const one = { params: { id } }
    const edit = (body: unknown) => statusOf('PATCH', `${scope}/hooks/{id}`, { ...one, body })
    assert.equal(await edit({ config: { channel: '#a b' } }), 400)
    assert.equal(await statusOf('POST', '/orgs/{org}/repos', { body: { name: `made${id}` } }), 201)
    assert.equal(await statusOf('POST', '/user/repos', { body: { name: `made${id}` } }), 201)
    assert.equal(await statusOf('POST', '/repos/{owner}/{repo}/issues', { body: { title: 'x' } }), 201)
    const [delivery] = await until('there is a delivery', async () => {
      const { body } = await ask('GET', `${scope}/hooks/{id}/deliveries`, one)
      return body.length > 0 && body
    })
    await background.stop()
    assert.equal(await edit({ active: false }), 200)
    const again = `${scope}/hooks/{id}/deliveries/{delivery}/redeliver`
    assert.equal(await statusOf('POST', again, { params: { id, delivery: delivery.id } }), 422)
  })
}

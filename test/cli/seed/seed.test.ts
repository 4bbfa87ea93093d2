import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openHome, runBinary, type Serving, serveBinary, stopBinary } from '../../support/binary.ts'
import { basic } from '../../support/forge/make.ts'
import { until } from '../../support/wait.ts'

const administrator = basic('administrator', 'a password for tests')

/** Starts a server that ends after the tests. */
async function serve(environment: Readonly<Record<string, string>>): Promise<Serving> {
  const server = await serveBinary(environment)
  after(() => stopBinary(server))
  return server
}

/** The answer of a server to its administrator, or to whom they stand in for. */
async function get(server: Serving, path: string, sudo?: string) {
  const headers = { ...administrator, ...(sudo !== undefined && { sudo }) }
  const response = await fetch(`${server.url}${path}`, { headers })
  return { status: response.status, body: await response.json() }
}

const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort()

test('seed without a server fills site and forge; a second one says so and changes nothing', async () => {
  const { environment: where } = await openHome()
  const first = await runBinary(['seed'], where)
  assert.deepEqual([first.code, first.err], [0, ''])
  assert.match(
    first.out,
    /^added 3 news posts[^\n]*\nadded the organization lighthouse with 3 users[^\n]*\n$/,
  )
  const server = await serve(where)
  const api = '/api/v1/repos/lighthouse/beacon'
  assert.deepEqual(names((await get(server, '/api/v1/orgs/lighthouse/repos')).body), ['beacon', 'handbook'])
  assert.deepEqual(names((await get(server, '/api/v1/orgs/lighthouse/teams')).body), ['Owners', 'keepers'])

  const issues = (await get(server, `${api}/issues?state=all`)).body
  assert.deepEqual(
    issues.map(({ state, comments }: { state: string; comments: number }) => `${state} ${comments}`),
    ['closed 1', 'open 1', 'open 2'],
  )
  const { body: runs } = await get(server, `${api}/actions/runs`)
  assert.deepEqual(
    runs.workflow_runs.map(({ status, conclusion }: Record<string, string>) => conclusion ?? status),
    ['queued', 'cancelled', 'failure', 'success'],
  )
  const log = await fetch(`${server.url}/lighthouse/beacon/actions/runs/${runs.workflow_runs[2].id}`)
  assert.equal(log.status, 200)
  for (const page of [
    'lighthouse',
    'lighthouse/beacon',
    'lighthouse/beacon/src/branch/occulting/src/character.js',
  ])
    assert.equal((await fetch(`${server.url}/${page}`)).status, 200, page)
  const table = await fetch(`${server.url}/api/packages/lighthouse/generic/lights/1.0.0/lights.csv`)
  assert.match(await table.text(), /^name,character\n/)

  const second = await runBinary(['seed'], where)
  assert.deepEqual([second.code, second.out], [2, ''])
  assert.match(second.err, /^forgehall: the demonstration data set is there already; nothing was added\n$/)
  assert.equal((await get(server, '/api/news')).body.length, 3)
  assert.equal((await get(server, `${api}/actions/runs`)).body.total_count, 4)
})

test('of two seeds beside a server one fills the forge; its users keep no token, and the server goes on from its events', async () => {
  const { environment: where } = await openHome()
  const server = await serve(where)
  const both = await Promise.all([runBinary(['seed'], where), runBinary(['seed'], where)])
  assert.deepEqual(both.map(({ code }) => code).sort(), [0, 2], JSON.stringify(both))
  const said = JSON.stringify([both, server.lines()])
  assert.doesNotMatch(said, /\b[0-9a-f]{40}\b/, 'no token is printed')
  for (const name of ['nora', 'emil', 'tove']) {
    assert.deepEqual((await get(server, `/api/v1/users/${name}/tokens`)).body, [])
    assert.equal((await get(server, `/api/v1/users/${name}`)).body.is_admin, false)
  }
  assert.deepEqual((await get(server, '/api/v1/repos/lighthouse/beacon/actions/runners')).body.runners, [])
  await until('tove hears that she was mentioned', async () => {
    return (await get(server, '/api/v1/notifications/new', 'tove')).body.new > 0
  })
})

test('seed adds nothing when an account has one of its names', async () => {
  const { environment: where } = await openHome()
  const server = await serve(where)
  const body = JSON.stringify({ username: 'Emil', email: 'emil@example.org', password: 'a long password' })
  const headers = { ...administrator, 'content-type': 'application/json' }
  assert.equal(
    (await fetch(`${server.url}/api/v1/admin/users`, { method: 'POST', headers, body })).status,
    201,
  )
  const { code, out, err } = await runBinary(['seed'], where)
  assert.deepEqual([code, out], [2, ''])
  assert.equal(err, 'forgehall: there is an account named "emil" already; nothing was added\n')
  assert.deepEqual((await get(server, '/api/news')).body, [])
  assert.equal((await get(server, '/api/v1/users/nora')).status, 404)
})

test('seed adds nothing without git', async () => {
  const { environment: where } = await openHome()
  const { code, out, err } = await runBinary(['seed'], { ...where, PATH: '/nowhere' })
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^forgehall: [^\n]*git[^\n]*; nothing was added\n$/)
  assert.equal((await runBinary(['activity', 'list'], where)).out, '')
  assert.equal((await runBinary(['seed'], where)).code, 0)
})

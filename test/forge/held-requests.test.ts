import assert from 'node:assert/strict'
import { test } from 'node:test'
import { updateAccount } from '../../src/forge/accounts/account-store.ts'
import { lockRepository, updateOwner, updateRepository } from '../../src/forge/repos/repo-store.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import { startApp } from '../support/app.ts'
import { startRunner } from '../support/forge/actions.ts'
import type { Somebody } from '../support/forge/make.ts'
import { hold } from '../support/raw.ts'

/**
 * A client sends the head of each request that has a body, and holds back the body while its rights are withdrawn. The
 * answer must be that of a request that is sent afterwards.
 */

const app = await startApp()
const { make, url, pool } = app

/** The operations of the forge that change something by a body. */
const routes = app.app.routes.filter(
  ({ route, path }) => route.body && route.method !== 'GET' && path.startsWith('/api/v1'),
)

/** The caller, and what it owns or may manage. */
async function scene() {
  const eve = await make.admin()
  const guild = await make.organization(eve)
  const team = await make.team(guild, [eve])
  const repository = await make.repository(eve)
  return { eve, guild, team, repository }
}

type Scene = Awaited<ReturnType<typeof scene>>

/** The path of a route, about what the scene has. */
function pathFor({ path }: Mounted, { eve, guild, team, repository }: Scene): string {
  const values: Record<string, string> = {
    org: guild.name,
    owner: eve.name,
    username: eve.name,
    repo: repository.name,
    id: path.includes('/teams/') ? String(team.id) : '1',
  }
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '1')
}

const request = (mounted: Mounted, fixture: Scene, { authorization }: Pick<Somebody, 'authorization'>) => ({
  method: mounted.method,
  path: pathFor(mounted, fixture),
  headers: { Authorization: authorization },
  body: '{}',
})

/** Holds one request for each route, withdraws rights, and returns how the answers differ from those of later requests. */
async function differences(fixture: Scene, withdraw: () => Promise<unknown>, among = routes) {
  const held = await Promise.all(among.map((mounted) => hold(url, request(mounted, fixture, fixture.eve))))
  await withdraw()
  const different: string[] = []
  let refused = 0
  for (const [at, mounted] of among.entries()) {
    const answer = await held[at]?.release()
    const later = await (await hold(url, request(mounted, fixture, fixture.eve))).release()
    const isRefused =
      later.status === 401 || later.status === 403 || later.status === 404 || later.status === 307
    if (isRefused) refused++
    if (answer?.status !== later.status || answer.body !== later.body)
      different.push(`${mounted.method} ${mounted.path}: ${answer?.status}, later ${later.status}`)
  }
  return { different, refused }
}

test('a token that is deleted while the body is held back gives no rights', async () => {
  const fixture = await scene()
  const { different, refused } = await differences(
    fixture,
    () => pool`delete from forge.access_token where account_id = ${fixture.eve.id}`,
  )
  assert.deepEqual([different, refused], [[], routes.length])
})

test('an account that is prohibited to sign in while the body is held back has no rights', async () => {
  const fixture = await scene()
  const { different, refused } = await differences(fixture, () =>
    make.begin((tx) => updateAccount(tx, fixture.eve.id, { prohibit_login: true })),
  )
  assert.deepEqual([different, refused], [[], routes.length])
})

test('an administrator who is demoted while the body is held back is none', async () => {
  const fixture = await scene()
  const others = await scene()
  const { different, refused } = await differences({ ...others, eve: fixture.eve }, () =>
    make.begin((tx) => updateAccount(tx, fixture.eve.id, { is_admin: false })),
  )
  assert.deepEqual(different, [])
  assert.ok(refused > 30, `${refused} routes refuse`)
})

test('an owner who leaves the organization while the body is held back is none', async () => {
  const fixture = await scene()
  await make.begin((tx) => updateAccount(tx, fixture.eve.id, { is_admin: false }))
  const { different, refused } = await differences(
    fixture,
    async () => {
      await pool`delete from forge.team_member where account_id = ${fixture.eve.id}`
      await pool`delete from forge.membership where account_id = ${fixture.eve.id}`
    },
    routes.filter(({ path }) => /\{org\}|\/teams\//.test(path)),
  )
  assert.deepEqual(different, [])
  assert.ok(refused > 10, `${refused} routes refuse`)
})

test('an owner whose repository is transferred while the body is held back has lost it', async () => {
  const fixture = await scene()
  const vic = await make.person()
  await make.begin((tx) => updateAccount(tx, fixture.eve.id, { is_admin: false }))
  const ofRepository = routes.filter(({ path }) => path.includes('{repo}') && !path.includes('/teams/'))
  const { different, refused } = await differences(
    fixture,
    () =>
      make.begin(async (tx) => {
        const row = await lockRepository(tx, fixture.repository.id)
        assert.ok(row)
        await updateOwner(tx, await updateRepository(tx, row, { is_private: true }), vic.id)
      }),
    ofRepository,
  )
  assert.deepEqual([different, refused], [[], ofRepository.length])
})

for (const unit of ['has_issues', 'has_actions', 'has_code'] as const) {
  test(`a unit that is switched off while the body is held back is off: ${unit}`, async () => {
    const fixture = await scene()
    const { different } = await differences(
      fixture,
      () =>
        make.begin(async (tx) => {
          const row = await lockRepository(tx, fixture.repository.id)
          assert.ok(row)
          await updateRepository(tx, row, { settings: { ...row.settings, [unit]: false } })
        }),
      routes.filter(({ path }) => path.includes('{repo}') && !path.includes('/teams/')),
    )
    assert.deepEqual(different, [])
  })
}

test('PUT /api/packages/{owner}/generic/{package}/{version}/{file} publishes nothing for a token that ends meanwhile', async () => {
  for (const [end, status] of [
    [(id: number) => pool`delete from forge.access_token where account_id = ${id}`, 401],
    [(id: number) => make.begin((tx) => updateAccount(tx, id, { prohibit_login: true })), 403],
  ] as const) {
    const eve = await make.person()
    const held = await hold(url, {
      method: 'PUT',
      path: `/api/packages/${eve.name}/generic/tool/1.0/tool.bin`,
      headers: { Authorization: eve.authorization },
      body: 'bytes',
    })
    await end(eve.id)
    assert.equal((await held.release()).status, status)
    assert.deepEqual([...(await pool`select id from forge.package where owner_id = ${eve.id}`)], [])
  }
})

/** A version of an npm package, as `npm publish` sends it. */
const version = {
  name: 'plain',
  'dist-tags': { latest: '1.0.0' },
  versions: { '1.0.0': { name: 'plain', version: '1.0.0' } },
  _attachments: { 'plain-1.0.0.tgz': { data: Buffer.from('plain').toString('base64') } },
}

test('PUT /api/packages/{owner}/npm/{name} publishes nothing for a token that ends meanwhile', async () => {
  const eve = await make.person()
  const held = await hold(url, {
    method: 'PUT',
    path: `/api/packages/${eve.name}/npm/plain`,
    headers: { Authorization: eve.authorization },
    body: JSON.stringify(version),
  })
  await pool`delete from forge.access_token where account_id = ${eve.id}`
  assert.equal((await held.release()).status, 401)
  assert.deepEqual([...(await pool`select id from forge.package where owner_id = ${eve.id}`)], [])
})

/** What operations receive and cannot receive again, by their literals, in an order in which each can do its work. */
const received: Readonly<Record<string, string>> = {
  'POST /api/v1/repos/{owner}/{repo}/issues/{index}/assets': 'text',
  'POST /api/v1/repos/{owner}/{repo}/issues/comments/{id}/assets': 'text',
  'POST /api/v1/repos/{owner}/{repo}/releases/{id}/assets': 'text',
  'PUT /api/packages/{owner}/generic/{package}/{version}/{file}': 'bytes',
  'PUT /api/packages/{owner}/npm/{name}': JSON.stringify(version),
  'PUT /api/packages/{owner}/npm/{name}/-rev/{rev}': JSON.stringify({ versions: version.versions }),
}

test('what is received is stored if the rights of its sender change meanwhile and suffice', async () => {
  const { eve, repository } = await scene()
  const on = { owner: eve.name, repo: repository.name }
  const { call } = app
  await call('POST /api/v1/repos/{owner}/{repo}/issues', { as: eve, params: on, body: { title: 'One' } })
  const about = { ...on, index: 1 }
  const comment = await call('POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments', {
    ...{ as: eve, params: about, body: { body: 'So' } },
  })
  const [release] = await pool<[{ id: number }]>`
    insert into forge.release (repository_id, tag_name, target, name, body, is_draft, is_prerelease, created_at)
    values (${repository.id}, 'v1', 'main', 'One', '', false, false, '2026-01-31')
    returning id`
  const unscoped = app.app.routes.filter(
    ({ method, path, route }) =>
      method !== 'GET' &&
      route.returns.kind === 'stream' &&
      /^\/api\/(?:v1|packages)\/(?!.*\{scope\})/.test(path),
  )
  assert.deepEqual(
    unscoped.map(({ method, path }) => `${method} ${path}`).toSorted(),
    Object.keys(received).toSorted(),
  )
  for (const [literal, body] of Object.entries(received)) {
    const [method = '', path = ''] = literal.split(' ')
    const revision = await call('GET /api/packages/{owner}/npm/{name}', {
      ...{ as: eve, params: { owner: eve.name, name: 'plain' } },
    })
    const values: Readonly<Record<string, string | number>> = {
      ...{ ...about, id: path.includes('releases') ? release.id : comment.body.id },
      ...{ package: 'tool', version: '1.0', file: 'tool.bin', name: 'plain', rev: revision.body._rev },
    }
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(values[name]))
    const sent = {
      method,
      path: `${filled}?name=more.txt`,
      headers: { Authorization: eve.authorization },
      body,
    }
    await make.begin((tx) => updateAccount(tx, eve.id, { is_admin: true }))
    const held = await hold(url, sent)
    await make.begin((tx) => updateAccount(tx, eve.id, { is_admin: false }))
    const { status, body: answer } = await held.release()
    assert.ok(status < 300, `${literal} ${status} ${answer}`)
  }
})

test('a runner that is deleted while the body of its poll is held back gets no job', async () => {
  const { id, uuid, token } = await startRunner(app)
  const poll = () =>
    hold(url, {
      method: 'POST',
      path: '/api/actions/runner.v1.RunnerService/FetchTask',
      headers: { 'x-runner-uuid': uuid, 'x-runner-token': token },
      body: '{}',
    })
  assert.equal((await (await poll()).release()).status, 200)
  const held = await poll()
  await pool`update forge.action_runner set deleted_at = '2026-01-31T07:00:00Z' where id = ${id}`
  assert.equal((await held.release()).status, 401)
})

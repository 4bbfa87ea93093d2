import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { client } from '../../support/git.ts'

/** Members of a team with one unit of a private repository see the repository, and nothing else of it. */

const folder = await temporaryFolder()
const { call, make, url } = await startApp({ DATA_DIR: join(folder, 'data') })
const owner = await make.person({ name: 'owner' })
await make.organization(owner, { name: 'club' })
const params = { owner: 'club', repo: 'secret' }
const body = { name: 'secret', private: true, auto_init: true }
assert.equal(
  (await call('POST /api/v1/orgs/{org}/repos', { as: owner, params: { org: 'club' }, body })).status,
  201,
)
const REPO = '/api/v1/repos/{owner}/{repo}'
const { body: shown } = await call(`GET ${REPO}`, { as: owner, params })
await call('POST /api/v1/orgs/{org}/repos', {
  as: owner,
  params: { org: 'club' },
  body: { name: 'other', private: true },
})

/** Somebody in a team that has the repository with these units. */
async function memberWith(name: string, units_map: Record<string, string>) {
  const who = await make.person({ name })
  const team = await call('POST /api/v1/orgs/{org}/teams', {
    as: owner,
    params: { org: 'club' },
    body: { name: `team-${name}`, permission: 'read', units_map },
  })
  assert.equal(team.status, 201, JSON.stringify(team.body))
  const id = team.body.id
  const put = async (literal: string, more: object) =>
    assert.equal((await call(literal, { as: owner, params: { id, ...more } })).status, 204)
  await put('PUT /api/v1/teams/{id}/members/{username}', { username: name })
  await put('PUT /api/v1/teams/{id}/repos/{org}/{repo}', { org: 'club', repo: 'secret' })
  return { ...who, team: id as number }
}

/** What is of the repository as a whole. */
const ofWhole = [
  `GET ${REPO}`,
  `GET ${REPO}/topics`,
  `GET ${REPO}/forks`,
  `GET ${REPO}/stargazers`,
  `GET ${REPO}/subscribers`,
  'GET /api/v1/repositories/{id}',
  'GET /{owner}/{repo}',
]
/** What is of one unit. */
const ofUnits: Readonly<Record<string, readonly string[]>> = {
  'repo.code': [
    `GET ${REPO}/contents`,
    `GET ${REPO}/branches`,
    `GET ${REPO}/commits`,
    `GET ${REPO}/tags`,
    `GET ${REPO}/languages`,
    'GET /{owner}/{repo}/branches',
    `GET ${REPO}/raw/{filepath...}`,
    `POST ${REPO}/forks`,
  ],
  'repo.issues': ['GET /{owner}/{repo}/issues', `GET ${REPO}/issues/pinned`],
  'repo.releases': [`GET ${REPO}/releases`],
  'repo.actions': [`GET ${REPO}/actions/runs`, 'GET /{owner}/{repo}/actions'],
}
const units = ['repo.code', 'repo.issues', 'repo.pulls', 'repo.releases', 'repo.actions', 'repo.packages']

/** Names of the repositories in each list that somebody gets of them. */
async function listed(
  as: { authorization: string; name: string },
  team: number,
): Promise<Record<string, boolean>> {
  const lists: readonly (readonly [string, Record<string, string | number>, Record<string, string>?])[] = [
    ['GET /api/v1/repos/search', {}],
    ['GET /api/v1/repos/search', {}, { q: 'secr' }],
    ['GET /api/v1/user/repos', {}],
    ['GET /api/v1/orgs/{org}/repos', { org: 'club' }],
    ['GET /api/v1/users/{username}/repos', { username: 'club' }],
    ['GET /api/v1/teams/{id}/repos', { id: team }],
    ['GET /api/v1/user/subscriptions', {}],
    ['GET /api/v1/user/starred', {}],
    ['GET /explore/repos', {}],
    ['GET /{username}', { username: 'club' }],
  ]
  const found: Record<string, boolean> = {}
  for (const [literal, more, query] of lists) {
    const answer = await call(literal, { as, params: more, ...(query && { query }) })
    assert.equal(answer.status, 200, literal)
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
    assert.ok(!text.includes('club/other'), `${literal} has what the team has not`)
    found[`${literal}${query ? ' with a word' : ''}`] = text.includes('club/secret')
  }
  return found
}

for (const unit of units) {
  test(`GET ${REPO} and all lists show a repository to whom a team gives ${unit} of it, and nothing but that`, async () => {
    const name = unit.replace('repo.', '')
    const member = await memberWith(name, { [unit]: 'read' })
    for (const [literal, wanted] of [
      [`PUT ${REPO}/subscription`, 200],
      ['PUT /api/v1/user/starred/{owner}/{repo}', 204],
    ] as const)
      assert.equal((await call(literal, { as: member, params })).status, wanted, literal)
    for (const literal of ofWhole) {
      const id = { ...params, id: shown.id }
      assert.equal((await call(literal, { as: member, params: id })).status, 200, literal)
    }
    const found = await listed(member, member.team)
    assert.deepEqual(
      Object.entries(found).filter(([, isThere]) => !isThere),
      [],
    )
    const more = { filepath: 'README.md' }
    for (const [of, literals] of Object.entries(ofUnits))
      for (const literal of literals) {
        const { status } = await call(literal, {
          as: member,
          params: { ...params, ...more },
          ...(literal.startsWith('POST') && { body: {} }),
        })
        if (of === unit) assert.ok(status < 300, `${literal}: ${status}`)
        else assert.equal(status, 404, literal)
      }
    const { body: home } = await call('GET /{owner}/{repo}', { as: member, params })
    assert.equal(/README|Clone|Fork this|\/commits\//.test(home), unit === 'repo.code')
    const address = new URL('club/secret.git', url)
    address.username = member.name
    address.password = member.token
    const cloned = await client(folder, 'clone', '-q', address.href, join(folder, name))
    assert.equal(cloned.code === 0, unit === 'repo.code')
    const write = { as: member, params, body: { description: 'mine' } }
    assert.equal((await call(`PATCH ${REPO}`, write)).status, 403)
  })
}

test(`GET ${REPO} is hidden from whom a team gives nothing of it`, async () => {
  const member = await memberWith('nobody', Object.fromEntries(units.map((unit) => [unit, 'none'])))
  for (const literal of ofWhole)
    assert.equal(
      (await call(literal, { as: member, params: { ...params, id: shown.id } })).status,
      404,
      literal,
    )
})

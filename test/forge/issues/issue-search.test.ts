import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, clock, pool, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')
const narrow = await make.person({ name: 'narrow', is_restricted: true })
const shy = await make.person({ name: 'shy', visibility: 'private' })
const guild = await make.organization(owner, { name: 'guild' })
const lodge = await make.organization(owner, { name: 'lodge', visibility: 'private' })
const club = await make.organization(owner, { name: 'club', visibility: 'limited' })

const SEARCH = 'GET /api/v1/repos/issues/search'
const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}'

const open_ = await make.repository(owner, { name: 'open' })
const secret = await make.repository(owner, { name: 'secret', is_private: true })
const inGuild = await make.repository(guild, { name: 'tools', is_private: true })
const inLodge = await make.repository(lodge, { name: 'hidden' })
const inClub = await make.repository(club, { name: 'bar' })
const ofShy = await make.repository(shy, { name: 'diary' })
const off = await make.repository(owner, { name: 'off' })
const triage = await make.team(guild, [ada], {
  name: 'Triage',
  visibility: 'limited',
  units: { 'repo.issues': 'read' },
  includes_all_repositories: true,
})
await make.team(guild, [eve], {
  name: 'Coders',
  units: { 'repo.code': 'write' },
  includes_all_repositories: true,
})

type Repo = { name: string }
async function issue(home: { name: string }, repo: Repo, body: object, as: Somebody = owner): Promise<void> {
  const params = { owner: home.name, repo: repo.name }
  assert.equal((await call(OPEN, { as, params, body })).status, 201, `${home.name}/${repo.name}`)
  clock.tick(60_000)
}
await issue(owner, open_, { title: 'A leak', body: 'of oil' }, ada)
await issue(owner, open_, { title: 'Done', closed: true })
await issue(owner, secret, { title: 'A secret leak, @ada' })
await issue(guild, inGuild, { title: 'A guild leak, @ada' })
await issue(lodge, inLodge, { title: 'A lodge leak' })
await issue(club, inClub, { title: 'A club leak' })
await issue(shy, ofShy, { title: 'A shy leak' }, shy)
await issue(owner, off, { title: 'A leak where issues are off' })
await pool`update forge.repository set settings = '{"has_issues":false}' where id = ${off.id}`

type Query = Record<string, string | number>
const ask = (query: Query = {}, as?: { authorization: string }) => call(SEARCH, { query, ...(as && { as }) })
async function titles(query: Query, as?: { authorization: string }): Promise<string[]> {
  const { status, body, headers } = await ask(query, as)
  assert.equal(status, 200, JSON.stringify(query))
  if (query.limit === undefined) assert.equal(headers.get('x-total-count'), String(body.length))
  return body.map(({ title }: { title: string }) => title)
}
const [leak, done, ofSecret, ofGuild, ofLodge, ofClub, ofDiary] = [
  'A leak',
  'Done',
  'A secret leak, @ada',
  'A guild leak, @ada',
  'A lodge leak',
  'A club leak',
  'A shy leak',
]

test(`${SEARCH} shows everybody the issues that they may read, newest first, as they are shown elsewhere`, async () => {
  const publicOnly = bearer(await make.token(owner, 'public-only', 'read:issue'))
  const bossPublicOnly = bearer(await make.token(boss, 'public-only', 'read:issue'))
  for (const [name, as, found] of [
    ['nobody', undefined, [leak]],
    ['restricted', narrow, [leak]],
    ['public-only', publicOnly, [leak]],
    ['public-only of an administrator', bossPublicOnly, [leak]],
    // Ada's team has the issues of the guild's repositories, Eve's the code alone.
    ['ada', ada, [ofClub, ofGuild, leak]],
    ['eve', eve, [ofClub, leak]],
    ['shy', shy, [ofDiary, ofClub, leak]],
    ['owner', owner, [ofClub, ofLodge, ofGuild, ofSecret, leak]],
    ['boss', boss, [ofDiary, ofClub, ofLodge, ofGuild, ofSecret, leak]],
  ] as const)
    assert.deepEqual(await titles({}, as), found, name)
  const { body } = await ask({}, ada)
  const params = { owner: 'guild', repo: 'tools', index: 1 }
  assert.deepEqual(body[1], (await call(SHOW, { as: ada, params })).body)
  assert.equal(body[1].repository.full_name, 'guild/tools')
  await pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    values (${secret.id}, ${narrow.id}, 'read')`
  assert.deepEqual(await titles({}, narrow), [ofSecret, leak])
  await pool`delete from forge.repository_collaborator where account_id = ${narrow.id}`
})

test(`${SEARCH} is narrowed by state, text, labels, times and what the caller has to do with it`, async () => {
  const label = async (repo: string, name: string) =>
    call('POST /api/v1/repos/{owner}/{repo}/labels', {
      as: owner,
      params: { owner: 'owner', repo },
      body: { name, color: 'fff' },
    })
  await label('open', 'bug')
  await label('secret', 'bug')
  await label('secret', 'big')
  const put = 'PUT /api/v1/repos/{owner}/{repo}/issues/{index}/labels'
  const on = (repo: string, labels: string[]) =>
    call(put, { as: owner, params: { owner: 'owner', repo, index: 1 }, body: { labels } })
  await on('open', ['bug'])
  await on('secret', ['bug', 'big'])
  await call('PATCH /api/v1/repos/{owner}/{repo}/issues/{index}', {
    as: owner,
    params: { owner: 'owner', repo: 'secret', index: 1 },
    body: { assignee: 'owner' },
  })
  const { body } = await ask({ state: 'all', q: 'guild' }, owner)
  const moment = body[0].updated_at
  const cases: [Query, string[], Somebody?][] = [
    [{ state: 'closed' }, [done]],
    [{ state: 'all', owner: 'owner' }, [ofSecret, done, leak]],
    [{ q: 'OIL' }, [leak]],
    [{ q: 'secret' }, [], eve],
    [{ q: "' or true --" }, []],
    [{ labels: 'bug' }, [ofSecret, leak]],
    [{ labels: 'bug,none' }, [ofSecret, leak]],
    [{ labels: 'big' }, [ofSecret]],
    [{ labels: 'none' }, []],
    [{ labels: ',', owner: 'guild' }, [ofGuild]],
    [{ labels: 'bug' }, [leak], eve],
    [{ type: 'issues', owner: 'club' }, [ofClub]],
    [{ type: 'pulls' }, []],
    [{ review_requested: 'true' }, []],
    [{ reviewed: '1' }, []],
    [{ created: 'true' }, [leak], ada],
    [{ created: 'true', state: 'all', owner: 'owner' }, [ofSecret, done]],
    [{ created: 'false', owner: 'guild' }, [ofGuild]],
    [{ assigned: 'true' }, [ofSecret]],
    [{ assigned: 'true' }, [], ada],
    // Ada is mentioned in the secret repository too, and may read that of the guild alone.
    [{ mentioned: 'true' }, [ofGuild], ada],
    [{ mentioned: 'true' }, [], eve],
    [{ before: moment, owner: 'guild' }, [ofGuild]],
    [{ since: moment, owner: 'guild' }, [ofGuild]],
    [{ since: moment, q: 'club' }, [ofClub]],
    [{ before: moment, q: 'club' }, []],
    [{ milestones: 'none', owner: 'guild' }, []],
    [{ milestones: '', priority_repo_id: 7, owner: 'guild' }, [ofGuild]],
  ]
  for (const [query, found, as = owner] of cases)
    assert.deepEqual(await titles(query, as), found, JSON.stringify(query))
  assert.deepEqual(await titles({ created: 'true', mentioned: 'true' }), [leak], 'nobody has done nothing')
  for (const name of ['since', 'before'])
    holdRefusal(await ask({ [name]: 'x' }), 422, `${name} is no date-time of RFC 3339: x`)
})

test(`${SEARCH} is narrowed to an owner and a team that the caller may know of`, async () => {
  const sayUnknown = (name: string) => `user does not exist [uid: 0, name: ${name}]`
  assert.deepEqual(await titles({ owner: 'GUILD' }, ada), [ofGuild])
  assert.deepEqual(await titles({ owner: 'guild' }, eve), [])
  assert.deepEqual(await titles({ owner: 'guild' }), [])
  assert.deepEqual(await titles({ owner: 'lodge' }, owner), [ofLodge])
  assert.deepEqual(await titles({ owner: 'shy' }, shy), [ofDiary])
  const publicOnly = bearer(await make.token(owner, 'public-only', 'read:issue'))
  for (const [name, as] of [
    ['nobody', owner],
    ['no body', owner],
    ["' or true --", owner],
    ['lodge', ada],
    ['lodge', undefined],
    ['lodge', publicOnly],
    ['club', undefined],
    ['club', narrow],
    ['shy', ada],
  ] as const)
    holdRefusal(await ask({ owner: name }, as), 400, sayUnknown(name))
  const ofTeam = (team: string, as?: { authorization: string }) => ask({ owner: 'guild', team }, as)
  for (const as of [ada, eve, owner, boss])
    assert.equal((await ofTeam('TRIAGE', as)).status, 200, 'members of the organization know of it')
  assert.deepEqual(await titles({ owner: 'guild', team: 'triage' }, ada), [ofGuild])
  assert.deepEqual(await titles({ owner: 'guild', team: 'triage' }, eve), [])
  assert.deepEqual(await titles({ owner: 'guild', team: 'coders' }, owner), [ofGuild])
  const sayNoTeam = (team: string) => `team does not exist [org_id ${guild.id}, team_id 0, name: ${team}]`
  for (const [team, as] of [
    ['none', owner],
    ['none', boss],
    ['x\0', owner],
    ['Triage', shy],
    ['Triage', undefined],
    ['Coders', ada],
  ] as const)
    holdRefusal(await ofTeam(team, as), 400, sayNoTeam(team.replace('\0', '\ufffe')))
  const sentence = 'Owner organisation is required for filtering on team'
  holdRefusal(await ask({ team: 'Triage' }, ada), 400, sentence)
  await pool`update forge.team set includes_all_repositories = false where id = ${triage.id}`
  assert.deepEqual(await titles({ owner: 'guild', team: 'triage' }, owner), [])
  assert.deepEqual(await titles({}, ada), [ofClub, leak])
})

test(`${SEARCH} has pages of 20, and requires a token with a scope for issues`, async () => {
  const many = await make.repository(eve, { name: 'many' })
  await pool`
    insert into forge.issue (repository_id, title, created_at, updated_at)
    select ${many.id}, 'n' || n, ${clock.now()}, ${clock.now()} from generate_series(1, 60) as n`
  const { body, headers } = await ask({ owner: 'eve' })
  assert.deepEqual([body.length, headers.get('x-total-count'), body[0].title], [20, '60', 'n60'])
  assert.match(headers.get('link') ?? '', /page=2>; rel="next"/)
  assert.equal((await ask({ owner: 'eve', limit: 1000 })).body.length, 50)
  assert.deepEqual(await titles({ owner: 'eve', limit: 7, page: 9 }), ['n4', 'n3', 'n2', 'n1'])
  assert.deepEqual(await titles({ owner: 'eve', limit: 7, page: 99 }), [])
  const poor = await ask({}, bearer(await make.token(ada, 'read:repository')))
  assert.equal(poor.status, 403)
  assert.match(poor.body.message, /required=\[read:issue\]/)
  assert.equal((await ask({}, bearer('x'.repeat(40)))).status, 401)
})

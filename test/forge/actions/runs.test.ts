import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_STATUSES } from '../../../src/actions/run/api-status.ts'
import { STATUSES, type Status } from '../../../src/actions/run/status.ts'
import { startApp } from '../../support/app.ts'
import { actionsIn, selectedBy } from '../../support/forge/actions.fixtures.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const { call, pool, make } = await startApp()
const actions = actionsIn(pool)
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('Ada', 'eve')

const ALL = 'GET /api/v1/admin/actions/runs'
const OF_ORG = 'GET /api/v1/orgs/{org}/actions/runs'
const OWN = 'GET /api/v1/user/actions/runs'
const OF_REPO = 'GET /api/v1/repos/{owner}/{repo}/actions/runs'
const ONE = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}'
const ATTEMPT = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}'

type Query = Record<string, string | number | readonly string[]>
const all = (query: Query = {}, as: As = boss) => call(ALL, { as, query })
const ofOrg = (org: string, as: As = ada, query: Query = {}) => call(OF_ORG, { as, params: { org }, query })
const ids = (answer: { body: { workflow_runs: { id: number }[] } }) =>
  answer.body.workflow_runs.map(({ id }) => id)

const org = await make.organization(ada, { name: 'Guild' })
const open = await actions.repository(org, 'Open')
const inState = new Map<Status, number>()
for (const status of STATUSES) inState.set(status, (await actions.run({ repository: open, status })).id)
const awaited = (await actions.run({ repository: open, status: 'blocked', needsApproval: true })).id
const everyRun = [...inState.values(), awaited].toReversed()

test(`${ALL} shows runs with all their members, the newest first`, async () => {
  const repository = await actions.repository(org, 'Shown')
  const { id } = await actions.run({
    repository,
    status: 'failure',
    attempt: 3,
    actor: ada.id,
    triggerActor: eve.id,
    ref: 'refs/heads/main',
    title: 'What was done',
    file: 'deep/ci.yml',
  })
  const { status, body, headers } = await all()
  assert.equal(status, 200)
  assert.deepEqual(
    [ids({ body }), body.total_count, headers.get('x-total-count')],
    [[id, ...everyRun], 11, '11'],
  )
  const { actor, trigger_actor, repository: shown, ...rest } = body.workflow_runs[0]
  const base = 'https://forgehall.example/'
  const url = `${base}api/v1/repos/Guild/Shown/actions/runs/${id}`
  assert.deepEqual(rest, {
    id,
    url,
    previous_attempt_url: `${url}/attempts/2`,
    html_url: `${base}Guild/Shown/actions/runs/${id}`,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    display_title: 'What was done',
    path: 'deep/ci.yml@refs/heads/main',
    event: 'push',
    run_attempt: 3,
    run_number: 1,
    head_sha: 'a'.repeat(40),
    head_branch: 'main',
    status: 'completed',
    conclusion: 'failure',
    pull_requests: [],
    created_at: '2026-01-31T07:00:00Z',
    updated_at: '2026-01-31T07:02:00Z',
    started_at: '2026-01-31T07:01:00Z',
    completed_at: '2026-01-31T07:02:00Z',
  })
  assert.deepEqual([actor.login, actor.id, trigger_actor.login], ['Ada', ada.id, 'eve'])
  assert.deepEqual(
    [shown.full_name, shown.owner.login, shown.permissions],
    ['Guild/Shown', 'Guild', { admin: false, push: false, pull: false }],
  )
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${ALL} shows a run that has not started and whose actor has no account`, async () => {
  const gone = await make.person()
  const repository = await actions.repository(ada, 'lonely')
  await actions.run({ repository, actor: gone.id, ref: 'refs/tags/v1' })
  await actions.run({ repository, byBot: true, event: 'schedule' })
  await call('DELETE /api/v1/admin/users/{username}', { as: boss, params: { username: gone.name } })
  const [byBot, tagged] = (await all({ limit: 2 })).body.workflow_runs
  assert.deepEqual([tagged.actor.login, tagged.trigger_actor.login, tagged.actor.id], ['Ghost', 'Ghost', -1])
  assert.deepEqual([byBot.actor.login, byBot.actor.type, byBot.event], ['gitea-actions', 'Bot', 'schedule'])
  assert.deepEqual(
    [tagged.head_branch, tagged.conclusion, tagged.previous_attempt_url, tagged.started_at, tagged.status],
    [undefined, undefined, null, '1970-01-01T00:00:00Z', 'queued'],
  )
  assert.deepEqual(ids(await all({ actor: 'Gitea-Actions' })), [byBot.id])
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${ALL} selects by each printed status what prints it, by pending and waiting also jobs that wait for others`, async () => {
  const states = [...inState, ['blocked', awaited] as const].toReversed()
  for (const word of [...API_STATUSES, 'success', 'failure', 'cancelled', 'skipped'] as const) {
    const expected = selectedBy(word, states, awaited)
    const answer = await all({ status: word })
    assert.deepEqual([ids(answer), answer.body.total_count], [expected, expected.length], word)
    assert.ok(expected.length > 0, word)
  }
  assert.deepEqual(ids(await all({ status: ['action_required', 'queued'] })), [
    awaited,
    inState.get('queued'),
  ])
})

test(`${ALL} filters by event, branch, actor and commit, alone and together`, async () => {
  const repository = await actions.repository(ada, 'filtered')
  const sha = 'b'.repeat(40)
  const one = (
    await actions.run({ repository, actor: ada.id, sha, ref: 'refs/heads/dev', status: 'success' })
  ).id
  const two = (await actions.run({ repository, actor: ada.id, sha, ref: 'refs/tags/dev' })).id
  const three = (
    await actions.run({ repository, actor: eve.id, event: 'workflow_dispatch', ref: 'refs/heads/dev' })
  ).id
  const long = 'x'.repeat(240)
  const four = (await actions.run({ repository, ref: `refs/heads/${long}1`, event: 'schedule' })).id
  for (const [query, expected] of [
    [{ event: 'workflow_dispatch' }, [three]],
    [{ event: 'schedule' }, [four]],
    [{ event: 'nonsense' }, []],
    [{ event: 'PUSH' }, []],
    [{ branch: 'dev' }, [three, one]],
    [{ branch: 'refs/heads/dev' }, []],
    [{ branch: 'de%' }, []],
    [{ branch: 'DEV' }, []],
    [{ branch: `${long}1` }, [four]],
    [{ branch: `${long}2` }, []],
    [{ branch: "'; --\0" }, []],
    [{ actor: 'aDA' }, [two, one]],
    [{ actor: 'eve' }, [three]],
    [{ actor: 'guild' }, []],
    [{ head_sha: sha }, [two, one]],
    [{ head_sha: 'b'.repeat(39) }, []],
    [{ head_sha: 'B'.repeat(40) }, []],
    [{ head_sha: sha, branch: 'dev', actor: 'ada', event: 'push', status: 'success' }, [one]],
    [{ head_sha: sha, status: ['queued', 'failure'] }, [two]],
    [{ actor: 'ada', status: 'failure' }, []],
    [
      { branch: '', event: '', actor: '', head_sha: '', exclude_pull_requests: 'true', limit: 4 },
      [four, three, two, one],
    ],
  ] as const) {
    const answer = await all(query)
    assert.deepEqual(ids(answer), expected, JSON.stringify(query))
    if (!('limit' in query)) assert.equal(answer.body.total_count, expected.length, JSON.stringify(query))
  }
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${OF_REPO} reveals an actor whom the caller may not see only through its runs`, async () => {
  const hidden = await make.person({ name: 'hidden', visibility: 'private' })
  const repository = await actions.repository(ada, 'actors')
  const params = { owner: 'ada', repo: 'actors' }
  const by = (as?: As) => call(OF_REPO, { ...(as && { as }), params, query: { actor: 'Hidden' } })
  for (const as of [undefined, eve])
    holdRefusal(await by(as), 404, 'user redirect does not exist [name: hidden]')
  for (const as of [hidden, boss]) assert.deepEqual(ids(await by(as)), [])
  const { id } = await actions.run({ repository, actor: hidden.id })
  for (const as of [undefined, eve, hidden, boss]) assert.deepEqual(ids(await by(as)), [id])
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${ALL} answers 404 to an unknown actor, and 400 to an unknown status`, async () => {
  for (const actor of ['nobody', '../x', 'a\0b', 'x'.repeat(300)]) {
    const { status, body } = await all({ actor })
    assert.equal(status, 404)
    assert.match(body.message, /^user redirect does not exist \[name: /)
  }
  for (const word of ['running', 'nonsense'])
    holdRefusal(await all({ status: word }), 400, `invalid status ${word}`)
  holdRefusal(await all({ status: 'x', actor: 'nobody' }), 400, 'invalid status x')
})

test(`${ALL} pages without a gap or a repetition`, async () => {
  const seen = []
  for (let page = 1; page <= 4; page++) seen.push(...ids(await all({ limit: 3, page })))
  assert.deepEqual(seen, everyRun)
  const second = await all({ status: 'completed', limit: 1, page: 2 })
  assert.match(
    second.headers.get('link') ?? '',
    /actions\/runs\?limit=1&page=3&status=completed>; rel="next"/,
  )
  const beyond = await all({ page: 9_007_199_254_740_991 })
  assert.deepEqual([beyond.status, beyond.body], [200, { workflow_runs: [], total_count: 10 }])
})

test(`${ALL} is for site administrators, with a token that reaches administration`, async () => {
  holdRefusal(await call(ALL), 401, 'token is required')
  holdRefusal(await all({}, ada), 403, 'user should be the site admin')
  const narrow = bearer(await make.token(boss, 'write:repository'))
  assert.match((await all({}, narrow)).body.message, /required=\[read:admin\]/)
})

test(`${OF_ORG} shows members what they may read, and what the organization owns now`, async () => {
  const member = await make.person()
  await make.team(org, [member])
  const hidden = await actions.repository(org, 'Closed', true)
  const { id } = await actions.run({ repository: hidden, status: 'success' })
  assert.deepEqual(ids(await ofOrg('guild', member)), everyRun)
  for (const who of [ada, boss]) assert.deepEqual(ids(await ofOrg('guild', who)), [id, ...everyRun])
  const succeeded = inState.get('success')
  assert.deepEqual(ids(await ofOrg('guild', ada, { status: 'success' })), [id, succeeded])
  assert.deepEqual(ids(await ofOrg('guild', ada, { status: 'success', limit: 1, page: 2 })), [succeeded])
  assert.equal((await ofOrg('guild', member, { status: 'success' })).body.total_count, 1)
  const limited = bearer(await make.token(boss, 'all', 'public-only'))
  assert.deepEqual(ids(await ofOrg('guild', limited)), everyRun)
  const other = await make.organization(eve)
  await pool`update forge.repository set owner_id = ${other.id} where id = ${hidden}`
  assert.deepEqual(ids(await ofOrg('guild')), everyRun)
  assert.deepEqual(ids(await ofOrg(other.name, eve)), [id])
  await pool`delete from forge.repository where id = ${hidden}`
})

test(`${OF_ORG} is for members and administrators`, async () => {
  holdRefusal(await call(OF_ORG, { params: { org: 'guild' } }), 401, 'token is required')
  holdRefusal(await ofOrg('guild', eve), 403, 'Must be an organization member')
  holdRefusal(await ofOrg('nobody'), 404, 'not found')
  holdRefusal(await ofOrg('guild', ada, { status: 'x' }), 400, 'invalid status x')
  assert.equal((await ofOrg('guild', ada, { actor: 'nobody' })).status, 404)
  const narrow = bearer(await make.token(ada, 'write:admin'))
  assert.match((await ofOrg('guild', narrow)).body.message, /required=\[read:organization\]/)
})

test(`${OWN}, ${OF_REPO}, ${ONE} and ${ATTEMPT} show runs to whoever may read Actions of the repository`, async () => {
  const repository = await actions.repository(eve, 'mine', true)
  const { id } = await actions.run({
    repository,
    attempt: 2,
    status: 'in_progress',
    actor: ada.id,
    triggerActor: eve.id,
  })
  assert.deepEqual(ids(await call(OWN, { as: eve })), [id])
  assert.deepEqual(ids(await call(OWN, { as: ada })), [])
  holdRefusal(await call(OWN), 401, 'token is required')
  const at = { owner: 'eve', repo: 'mine' }
  assert.deepEqual(ids(await call(OF_REPO, { as: eve, params: at, query: { status: 'in_progress' } })), [id])
  const shown = await call(ONE, { as: eve, params: { ...at, run: id } })
  assert.deepEqual([shown.body.status, shown.body.run_attempt], ['in_progress', 2])
  const first = await call(ATTEMPT, { as: boss, params: { ...at, run: id, attempt: 1 } })
  const { status, conclusion, run_attempt, trigger_actor, previous_attempt_url } = first.body
  assert.deepEqual(
    [status, conclusion, run_attempt, trigger_actor.login, previous_attempt_url],
    ['completed', 'failure', 1, 'Ada', null],
  )
  for (const attempt of [0, 3, 'x', '9'.repeat(15)])
    holdRefusal(await call(ATTEMPT, { as: eve, params: { ...at, run: id, attempt } }), 404, 'not found')
  for (const as of [ada, undefined])
    for (const literal of [OF_REPO, ONE, ATTEMPT]) {
      const more = literal === OF_REPO ? {} : literal === ONE ? { run: id } : { run: id, attempt: 1 }
      holdRefusal(await call(literal, { ...(as && { as }), params: { ...at, ...more } }), 404, 'not found')
    }
  // Not by way of another repository, also where that may be read.
  holdRefusal(
    await call(ONE, { as: eve, params: { owner: 'guild', repo: 'open', run: id } }),
    404,
    'not found',
  )
  assert.equal((await call(ONE, { params: { owner: 'guild', repo: 'open', run: awaited } })).status, 200)
  holdRefusal(await call(OF_REPO, { as: eve, params: at, query: { status: 'x' } }), 400, 'invalid status x')
  await pool`delete from forge.repository where id = ${repository}`
})

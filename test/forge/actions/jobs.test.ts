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

const ALL = 'GET /api/v1/admin/actions/jobs'
const OF_ORG = 'GET /api/v1/orgs/{org}/actions/jobs'
const OWN = 'GET /api/v1/user/actions/jobs'
const OF_REPO = 'GET /api/v1/repos/{owner}/{repo}/actions/jobs'
const OF_RUN = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/jobs'
const OF_ATTEMPT = 'GET /api/v1/repos/{owner}/{repo}/actions/runs/{run}/attempts/{attempt}/jobs'
const ONE = 'GET /api/v1/repos/{owner}/{repo}/actions/jobs/{job_id}'

type Query = Record<string, string | number | readonly string[]>
const all = (query: Query = {}, as: As = boss) => call(ALL, { as, query })
const ofOrg = (org: string, as: As = ada, query: Query = {}) => call(OF_ORG, { as, params: { org }, query })
const ids = (answer: { body: { jobs: { id: number }[] } }) => answer.body.jobs.map(({ id }) => id)

// A job in every state, in a public repository of an organization, and one of each that waits for an approval.
const org = await make.organization(ada, { name: 'Guild' })
const open = await actions.repository(org, 'Open')
const run = await actions.run({ repository: open, ref: 'refs/heads/feature/x', sha: 'c'.repeat(40) })
const inState = new Map<Status, number>()
for (const status of STATUSES) inState.set(status, await actions.job({ run, status }))
const fork = await actions.run({ repository: open, status: 'blocked', needsApproval: true })
const awaited = await actions.job({ run: fork, status: 'blocked' })
const everyJob = [...inState.values(), awaited]

test(`${ALL} shows jobs with all their members, the oldest first`, async () => {
  const { status, body, headers } = await all()
  assert.equal(status, 200)
  assert.deepEqual(ids({ body }), everyJob)
  assert.equal(body.total_count, 10)
  assert.equal(headers.get('x-total-count'), '10')
  const base = 'https://forgehall.example/'
  const id = inState.get('queued')
  assert.deepEqual(body.jobs[2], {
    id,
    url: `${base}api/v1/repos/Guild/Open/actions/jobs/${id}`,
    html_url: `${base}Guild/Open/actions/runs/${run.id}/jobs/${id}`,
    run_id: run.id,
    run_url: `${base}api/v1/repos/Guild/Open/actions/runs/${run.id}`,
    name: 'job 3',
    labels: ['self-hosted'],
    run_attempt: 1,
    head_sha: 'c'.repeat(40),
    head_branch: 'feature/x',
    status: 'queued',
    steps: [],
    created_at: '2026-01-31T07:00:00Z',
    started_at: '1970-01-01T00:00:00Z',
    completed_at: '1970-01-01T00:00:00Z',
  })
})

test(`${ALL} shows the runner and the steps of a job that was taken, and no branch where there is none`, async () => {
  const owner = await make.person({ name: 'solo' })
  const repository = await actions.repository(owner, 'tagged')
  const tagged = await actions.run({ repository, ref: 'refs/tags/v1' })
  const job = await actions.job({ run: tagged, status: 'cancelled', labels: [] })
  await actions.task(job, { status: 'cancelled', steps: ['success', 'cancelled', 'in_progress', 'queued'] })
  const { body } = await call(ONE, { params: { owner: 'solo', repo: 'tagged', job_id: job } })
  const began = '2026-01-31T07:01:00Z'
  const ended = '2026-01-31T07:02:00Z'
  const never = '1970-01-01T00:00:00Z'
  const { runner_id, runner_name, steps, labels, head_branch, conclusion, started_at, completed_at } = body
  assert.deepEqual(
    { runner_id, runner_name, steps, labels, head_branch, conclusion, started_at, completed_at },
    {
      runner_id: 77,
      runner_name: 'r1',
      steps: [
        {
          name: 'Run step 0',
          number: 0,
          status: 'completed',
          conclusion: 'success',
          started_at: began,
          completed_at: ended,
        },
        {
          name: 'Run step 1',
          number: 1,
          status: 'completed',
          conclusion: 'cancelled',
          started_at: began,
          completed_at: ended,
        },
        { name: 'Run step 2', number: 2, status: 'in_progress', started_at: began, completed_at: never },
        { name: 'Run step 3', number: 3, status: 'queued', started_at: never, completed_at: never },
      ],
      labels: [],
      head_branch: undefined,
      conclusion: 'cancelled',
      started_at: began,
      completed_at: ended,
    },
  )
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${ALL} selects by each printed status what prints it, by pending and waiting also jobs that wait for others`, async () => {
  const states = [...inState, ['blocked', awaited] as const]
  for (const word of [...API_STATUSES, 'success', 'failure', 'cancelled', 'skipped'] as const) {
    const expected = selectedBy(word, states, awaited)
    const answer = await all({ status: word })
    assert.deepEqual(ids(answer), expected, word)
    assert.equal(answer.body.total_count, expected.length, word)
    assert.ok(expected.length > 0, word)
  }
})

test(`${ALL} accepts several statuses, and names of other forges`, async () => {
  const several = await all({ status: ['action_required', 'queued', 'failure'] })
  assert.deepEqual(ids(several), [inState.get('queued'), inState.get('failure'), awaited])
  assert.deepEqual(ids(await all({ status: 'action_required' })), [awaited])
  const waits = [inState.get('requested'), inState.get('blocked'), awaited]
  for (const status of ['waiting', ['pending', 'waiting'], ['requested', 'pending', 'action_required']])
    assert.deepEqual(ids(await all({ status })), waits, `${status}`)
  assert.deepEqual(ids(await all({ status: 'neutral' })), [inState.get('skipped')])
  assert.deepEqual(ids(await all({ status: ['timed_out', 'timed_out'] })), [inState.get('cancelled')])
})

test(`${ALL} answers 400 to an unknown status; an empty one is none`, async () => {
  for (const word of ['running', 'Queued', 'blocked', 'queued,failure', '\0', "'; --"])
    holdRefusal(await all({ status: word }), 400, `invalid status ${word}`)
  holdRefusal(await all({ status: ['queued', 'nonsense'] }), 400, 'invalid status nonsense')
  assert.deepEqual(ids(await all({ status: '' })), everyJob)
})

test(`${ALL} sorts by id, and answers 422 to other sorts and orders`, async () => {
  const back = everyJob.toReversed()
  assert.deepEqual(ids(await all({ sort: 'id' })), everyJob)
  assert.deepEqual(ids(await all({ sort: 'id', order: 'asc' })), everyJob)
  assert.deepEqual(ids(await all({ sort: 'id', order: 'desc' })), back)
  assert.deepEqual(ids(await all({ sort: 'id', order: 'desc', status: 'in_progress' })), [
    inState.get('cancelling'),
    inState.get('in_progress'),
  ])
  holdRefusal(await all({ order: 'nonsense' }), 422, 'order: must be one of asc, desc')
  assert.deepEqual(ids(await all({ sort: '', order: 'desc' })), everyJob)
  holdRefusal(await all({ sort: 'name' }), 422, 'sort: must be one of id')
  holdRefusal(await all({ sort: 'id', order: 'up' }), 422, 'order: must be one of asc, desc')
})

test(`${ALL} pages without a gap or a repetition, also over several states`, async () => {
  const query = { status: 'completed', limit: 1 }
  const seen = []
  for (let page = 1; page <= 4; page++) seen.push(...ids(await all({ ...query, page })))
  assert.deepEqual(seen, ids(await all({ status: 'completed' })))
  const second = await all({ ...query, page: 2 })
  assert.match(
    second.headers.get('link') ?? '',
    /page=3.*rel="next".*page=4.*rel="last".*rel="first".*rel="prev"/,
  )
  const beyond = await all({ page: 9_007_199_254_740_991, limit: 50 })
  assert.deepEqual([beyond.status, beyond.body], [200, { jobs: [], total_count: 10 }])
  assert.deepEqual(ids(await all({ page: 'x', limit: '-3' })), everyJob)
})

test(`${ALL} is for site administrators, with a token that reaches administration`, async () => {
  holdRefusal(await call(ALL), 401, 'token is required')
  holdRefusal(await all({}, ada), 403, 'user should be the site admin')
  holdRefusal(await all({ sudo: 'nobody' }), 404, 'not found')
  const narrow = bearer(await make.token(boss, 'write:organization'))
  assert.match((await all({}, narrow)).body.message, /required=\[read:admin\]/)
  assert.equal((await all({}, bearer(await make.token(boss, 'read:admin')))).status, 200)
})

test(`${OF_ORG} shows what the organization owns now: jobs follow a repository to its new owner`, async () => {
  const from = await make.organization(ada)
  const to = await make.organization(ada)
  const repository = await actions.repository(from, 'wanderer')
  const job = await actions.job({ run: await actions.run({ repository }) })
  assert.deepEqual([ids(await ofOrg(from.name)), ids(await ofOrg(to.name))], [[job], []])
  await pool`update forge.repository set owner_id = ${to.id} where id = ${repository}`
  assert.deepEqual([ids(await ofOrg(from.name)), ids(await ofOrg(to.name))], [[], [job]])
  assert.equal((await ofOrg(to.name)).body.total_count, 1)
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${OF_ORG} merges the jobs of several repositories in order, filtered and paged`, async () => {
  const several = await make.organization(ada)
  const made: { id: number; status: string }[] = []
  const runs = []
  for (const name of ['one', 'two', 'three'])
    runs.push(await actions.run({ repository: await actions.repository(several, name) }))
  for (let turn = 0; turn < 12; turn++) {
    const run = runs[turn % 3]
    const status = (['queued', 'success', 'failure', 'in_progress'] as const)[turn % 4] ?? 'queued'
    if (run) made.push({ id: await actions.job({ run, status }), status })
  }
  const of = (...statuses: string[]) =>
    made.filter(({ status }) => statuses.includes(status)).map(({ id }) => id)
  const list = (query: Query) => ofOrg(several.name, ada, query)
  assert.deepEqual(
    ids(await list({})),
    made.map(({ id }) => id),
  )
  assert.deepEqual(ids(await list({ status: 'completed' })), of('success', 'failure'))
  assert.deepEqual(
    ids(await list({ status: 'completed', limit: 2, page: 2 })),
    of('success', 'failure').slice(2, 4),
  )
  const backwards = { sort: 'id', order: 'desc', status: ['queued', 'in_progress'], limit: 4 }
  assert.deepEqual(ids(await list(backwards)), of('queued', 'in_progress').reverse().slice(0, 4))
  assert.equal((await list(backwards)).body.total_count, 6)
  await pool`delete from forge.repository where owner_id = ${several.id}`
})

test(`${OF_ORG} shows members what they may read of Actions, and owners and administrators all`, async () => {
  const house = await make.organization(ada, { visibility: 'private' })
  const [member, reader, coder, runner, helper] = await Promise.all(
    Array.from({ length: 5 }, () => make.person()),
  )
  assert.ok(member && reader && coder && runner && helper)
  await make.team(house, [member, helper])
  await make.team(house, [reader], { includes_all_repositories: true })
  const units = (unit: string) => ({ includes_all_repositories: true, units: { [unit]: 'read' } }) as const
  await make.team(house, [coder], units('repo.code'))
  await make.team(house, [runner], units('repo.actions'))
  const shown = await actions.repository(house, 'shown')
  const hidden = await actions.repository(house, 'hidden', true)
  await pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    values (${hidden}, ${helper.id}, 'read')`
  const inShown = await actions.job({ run: await actions.run({ repository: shown }) })
  const inHidden = await actions.job({ run: await actions.run({ repository: hidden }) })
  for (const who of [member, coder]) {
    const answer = await ofOrg(house.name, who)
    assert.deepEqual([ids(answer), answer.body.total_count], [[inShown], 1], who.name)
  }
  for (const who of [reader, runner, helper, ada, boss])
    assert.deepEqual(ids(await ofOrg(house.name, who)), [inShown, inHidden], who.name)
  assert.deepEqual(ids(await ofOrg(house.name, boss, { status: 'queued' })), [inShown, inHidden])
  await pool`delete from forge.repository where owner_id = ${house.id}`
})

test(`${OF_ORG} shows a token that is limited to public things what is public`, async () => {
  const hidden = await actions.repository(org, 'Closed', true)
  const job = await actions.job({ run: await actions.run({ repository: hidden }) })
  for (const who of [ada, boss]) {
    assert.deepEqual(ids(await ofOrg('guild', who)), [...everyJob, job])
    const limited = bearer(await make.token(who, 'all', 'public-only'))
    assert.deepEqual(ids(await ofOrg('guild', limited)), everyJob)
  }
  await pool`delete from forge.repository where id = ${hidden}`
  const quiet = await make.organization(ada, { visibility: 'limited' })
  const limited = bearer(await make.token(boss, 'all', 'public-only'))
  holdRefusal(await ofOrg(quiet.name, limited), 403, 'token scope is limited to public orgs')
})

test(`${OF_ORG} is for members and administrators; filters and sorts are judged as for all jobs`, async () => {
  holdRefusal(await call(OF_ORG, { params: { org: 'guild' } }), 401, 'token is required')
  holdRefusal(await ofOrg('guild', eve), 403, 'Must be an organization member')
  holdRefusal(await ofOrg('nobody'), 404, 'not found')
  holdRefusal(await ofOrg('ada'), 404, 'not found')
  holdRefusal(await ofOrg('guild', ada, { status: 'x' }), 400, 'invalid status x')
  holdRefusal(await ofOrg('guild', ada, { sort: 'x' }), 422, 'sort: must be one of id')
  const narrow = bearer(await make.token(ada, 'write:repository'))
  assert.match((await ofOrg('guild', narrow)).body.message, /required=\[read:organization\]/)
  await call('POST /api/v1/orgs/{org}/rename', {
    as: ada,
    params: { org: (await make.organization(ada, { name: 'former' })).name },
    body: { new_name: 'newer' },
  })
  assert.equal((await ofOrg('former')).status, 307)
})

test(`${OWN} shows the jobs in repositories of one's own`, async () => {
  const repository = await actions.repository(eve, 'mine', true)
  const job = await actions.job({ run: await actions.run({ repository }), status: 'in_progress' })
  assert.deepEqual(ids(await call(OWN, { as: eve })), [job])
  assert.deepEqual(ids(await call(OWN, { as: eve, query: { status: 'queued' } })), [])
  assert.deepEqual(ids(await call(OWN, { as: ada })), [])
  holdRefusal(await call(OWN), 401, 'token is required')
  holdRefusal(await call(OWN, { as: eve, query: { status: 'x' } }), 400, 'invalid status x')
  await pool`delete from forge.repository where id = ${repository}`
})

test(`${OF_REPO}, ${OF_RUN}, ${OF_ATTEMPT} and ${ONE} are for whoever may read Actions of the repository`, async () => {
  const params = { owner: 'guild', repo: 'open' }
  assert.deepEqual(ids(await call(OF_REPO, { params })), everyJob)
  const hidden = await actions.repository(org, 'Secret', true)
  const twice = await actions.run({ repository: hidden, attempt: 2 })
  const first = await actions.job({ run: twice, attempt: 1, status: 'failure' })
  const second = await actions.job({ run: twice, status: 'in_progress' })
  const coder = await make.person()
  await make.team(org, [coder], { includes_all_repositories: true, units: { 'repo.code': 'read' } })
  const runner = await make.person()
  await make.team(org, [runner], { includes_all_repositories: true, units: { 'repo.actions': 'read' } })
  const at = { owner: 'guild', repo: 'secret' }
  const within = { ...at, run: twice.id }
  assert.deepEqual(ids(await call(OF_REPO, { as: runner, params: at })), [first, second])
  const newest = await call(OF_RUN, { as: runner, params: within })
  assert.deepEqual([ids(newest), newest.body.total_count], [[second], 1], 'the newest attempt only')
  const failed = await call(OF_RUN, { as: runner, params: within, query: { status: 'failure' } })
  assert.deepEqual(failed.body, { jobs: [], total_count: 0 }, 'what failed belongs to the attempt before')
  assert.deepEqual(ids(await call(OF_ATTEMPT, { as: ada, params: { ...within, attempt: 1 } })), [first])
  const running = { as: ada, params: { ...within, attempt: 2 }, query: { status: 'in_progress' } }
  assert.deepEqual(ids(await call(OF_ATTEMPT, running)), [second])
  assert.equal((await call(ONE, { as: runner, params: { ...at, job_id: second } })).body.run_attempt, 2)
  for (const who of [coder, eve, undefined])
    for (const [literal, more] of [
      [OF_REPO, {}],
      [OF_RUN, { run: twice.id }],
      [OF_ATTEMPT, { run: twice.id, attempt: 1 }],
      [ONE, { job_id: first }],
    ] as const)
      holdRefusal(
        await call(literal, { ...(who && { as: who }), params: { ...at, ...more } }),
        404,
        'not found',
      )
  await pool`delete from forge.repository where id = ${hidden}`
})

test(`${OF_RUN}, ${OF_ATTEMPT} and ${ONE} answer 404 to what is not in the repository`, async () => {
  const other = await actions.repository(ada, 'other')
  const elsewhere = await actions.run({ repository: other })
  const job = await actions.job({ run: elsewhere })
  const params = { owner: 'guild', repo: 'open' }
  for (const run of [elsewhere.id, 999_999, 0, 'x', '9'.repeat(30)])
    holdRefusal(await call(OF_RUN, { params: { ...params, run } }), 404, 'not found')
  for (const attempt of [2, 0, 'x', '9'.repeat(15)])
    assert.equal(
      (await call(OF_ATTEMPT, { params: { ...params, run: run.id, attempt } })).status,
      404,
      `${attempt}`,
    )
  for (const job_id of [job, 999_999, 0, 'x', '-1', '1.5'])
    holdRefusal(await call(ONE, { params: { ...params, job_id } }), 404, 'not found')
  // A run that is there may have no such jobs.
  const none = await call(OF_RUN, { params: { ...params, run: fork.id }, query: { status: 'success' } })
  assert.deepEqual([none.status, none.body], [200, { jobs: [], total_count: 0 }])
  await pool`delete from forge.repository where id = ${other}`
})

test('jobs of a repository that is being removed are not shown and cause no error', async () => {
  const repository = await actions.repository(ada, 'leaving')
  await actions.job({ run: await actions.run({ repository }) })
  await pool`update forge.repository set state = 'removing', owner_id = null where id = ${repository}`
  assert.deepEqual(ids(await all()), everyJob)
  await pool`delete from forge.repository where id = ${repository}`
  assert.equal((await all()).body.total_count, 10)
})

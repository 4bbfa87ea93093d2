import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveApp, startApp } from '../../support/app.ts'
import { queuedMessages } from '../../support/forge/hook-messages.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'

const app = await startApp()
const { call, pool, clock, make } = app
const boss = await make.admin({ name: 'boss' })
const [owner, ada, eve] = await make.people('Owner', 'ada', 'eve')

const LIST = 'GET /api/v1/repos/{owner}/{repo}/issues'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/issues'
const SHOW = 'GET /api/v1/repos/{owner}/{repo}/issues/{index}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'

const open = (repo: Repo, body: unknown, as: Somebody = ada) => call(CREATE, { as, params: at(repo), body })
const look = (repo: Repo, index: number | string, as: Somebody = ada) =>
  call(SHOW, { as, params: at(repo, { index }) })
const edit = (repo: Repo, index: number, body: unknown, as: Somebody = owner) =>
  call(EDIT, { as, params: at(repo, { index }), body })
const list = (repo: Repo, query: Record<string, string | number> = {}, as: Somebody = ada) =>
  call(LIST, { as, params: at(repo), query })
const numbers = async (repo: Repo, query: Record<string, string | number> = {}) =>
  (await list(repo, query)).body.map(({ number }: { number: number }) => number)

async function label(repo: Repo, name: string): Promise<number> {
  const [{ id }] = await pool<[{ id: number }]>`
    insert into forge.repository_label (repository_id, name, color) values (${repo.id}, ${name}, 'aabbcc')
    returning id`
  return id
}

async function collaborator(repo: Repo, account: Somebody, permission: string): Promise<void> {
  await pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    values (${repo.id}, ${account.id}, ${permission})`
}

/** The webhook messages of the queued events, which are removed. */
async function events() {
  const messages = await queuedMessages(pool)
  await pool`delete from forge.event where kind = 'issue.changed'`
  return messages.map(({ event, payload }) => ({ kind: event, payload }))
}

test(`${CREATE} opens an issue with the next number and answers 201 with it`, async () => {
  const repo = await make.repository(owner)
  const { status, body } = await open(repo, { title: 'It leaks', body: 'Here: `x`\r\n' })
  assert.equal(status, 201)
  const { user, ...rest } = body
  const moment = `${clock.now().toISOString().slice(0, 19)}Z`
  const path = `Owner/${repo.name}`
  assert.equal(user.login, 'ada')
  assert.deepEqual(rest, {
    id: body.id,
    url: `https://forgehall.example/api/v1/repos/${path}/issues/1`,
    html_url: `https://forgehall.example/${path}/issues/1`,
    number: 1,
    original_author: '',
    original_author_id: 0,
    title: 'It leaks',
    body: 'Here: `x`\r\n',
    ref: '',
    assets: [],
    labels: [],
    milestone: null,
    assignee: null,
    assignees: [],
    state: 'open',
    is_locked: false,
    comments: 0,
    created_at: moment,
    updated_at: moment,
    closed_at: null,
    due_date: null,
    time_estimate: 0,
    pull_request: null,
    repository: { id: repo.id, name: repo.name, owner: 'Owner', full_name: path },
    pin_order: 0,
    content_version: 0,
  })
  assert.equal((await open(repo, { title: 'Again' })).body.number, 2)
  assert.deepEqual((await look(repo, 1)).body, body)
  const shown = await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params: at(repo) })
  assert.equal(shown.body.open_issues_count, 2)
})

test(`${CREATE} sets assignees and labels for callers who may write, and ignores those of others`, async () => {
  const repo = await make.repository(owner)
  const bug = await label(repo, 'bug')
  await collaborator(repo, ada, 'write')
  const wish = { title: 'x', assignees: ['ADA', 'owner', 'ada'], assignee: 'owner', labels: [bug, bug] }
  const { body } = await open(repo, wish, owner)
  const names = body.assignees.map(({ login }: { login: string }) => login)
  assert.deepEqual(names, ['Owner', 'ada'])
  assert.equal(body.assignee.login, 'Owner')
  assert.deepEqual(
    body.labels.map(({ id, color }: { id: number; color: string }) => [id, color]),
    [[bug, 'aabbcc']],
  )
  const modest = (await open(repo, wish, eve)).body
  assert.deepEqual([modest.assignees, modest.labels], [[], []])
  const done = await open(repo, { title: 'x', closed: true }, owner)
  assert.deepEqual([done.body.state, done.body.closed_at], ['closed', done.body.created_at])
})

test(`${CREATE} refuses what is no issue and leaves nothing behind`, async () => {
  const repo = await make.repository(owner)
  const other = await make.repository(owner)
  const foreign = await label(other, 'foreign')
  const refused: [unknown, string][] = [
    [{}, '[Title]: Required'],
    [{ title: '' }, '[Title]: Required'],
    [{ title: ' \t' }, '[Title]: Required'],
    [{ title: null }, '[Title]: Required'],
    [{ title: 'x'.repeat(256) }, '[Title]: MaxSize'],
    [{ title: 'x', body: 'x'.repeat(65_537) }, '[Body]: MaxSize'],
    [{ title: 'x\0' }, '[]: the body must not contain NUL characters'],
    [{ title: 'x', assignees: ['nobody'] }, 'Assignee does not exist: [name: nobody]'],
    [{ title: 'x', assignees: ["'; drop table--"] }, "Assignee does not exist: [name: '; drop table--]"],
    [{ title: 'x', assignee: 'eve' }, 'user does not have access to the repository [name: eve]'],
    [{ title: 'x', labels: [foreign] }, `label does not exist [id: ${foreign}]`],
    [{ title: 'x', labels: [999_999_999] }, 'label does not exist [id: 999999999]'],
    [
      { title: 'x', assignees: Array.from({ length: 101 }, (_, n) => `n${n}`) },
      'an issue has at most 100 assignees',
    ],
  ]
  for (const [body, message] of refused) holdRefusal(await open(repo, body, owner), 422, message)
  const broken = [
    { title: 7 },
    { title: ['x'] },
    { title: 'x', labels: ['bug'] },
    { title: 'x', labels: 7 },
    { title: 'x', labels: [1.5] },
    { title: 'x', labels: [2 ** 60] },
    { title: 'x', assignees: 'ada' },
    { title: 'x', closed: 'true' },
    [],
    'x',
    '',
  ]
  for (const body of broken) assert.equal((await open(repo, body, owner)).status, 422, JSON.stringify(body))
  assert.deepEqual(await numbers(repo, { state: 'all' }), [])
  assert.equal((await open(repo, { title: 'x' })).body.number, 1, 'no number was lost')
})

test(`${CREATE} gives each of many at once a number of its own, without a gap`, async () => {
  const repo = await make.repository(owner)
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => open(repo, { title: `n${n}` })))
  const created = answers.map(({ status, body }) => [status, body.number] as const)
  assert.ok(created.every(([status]) => status === 201))
  assert.deepEqual(
    created.map(([, number]) => number).toSorted((a, b) => a - b),
    Array.from({ length: 40 }, (_, n) => n + 1),
  )
  const [row] = await pool`select last_issue, open_issues from forge.repository where id = ${repo.id}`
  assert.deepEqual([row?.last_issue, row?.open_issues], [40, 40])
})

test(`${CREATE} by many at once creates all issues, refuses only invalid ones, and emits events of each`, async () => {
  const repo = await make.repository(owner)
  await collaborator(repo, eve, 'write')
  const bug = await label(repo, 'bug')
  await events()
  await pool`delete from forge.event`
  const bodies = Array.from({ length: 24 }, (_, n) => ({
    title: `n${n}`,
    body: n === 5 ? 'Look, @boss' : `body ${n}`,
    ...(n % 4 === 1 && { closed: true }),
    ...(n % 6 === 2 && { labels: [bug], assignees: ['eve'] }),
    ...(n === 9 && { labels: [bug, 999_999] }),
  }))
  // Labels and assignees are not taken from ada, who may not write.
  const whoOf = (n: number) => (n % 3 === 0 ? ada : owner)
  const answers = await Promise.all(bodies.map((body, n) => open(repo, body, n === 9 ? eve : whoOf(n))))
  for (const [n, { status, body }] of answers.entries()) {
    assert.equal(status, n === 9 ? 422 : 201, JSON.stringify(body))
    if (n === 9) continue
    const isLabelled = n % 6 === 2
    assert.deepEqual(
      [body.title, body.body, body.user.login, body.state],
      [`n${n}`, bodies[n]?.body, whoOf(n).name, n % 4 === 1 ? 'closed' : 'open'],
    )
    assert.deepEqual(
      [body.labels.map(({ id }: { id: number }) => id), body.assignee?.login],
      isLabelled ? [[bug], 'eve'] : [[], undefined],
    )
    assert.deepEqual((await look(repo, body.number, whoOf(n))).body, body)
  }
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body)
  const byNumber = made.toSorted((a, b) => a.number - b.number)
  assert.deepEqual(
    byNumber.map(({ number }) => number),
    Array.from({ length: 23 }, (_, n) => n + 1),
  )
  const notices = await pool`
    select payload from forge.event where kind = 'issue.activity' order by id`
  const shown = byNumber.map(({ id, title, user, assignee }) => ({
    issue: id,
    actor: user.id,
    audience: true,
    names: title === 'n5' ? ['boss'] : [],
    accounts: assignee ? [assignee.id] : [],
  }))
  assert.deepEqual(
    notices.map(({ payload }) => payload),
    shown,
  )
  // Each event counts the open issues as they were when its issue was the newest.
  let opened = 0
  const expected = byNumber.flatMap(({ number, state, assignee, labels }) => {
    if (state === 'open') opened++
    const actions = [
      'opened',
      ...(labels.length > 0 ? ['label_updated'] : []),
      ...(assignee ? ['assigned'] : []),
      ...(state === 'closed' ? ['closed'] : []),
    ]
    return actions.map((action) => [number, action, opened])
  })
  assert.deepEqual(
    (await events()).map(({ payload }) => [
      payload.number,
      payload.action,
      payload.repository.open_issues_count,
    ]),
    expected,
  )
})

test(`${CREATE} by many in several processes at once numbers them without a gap`, async () => {
  const repo = await make.repository(owner)
  const other = await serveApp(app.database)
  const params = at(repo)
  const requests = Array.from({ length: 30 }, (_, n) =>
    (n % 2 ? app : other).call(CREATE, { as: ada, params, body: { title: `n${n}` } }),
  )
  const answers = await Promise.all(requests)
  await other.close()
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.title]),
    answers.map((_, n) => [201, `n${n}`]),
  )
  assert.deepEqual(
    answers.map(({ body }) => body.number).toSorted((a, b) => a - b),
    Array.from({ length: 30 }, (_, n) => n + 1),
  )
})

test(`${EDIT} changes the members that it has; an equal second edit changes nothing`, async () => {
  const repo = await make.repository(owner)
  await open(repo, { title: 'Old', body: 'old' })
  clock.tick(5000)
  const first = await edit(repo, 1, { title: 'New' })
  assert.deepEqual(
    [first.status, first.body.title, first.body.body, first.body.state],
    [201, 'New', 'old', 'open'],
  )
  assert.ok(first.body.updated_at > first.body.created_at)
  clock.tick(5000)
  const same = await edit(repo, 1, { title: 'New', body: 'old', state: 'open' })
  assert.equal(same.body.updated_at, first.body.updated_at)
  const nothing = await edit(repo, 1, { title: '', body: null, assignees: null })
  assert.deepEqual(nothing.body, first.body)
  assert.equal((await edit(repo, 1, { body: '' })).body.body, '')
})

test(`${EDIT} closes and reopens, and the repository counts what is open`, async () => {
  const repo = await make.repository(owner)
  for (const title of ['a', 'b', 'c']) await open(repo, { title })
  const counted = async () =>
    (await call('GET /api/v1/repos/{owner}/{repo}', { as: ada, params: at(repo) })).body.open_issues_count
  clock.tick(1000)
  const closed = (await edit(repo, 2, { state: 'closed' })).body
  assert.deepEqual([closed.state, closed.closed_at], ['closed', closed.updated_at])
  assert.equal(await counted(), 2)
  clock.tick(1000)
  assert.equal((await edit(repo, 2, { state: 'closed', title: 'z' })).body.closed_at, closed.closed_at)
  assert.equal(await counted(), 2)
  const again = (await edit(repo, 2, { state: 'open' })).body
  assert.deepEqual([again.state, again.closed_at], ['open', null])
  assert.equal(await counted(), 3)
  await Promise.all(Array.from({ length: 10 }, () => edit(repo, 1, { state: 'closed' })))
  assert.equal(await counted(), 2)
})

test(`${EDIT} is for the author, and for who may write; assignees for the latter`, async () => {
  const repo = await make.repository(owner)
  await open(repo, { title: 'hers' })
  assert.equal((await edit(repo, 1, { title: 'mine' }, ada)).body.title, 'mine')
  assert.equal((await edit(repo, 1, { state: 'closed' }, ada)).body.state, 'closed')
  assert.deepEqual((await edit(repo, 1, { assignees: ['owner'] }, ada)).body.assignees, [])
  const sentence = 'only the author and those who may write to the issues can change this'
  holdRefusal(await edit(repo, 1, { title: 'x' }, eve), 403, sentence)
  await collaborator(repo, eve, 'read')
  holdRefusal(await edit(repo, 1, { title: 'x' }, eve), 403, sentence)
  await pool`update forge.repository_collaborator set permission = 'write' where repository_id = ${repo.id}`
  assert.equal((await edit(repo, 1, { assignees: ['eve'] }, eve)).body.assignee.login, 'eve')
  assert.equal((await edit(repo, 1, { title: 'boss' }, boss)).body.title, 'boss')
})

test(`${EDIT} replaces and removes assignees`, async () => {
  const repo = await make.repository(owner)
  await collaborator(repo, ada, 'write')
  await collaborator(repo, eve, 'admin')
  await open(repo, { title: 'x', assignees: ['ada'] }, owner)
  const logins = ({ body }: { body: { assignees: { login: string }[] } }) =>
    body.assignees.map(({ login }) => login)
  assert.deepEqual(logins(await edit(repo, 1, { assignees: ['eve', 'owner'] })), ['Owner', 'eve'])
  assert.deepEqual(logins(await edit(repo, 1, { assignee: 'ada' })), ['ada'])
  assert.deepEqual(logins(await edit(repo, 1, { title: 'y' })), ['ada'])
  assert.deepEqual(logins(await edit(repo, 1, { assignees: [] })), [])
  await edit(repo, 1, { assignee: 'ada' })
  assert.deepEqual(logins(await edit(repo, 1, { assignee: '' })), [])
  holdRefusal(await edit(repo, 1, { assignees: ['boss2'] }), 422, 'Assignee does not exist: [name: boss2]')
  for (const [body, message] of [
    [{ state: 'merged' }, '[State]: In'],
    [{ state: '' }, '[State]: In'],
    [{ title: 'x'.repeat(256) }, '[Title]: MaxSize'],
    [{ body: 'x'.repeat(65_537) }, '[Body]: MaxSize'],
  ] as const)
    holdRefusal(await edit(repo, 1, body), 422, message)
  for (const body of [{ state: 1 }, { title: {} }, [], '', '{'])
    assert.equal((await edit(repo, 1, body)).status, 422)
})

for (const literal of [SHOW, EDIT]) {
  test(`${literal} knows numbers of the repository only`, async () => {
    const repo = await make.repository(owner)
    const other = await make.repository(owner)
    await open(other, { title: 'there' })
    for (const index of ['0', '1', '-1', 'x', '1.0', '99999999999999999999', '00x', '１']) {
      const answered = await call(literal, {
        as: owner,
        params: at(repo, { index }),
        body: undefined,
        ...(literal === EDIT && { body: {} }),
      })
      holdRefusal(answered, 404, 'not found')
    }
  })
}

test(`${LIST} shows open issues, newest first, in pages`, async () => {
  const repo = await make.repository(owner)
  for (let n = 1; n <= 5; n++) await open(repo, { title: `n${n}` })
  await edit(repo, 3, { state: 'closed' })
  assert.deepEqual(await numbers(repo), [5, 4, 2, 1])
  assert.deepEqual(await numbers(repo, { state: 'open' }), [5, 4, 2, 1])
  assert.deepEqual(await numbers(repo, { state: 'closed' }), [3])
  assert.deepEqual(await numbers(repo, { state: 'all' }), [5, 4, 3, 2, 1])
  assert.deepEqual(await numbers(repo, { state: 'CLOSED' }), [3])
  assert.deepEqual(await numbers(repo, { type: 'issues' }), [5, 4, 2, 1])
  assert.deepEqual(await numbers(repo, { type: 'pulls' }), [])
  const { headers, body } = await list(repo, { limit: 2, page: 2 })
  assert.deepEqual([body.length, headers.get('x-total-count')], [2, '4'])
  assert.match(headers.get('link') ?? '', /rel="prev"/)
  const beyond = await list(repo, { limit: 2, page: 9 })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '4'])
})

test(`${LIST} is narrowed by title, labels, people and times`, async () => {
  const repo = await make.repository(owner)
  await collaborator(repo, eve, 'write')
  const [bug, big] = [await label(repo, 'bug'), await label(repo, 'big')]
  await open(repo, { title: 'The pump leaks', labels: [bug, big] }, owner)
  clock.tick(60_000)
  await open(repo, { title: 'The PUMP sings' }, ada)
  clock.tick(60_000)
  await open(repo, { title: '100% done_', labels: [bug], assignees: ['eve'] }, owner)
  const third = (await look(repo, 3)).body.created_at
  const second = (await look(repo, 2)).body.created_at
  const cases: [Record<string, string>, number[]][] = [
    [{ q: 'pump' }, [2, 1]],
    [{ q: "pump' or true --" }, []],
    [{ labels: 'bug' }, [3, 1]],
    [{ labels: 'bug,big' }, [1]],
    [{ labels: 'bug,none' }, []],
    [{ labels: ',' }, [3, 2, 1]],
    [{ created_by: 'ADA' }, [2]],
    [{ assigned_by: 'eve' }, [3]],
    [{ since: second }, [3, 2]],
    [{ before: second }, [2, 1]],
    [{ since: second, before: second }, [2]],
    [{ since: third, created_by: 'ada' }, []],
    [{ q: '\0' }, []],
  ]
  for (const [query, found] of cases)
    assert.deepEqual(await numbers(repo, query), found, JSON.stringify(query))
  for (const name of ['since', 'before'])
    holdRefusal(
      await list(repo, { [name]: 'yesterday' }),
      422,
      `${name} is no date-time of RFC 3339: yesterday`,
    )
})

const all = [
  [LIST, {}],
  [CREATE, { title: 'x' }],
  [SHOW, {}],
  [EDIT, { title: 'x' }],
] as const

for (const [literal, body] of all) {
  const writes = !literal.startsWith('GET')
  const ask = (repo: Repo, as?: { authorization: string }) =>
    call(literal, { params: at(repo, { index: 1 }), ...(as && { as }), ...(writes && { body }) })

  test(`${literal} is for those who may read the repository, with a token for issues`, async () => {
    const repo = await make.repository(owner)
    await open(repo, { title: 'x' })
    const secret = await make.repository(owner, { is_private: true })
    await open(secret, { title: 'x' }, owner)
    const anonymous = await ask(repo)
    assert.equal(anonymous.status, writes ? 401 : 200)
    assert.equal((await ask(secret)).status, 404)
    holdRefusal(await ask(secret, eve), 404, 'not found')
    const level = writes ? 'write' : 'read'
    const poor = await ask(repo, bearer(await make.token(ada, 'write:repository', 'write:notification')))
    assert.equal(poor.status, 403)
    assert.match(poor.body.message, new RegExp(`required=\\[${level}:issue\\]`))
    const enough = await ask(repo, bearer(await make.token(ada, `${level}:issue`)))
    assert.ok(enough.status < 300, `${enough.status}`)
    const open_ = bearer(await make.token(owner, 'public-only', 'write:issue'))
    assert.ok((await ask(repo, open_)).status < 300)
    holdRefusal(await ask(secret, open_), 403, 'token scope is limited to public repos')
  })

  test(`${literal} answers 404 where issues are switched off${writes ? ', and 423 where all is archived' : ''}`, async () => {
    const repo = await make.repository(owner)
    await open(repo, { title: 'x' }, owner)
    const change = (wish: object) =>
      call('PATCH /api/v1/repos/{owner}/{repo}', { as: owner, params: at(repo), body: wish })
    await change({ archived: true })
    const archived = await ask(repo, owner)
    if (writes) holdRefusal(archived, 423, `Owner/${repo.name} is archived`)
    else assert.equal(archived.status, 200)
    await change({ archived: false, has_issues: false, has_pull_requests: false })
    holdRefusal(await ask(repo, owner), 404, 'not found')
  })

  test(`${literal} counts what a team may do with issues, whatever it may do with code`, async () => {
    const organization = await make.organization(owner)
    const repo = await make.repository(organization, { is_private: true })
    const [triage, coder] = [await make.person(), await make.person()]
    await make.team(organization, [triage], {
      units: { 'repo.issues': 'write' },
      includes_all_repositories: true,
    })
    await make.team(organization, [coder], {
      units: { 'repo.code': 'write' },
      includes_all_repositories: true,
    })
    const params = { owner: organization.name, repo: repo.name, index: 1 }
    await call(CREATE, { as: owner, params, body: { title: 'x' } })
    const by = (as: Somebody) => call(literal, { as, params, ...(writes && { body }) })
    assert.ok((await by(triage)).status < 300)
    assert.equal((await by(coder)).status, 404)
  })
}

test(`${CREATE} and ${EDIT} send webhook events with the resulting issue`, async () => {
  const repo = await make.repository(owner)
  const bug = await label(repo, 'bug')
  await events()
  await open(repo, { title: 'Old', body: 'was', labels: [bug], assignees: ['owner'] }, owner)
  const opened = await events()
  assert.deepEqual(
    opened.map(({ kind, payload }) => [kind, payload.action]),
    [
      ['issues', 'opened'],
      ['issue_label', 'label_updated'],
      ['issue_assign', 'assigned'],
    ],
  )
  const [first] = opened
  assert.ok(first)
  const { issue, repository, sender } = first.payload
  assert.deepEqual(Object.keys(first.payload), [
    'action',
    'number',
    'issue',
    'repository',
    'sender',
    'commit_id',
  ])
  assert.deepEqual(
    [issue.title, issue.user.login, repository.full_name, repository.open_issues_count, sender.login],
    ['Old', 'Owner', `Owner/${repo.name}`, 1, 'Owner'],
  )
  assert.doesNotMatch(issue.user.email, /@example\.com$/, 'addresses are not for receivers')
  await edit(repo, 1, { title: 'New', body: 'is', state: 'closed', assignees: [] })
  const edited = await events()
  assert.deepEqual(
    edited.map(({ kind, payload }) => [kind, payload.action]),
    [
      ['issues', 'edited'],
      ['issues', 'closed'],
      ['issue_assign', 'unassigned'],
    ],
  )
  assert.deepEqual(edited[0]?.payload.changes, { title: { from: 'Old' }, body: { from: 'was' } })
  await edit(repo, 1, { title: 'New' })
  assert.deepEqual(await events(), [], 'what changes nothing is no news')
})

const ASSIGNEES = 'GET /api/v1/repos/{owner}/{repo}/assignees'

test(`${ASSIGNEES} shows who can be assigned, by name`, async () => {
  const organization = await make.organization(owner)
  const repo = await make.repository(organization, { is_private: true })
  const [zoe, max, idle] = [await make.person({ name: 'Zoe' }), await make.person(), await make.person()]
  const units = { 'repo.issues': 'write', 'repo.code': 'read' } as const
  await make.team(organization, [zoe, idle], { permission: 'write', units, includes_all_repositories: true })
  await make.team(organization, [max], {
    permission: 'read',
    units: { 'repo.issues': 'read' },
    includes_all_repositories: true,
  })
  await collaborator(repo, ada, 'write')
  await collaborator(repo, eve, 'read')
  await pool`update forge.account set is_active = false where id = ${idle.id}`
  const params = { owner: organization.name, repo: repo.name }
  const { status, body, headers } = await call(ASSIGNEES, { as: owner, params })
  const logins = body.map(({ login }: { login: string }) => login)
  assert.deepEqual([status, logins, headers.get('x-total-count')], [200, ['ada', 'Owner', 'Zoe'], '3'])
  const beyond = await call(ASSIGNEES, { as: owner, params, query: { page: 9 } })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '3'])
  assert.equal((await call(ASSIGNEES, { as: boss, params })).status, 200)
  const stranger = await make.person()
  holdRefusal(await call(ASSIGNEES, { as: stranger, params }), 404, 'not found')
  for (const login of logins) {
    const made = await call(CREATE, { as: owner, params, body: { title: 'x', assignees: [login] } })
    assert.equal(made.body.assignee.login, login)
  }
})

test('issues and comments of a deleted account stay, with the ghost as author', async () => {
  const repo = await make.repository(owner)
  const short = await make.person()
  await collaborator(repo, short, 'write')
  await open(repo, { title: 'mine', assignees: [short.name] }, short)
  const gone = await call('DELETE /api/v1/admin/users/{username}', {
    as: boss,
    params: { username: short.name },
  })
  assert.equal(gone.status, 204)
  const { body } = await look(repo, 1)
  assert.deepEqual([body.user.id, body.user.login, body.assignees], [-1, 'Ghost', []])
  assert.equal((await edit(repo, 1, { title: 'theirs' })).body.title, 'theirs')
})

test('issues go with their repository', async () => {
  const repo = await make.repository(owner)
  await open(repo, { title: 'x' })
  await call('DELETE /api/v1/repos/{owner}/{repo}', { as: owner, params: at(repo) })
  assert.equal((await pool`select id from forge.issue where repository_id = ${repo.id}`).length, 0)
})

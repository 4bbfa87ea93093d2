import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { bearer, type Somebody } from '../../support/forge/make.ts'
import { holdRefusal } from '../../support/forge/refusals.ts'
import { openRaw, parseReplies } from '../../support/raw.ts'

const { call, pool, clock, url, make } = await startApp()
const boss = await make.admin({ name: 'boss' })
const owner = await make.person({ name: 'Owner' })
const repo = await make.repository(owner, { name: 'Engine' })

const LIST = 'GET /api/v1/notifications'
const MARK = 'PUT /api/v1/notifications'
const NEW = 'GET /api/v1/notifications/new'
const SHOW = 'GET /api/v1/notifications/threads/{id}'
const MARK_ONE = 'PATCH /api/v1/notifications/threads/{id}'
const LIST_REPO = 'GET /api/v1/repos/{owner}/{repo}/notifications'
const MARK_REPO = 'PUT /api/v1/repos/{owner}/{repo}/notifications'

interface Draft {
  repository?: number
  source?: 'issue' | 'pull' | 'commit' | 'repository'
  status?: 'unread' | 'read' | 'pinned'
  /** Seconds after the clock. */
  at?: number
  title?: string
}

/** A thread of an account, about an issue of its own where it is about one. */
async function thread(account: { id: number }, draft: Draft = {}): Promise<number> {
  const { repository = repo.id, source = 'issue', status = 'unread', at = 0, title = 'It leaks' } = draft
  const moment = new Date(clock.now().getTime() + at * 1000)
  const [issue] =
    source === 'issue' || source === 'pull'
      ? await pool<{ id: number }[]>`
          insert into forge.issue (repository_id, poster_id, title, created_at, updated_at)
          values (${repository}, ${owner.id}, ${title}, ${moment}, ${moment})
          returning id`
      : []
  const commit = source === 'commit' ? 'c0ffee' : null
  const [{ id }] = await pool<[{ id: number }]>`
    insert into forge.notification (account_id, repository_id, source, issue_id, commit_id, status, updated_at)
    values (${account.id}, ${repository}, ${source}, ${issue?.id ?? null}, ${commit}, ${status}, ${moment})
    returning id`
  return id
}

/** One thread in each status, the oldest first; the seconds between them are ten. */
async function oneOfEach(account: Somebody) {
  const unread = await thread(account, { status: 'unread', at: 0 })
  const read = await thread(account, { status: 'read', at: 10 })
  const pinned = await thread(account, { status: 'pinned', at: 20 })
  return { unread, read, pinned }
}

type Query = Record<string, string | number | readonly string[]>
const list = (as: Somebody, query: Query = {}) => call(LIST, { as, query })
const mark = (as: Somebody, query: Query = {}) => call(MARK, { as, query })
const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)
const idsListed = async (as: Somebody, query: Query = {}) => idsOf((await list(as, query)).body)
const statusesOf = async (as: Somebody) =>
  Object.fromEntries(
    (
      await pool<{ id: number; status: string }[]>`
        select id, status from forge.notification where account_id = ${as.id}`
    ).map(({ id, status }) => [id, status]),
  )
const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()

test(`${LIST} shows a thread with its repository and its subject`, async () => {
  const ada = await make.person()
  const id = await thread(ada, { title: 'It <leaks>' })
  const { status, body, headers } = await list(ada)
  assert.equal(status, 200)
  assert.equal(headers.get('x-total-count'), '1')
  const [shown] = body
  const { repository, subject, ...rest } = shown
  const [{ number }] = await pool<[{ number: number }]>`
    select number from forge.issue join forge.notification on issue_id = issue.id where notification.id = ${id}`
  assert.deepEqual(rest, {
    id,
    unread: true,
    pinned: false,
    updated_at: `${clock.now().toISOString().slice(0, 19)}Z`,
    url: `https://forgehall.example/api/v1/notifications/threads/${id}`,
  })
  assert.equal(repository.full_name, 'Owner/Engine')
  assert.equal('permissions' in repository, false)
  assert.deepEqual(subject, {
    title: 'It <leaks>',
    url: `https://forgehall.example/api/v1/repos/Owner/Engine/issues/${number}`,
    latest_comment_url: '',
    html_url: `https://forgehall.example/Owner/Engine/issues/${number}`,
    latest_comment_html_url: '',
    type: 'Issue',
    state: 'open',
  })
})

test(`${LIST} names the newest comment of an issue, and whether that is closed`, async () => {
  const ada = await make.person()
  const id = await thread(ada)
  const [{ issue, number }] = await pool<[{ issue: number; number: number }]>`
    select issue.id as issue, number from forge.issue join forge.notification on issue_id = issue.id
    where notification.id = ${id}`
  const now = clock.now()
  for (const body of ['one', 'two']) {
    await pool`
      insert into forge.issue_comment (issue_id, poster_id, body, created_at, updated_at)
      values (${issue}, ${owner.id}, ${body}, ${now}, ${now})`
  }
  await pool`update forge.issue set closed_at = ${now} where id = ${issue}`
  const [{ last }] = await pool<[{ last: number }]>`select max(id) as last from forge.issue_comment`
  const { subject } = (await list(ada)).body[0]
  const place = 'https://forgehall.example/'
  assert.equal(subject.latest_comment_url, `${place}api/v1/repos/Owner/Engine/issues/comments/${last}`)
  assert.equal(subject.latest_comment_html_url, `${place}Owner/Engine/issues/${number}#issuecomment-${last}`)
  assert.equal(subject.state, 'closed')
})

test(`${LIST} shows pulls under their issue, commits and repositories without a state`, async () => {
  const ada = await make.person()
  await thread(ada, { source: 'pull', at: 0 })
  await thread(ada, { source: 'commit', at: 1 })
  await thread(ada, { source: 'repository', at: 2 })
  const [repository, commit, pull] = (await list(ada)).body.map(({ subject }: { subject: object }) => subject)
  const place = 'https://forgehall.example/Owner/Engine'
  const none = { latest_comment_url: '', latest_comment_html_url: '', state: '' }
  assert.deepEqual(repository, {
    ...none,
    title: 'Owner/Engine',
    url: '/Owner/Engine',
    html_url: place,
    type: 'Repository',
  })
  const page = `${place}/commit/c0ffee`
  assert.deepEqual(commit, { ...none, title: 'c0ffee', url: page, html_url: page, type: 'Commit' })
  assert.equal(pull.type, 'Pull')
  assert.match(pull.url, /\/api\/v1\/repos\/Owner\/Engine\/issues\/\d+$/)
  assert.match(pull.html_url, /\/Owner\/Engine\/pulls\/\d+$/)
})

test(`${LIST} leaves out read threads, unless they are requested; the last changed is first`, async () => {
  const ada = await make.person()
  const { unread, read, pinned } = await oneOfEach(ada)
  assert.deepEqual(await idsListed(ada), [pinned, unread])
  const everything = [pinned, read, unread]
  const cases: [Query, number[]][] = [
    [{ all: 'true' }, everything],
    [{ all: 'on' }, everything],
    [{ all: '1', 'status-types': 'read' }, everything],
    [{ all: 'false' }, [pinned, unread]],
    [{ all: 'yes' }, [pinned, unread]],
    [{ 'status-types': 'unread' }, [unread]],
    [{ 'status-types': 'read' }, [read]],
    [{ 'status-types': 'pinned' }, [pinned]],
    [{ 'status-types': ['unread', 'read'] }, [read, unread]],
    [{ 'status-types': ['pinned', 'read'] }, [pinned, read]],
    [{ 'status-types': ['unread', 'pinned', 'read'] }, everything],
    [{ 'status-types': ' UNREAD ' }, [unread]],
    [{ 'status-types': ['', 'Read'] }, [read]],
    [{ 'status-types': 'unread,read' }, [read, unread]],
    [{ 'status-types': '' }, [pinned, unread]],
    [{ 'status-type': 'read' }, [pinned, unread]],
  ]
  for (const [query, ids] of cases) assert.deepEqual(await idsListed(ada, query), ids, JSON.stringify(query))
})

test(`${LIST} is narrowed by the kind of subject`, async () => {
  const ada = await make.person()
  const issue = await thread(ada, { source: 'issue', at: 0 })
  const pull = await thread(ada, { source: 'pull', at: 1 })
  const commit = await thread(ada, { source: 'commit', at: 2 })
  const repository = await thread(ada, { source: 'repository', at: 3 })
  const cases: [string | string[], number[]][] = [
    ['issue', [issue]],
    ['Pull', [pull]],
    ['COMMIT', [commit]],
    ['repository', [repository]],
    [
      ['issue', 'pull'],
      [pull, issue],
    ],
    ['', [repository, commit, pull, issue]],
  ]
  for (const [types, ids] of cases) assert.deepEqual(await idsListed(ada, { 'subject-type': types }), ids)
})

test(`${LIST} includes both ends of since and before, in whole seconds`, async () => {
  const ada = await make.person()
  const first = await thread(ada, { at: 0.5 })
  const second = await thread(ada, { at: 10.9 })
  const third = await thread(ada, { at: 20 })
  const start = Math.floor(clock.now().getTime() / 1000) * 1000
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString().replace('.000Z', 'Z')
  const base = Math.floor((clock.now().getTime() + 500) / 1000) - start / 1000
  const middle = Math.floor((clock.now().getTime() + 10_900) / 1000) - start / 1000
  assert.deepEqual(await idsListed(ada, { since: at(middle) }), [third, second])
  assert.deepEqual(await idsListed(ada, { since: at(middle + 1) }), [third])
  assert.deepEqual(await idsListed(ada, { before: at(middle) }), [second, first])
  assert.deepEqual(await idsListed(ada, { before: at(middle - 1) }), [first])
  assert.deepEqual(await idsListed(ada, { since: at(base), before: at(middle) }), [second, first])
  assert.deepEqual(await idsListed(ada, { since: at(middle), before: at(base) }), [])
  assert.deepEqual(await idsListed(ada, { since: '0001-01-01T00:00:00Z' }), [third, second, first])
  const shifted = at(middle).replace('Z', '+00:00')
  assert.deepEqual(await idsListed(ada, { since: shifted }), [third, second])
})

test(`${LIST} and ${MARK} accept the last second of the year 9999`, async () => {
  const ada = await make.person()
  const one = await thread(ada)
  for (const last of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59-23:59']) {
    assert.deepEqual(await idsListed(ada, { before: last }), [one], last)
    assert.equal((await mark(ada, { last_read_at: last, 'to-status': 'unread' })).status, 205, last)
  }
})

const brokenDates = [
  'yesterday',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00 02:00',
  '2026-02-30T00:00:00Z',
  '1767225600',
  '2026-01-01t00:00:00z',
  "2026'; drop table forge.notification; --",
  '\0',
]

test(`${LIST} refuses a text that is not a date with 422`, async () => {
  const ada = await make.person()
  for (const text of brokenDates) {
    assert.equal((await list(ada, { since: text })).status, 422, text)
    assert.equal((await list(ada, { before: text })).status, 422, text)
  }
  const both = await list(ada, { since: 'never', before: 'ever' })
  holdRefusal(both, 422, 'before is no date-time of RFC 3339: ever')
})

test(`${LIST} has pages, a total under the same filter and Link`, async () => {
  const ada = await make.person()
  for (let at = 0; at < 5; at++) await thread(ada, { at, status: at === 4 ? 'read' : 'unread' })
  const { body, headers } = await list(ada, { limit: 3, 'status-types': 'unread' })
  assert.deepEqual([body.length, headers.get('x-total-count')], [3, '4'])
  assert.match(headers.get('link') ?? '', /page=2&status-types=unread>; rel="next"/)
  const second = await list(ada, { limit: 3, page: 2, 'status-types': 'unread' })
  assert.deepEqual([second.body.length, second.headers.get('x-total-count')], [1, '4'])
  const beyond = await list(ada, { limit: 3, page: 9, 'status-types': 'unread' })
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '4'])
  assert.deepEqual((await list(await make.person())).body, [])
})

test(`${LIST} shows no threads of others, and under sudo those of the impersonated user`, async () => {
  const [ada, eve] = [await make.person(), await make.person()]
  const hers = await thread(ada)
  assert.deepEqual(await idsListed(eve), [])
  assert.deepEqual(idsOf((await call(LIST, { as: boss, headers: { sudo: ada.name } })).body), [hers])
})

test(`${LIST} still lists threads about repositories that the caller may no longer read, without their names`, async () => {
  const [ada, eve] = [await make.person(), await make.person()]
  const secret = await make.repository(eve, { is_private: true })
  const id = await thread(ada, { repository: secret.id })
  const [shown] = (await list(ada)).body
  assert.deepEqual([shown.id, shown.repository, shown.subject], [id, null, null])
  const one = await call(SHOW, { as: ada, params: { id } })
  assert.deepEqual([one.status, one.body.repository, one.body.subject], [200, null, null])
  await pool`
    insert into forge.repository_collaborator (repository_id, account_id, permission)
    values (${secret.id}, ${ada.id}, 'read')`
  assert.equal((await list(ada)).body[0].repository.id, secret.id)
})

test(`${LIST}, ${SHOW} and ${MARK} do not show an issue when the caller may no longer read the issues of its repository`, async () => {
  const organization = await make.organization(owner)
  const [ada, eve] = [await make.person(), await make.person()]
  const secret = await make.repository(organization, { is_private: true })
  const team = await make.team(organization, [ada, eve], { includes_all_repositories: true })
  const hers = await thread(ada, { repository: secret.id })
  const others = await thread(eve, { repository: secret.id })
  const subjects = async (as: Somebody) => {
    const id = as === ada ? hers : others
    const marked = await mark(as, { 'to-status': 'unread', all: 'true' })
    const bodies = [(await list(as)).body[0], (await call(SHOW, { as, params: { id } })).body, marked.body[0]]
    assert.deepEqual(
      bodies.map(({ repository }) => repository.id),
      [secret.id, secret.id, secret.id],
    )
    return bodies.map(({ subject }) => subject?.title)
  }
  const [shown, hidden] = [
    ['It leaks', 'It leaks', 'It leaks'],
    [undefined, undefined, undefined],
  ]
  assert.deepEqual(await subjects(ada), shown)
  const units = async (map: Record<string, string>) => {
    await pool`update forge.team set units = ${JSON.stringify(map)}::text::jsonb where id = ${team.id}`
  }
  await units({ 'repo.code': 'read' })
  assert.deepEqual(await subjects(ada), hidden)
  await units({ 'repo.code': 'read', 'repo.issues': 'read' })
  assert.deepEqual(await subjects(eve), shown)
  await pool`update forge.repository set settings = '{"has_issues": false}' where id = ${secret.id}`
  assert.deepEqual(await subjects(eve), hidden)
})

test('threads show a repository to the same callers as the repository itself', async () => {
  const organization = await make.organization(owner, { visibility: 'private' })
  const [inside, outside] = [await make.person(), await make.person()]
  const restricted = await make.person({ is_restricted: true })
  await make.team(organization, [inside], {
    units: { 'repo.issues': 'read' },
    includes_all_repositories: true,
  })
  const open = await make.repository(organization)
  const closed = await make.repository(organization, { is_private: true })
  const limited = await make.repository(await make.person({ visibility: 'limited' }))
  const seen = async (as: Somebody, repository: number) => {
    await thread(as, { repository })
    return (await list(as, { limit: 1 })).body[0].repository !== null
  }
  const table: [Somebody, { id: number }, boolean][] = [
    [inside, open, true],
    [inside, closed, true],
    [outside, open, false],
    [outside, closed, false],
    [outside, limited, true],
    [restricted, limited, false],
    [owner, closed, true],
    [boss, closed, true],
  ]
  for (const [who, where, expected] of table) {
    clock.tick(1000)
    assert.equal(await seen(who, where.id), expected, `${who.name} ${where.id}`)
  }
})

test(`${NEW} counts unread threads only`, async () => {
  const ada = await make.person()
  assert.deepEqual((await call(NEW, { as: ada })).body, { new: 0 })
  await oneOfEach(ada)
  await thread(ada)
  const { status, body } = await call(NEW, { as: ada })
  assert.deepEqual([status, body], [200, { new: 2 }])
})

test(`${SHOW} shows a thread and leaves it unread`, async () => {
  const ada = await make.person()
  const id = await thread(ada)
  const { status, body } = await call(SHOW, { as: ada, params: { id } })
  assert.deepEqual([status, body.id, body.unread], [200, id, true])
  assert.deepEqual(await statusesOf(ada), { [id]: 'unread' })
  assert.equal((await call(SHOW, { as: boss, params: { id } })).status, 200)
})

for (const literal of [SHOW, MARK_ONE]) {
  test(`${literal} is refused with 403 to others, and 404 where there is no thread`, async () => {
    const [ada, eve] = [await make.person(), await make.person()]
    const id = await thread(ada)
    const sentence = `only user itself and admin are allowed to read/change this thread ${id}`
    holdRefusal(await call(literal, { as: eve, params: { id } }), 403, sentence)
    const unknown = await call(literal, { as: ada, params: { id: 987654321 } })
    holdRefusal(unknown, 404, 'notification does not exist [id: 987654321]')
    for (const none of ['0', 'x', '-1', '1.5', '99999999999999999999', '1;drop', '%00', '０']) {
      const answered = await call(literal, { as: ada, params: { id: none } })
      holdRefusal(answered, 404, 'notification does not exist')
    }
    assert.deepEqual(await statusesOf(ada), { [id]: 'unread' })
  })
}

test(`${MARK_ONE} is not for administrators either`, async () => {
  const ada = await make.person()
  const id = await thread(ada)
  assert.equal((await call(MARK_ONE, { as: boss, params: { id } })).status, 403)
  assert.deepEqual(await statusesOf(ada), { [id]: 'unread' })
})

test(`${MARK_ONE} moves a thread from any state to any other and answers 205 with it`, async () => {
  const ada = await make.person()
  const names: [string | undefined, string][] = [
    ['read', 'read'],
    ['unread', 'unread'],
    ['pinned', 'pinned'],
    [' PINNED ', 'pinned'],
    [undefined, 'read'],
    ['', 'read'],
  ]
  for (const status of ['unread', 'read', 'pinned'] as const) {
    for (const [word, expected] of names) {
      const id = await thread(ada, { status })
      clock.tick(5000)
      const query: Query = word === undefined ? {} : { 'to-status': word }
      const answered = await call(MARK_ONE, { as: ada, params: { id }, query })
      assert.equal(answered.status, 205)
      const { unread, pinned, updated_at } = answered.body
      assert.deepEqual([unread, pinned], [expected === 'unread', expected === 'pinned'])
      assert.equal(updated_at, `${clock.now().toISOString().slice(0, 19)}Z`, 'it counts as changed now')
      assert.equal((await statusesOf(ada))[id], expected)
    }
  }
})

test(`${MARK} marks unread threads as read and answers 205 with them, the last changed first`, async () => {
  const [ada, eve] = [await make.person(), await make.person()]
  const { unread, read, pinned } = await oneOfEach(ada)
  const newer = await thread(ada, { at: 30 })
  const hers = await thread(eve)
  clock.tick(60_000)
  const { status, body, headers } = await mark(ada)
  assert.equal(status, 205)
  assert.deepEqual(idsOf(body), [newer, unread])
  assert.deepEqual([headers.get('link'), headers.get('x-total-count')], [null, null])
  assert.ok(Number(headers.get('content-length')) > 2)
  for (const each of body) {
    assert.deepEqual([each.unread, each.pinned], [false, false])
    assert.equal(each.updated_at, `${clock.now().toISOString().slice(0, 19)}Z`)
  }
  assert.deepEqual(await statusesOf(ada), {
    [unread]: 'read',
    [read]: 'read',
    [pinned]: 'pinned',
    [newer]: 'read',
  })
  assert.deepEqual(await statusesOf(eve), { [hers]: 'unread' })
  const again = await mark(ada)
  assert.deepEqual([again.status, again.body], [205, []])
})

test(`${MARK} changes the requested states to the requested one`, async () => {
  const all = ['unread', 'read', 'pinned'] as const
  const cases: [Query, readonly (typeof all)[number][], string][] = [
    [{}, ['unread'], 'read'],
    [{ 'status-types': 'read', 'to-status': 'unread' }, ['read'], 'unread'],
    [{ 'status-types': ['read', 'pinned'], 'to-status': 'unread' }, ['read', 'pinned'], 'unread'],
    [{ 'status-types': 'pinned' }, ['pinned'], 'read'],
    [{ 'status-types': ['unread', 'pinned'], 'to-status': 'pinned' }, ['unread', 'pinned'], 'pinned'],
    [{ 'status-types': 'unread', 'to-status': 'Pinned' }, ['unread'], 'pinned'],
    [{ all: 'true' }, all, 'read'],
    [{ all: 'true', 'status-types': 'read', 'to-status': 'pinned' }, all, 'pinned'],
    [{ all: 'false', 'to-status': 'unread' }, ['unread'], 'unread'],
    [{ 'status-types': 'read', 'status-type': 'pinned', 'to-status': 'unread' }, ['read'], 'unread'],
  ]
  for (const [query, states, target] of cases) {
    const ada = await make.person()
    const ids = await oneOfEach(ada)
    const { status, body } = await mark(ada, query)
    const chosen = all.filter((each) => states.includes(each)).map((each) => ids[each])
    assert.equal(status, 205)
    assert.deepEqual(
      idsOf(body).toSorted((a, b) => a - b),
      chosen.toSorted((a, b) => a - b),
      JSON.stringify(query),
    )
    const expected = Object.fromEntries(all.map((each) => [ids[each], states.includes(each) ? target : each]))
    assert.deepEqual(await statusesOf(ada), expected, JSON.stringify(query))
  }
})

test(`${MARK} moves marked threads to the top of the list, also where the state stays the same`, async () => {
  const ada = await make.person()
  const { unread, read, pinned } = await oneOfEach(ada)
  clock.tick(60_000)
  await mark(ada, { 'status-types': 'read', 'to-status': 'unread' })
  assert.deepEqual(await idsListed(ada), [read, pinned, unread])
  clock.tick(60_000)
  await mark(ada, { 'status-types': 'pinned', 'to-status': 'pinned' })
  assert.deepEqual(await idsListed(ada), [pinned, read, unread])
})

test(`${MARK} leaves threads unchanged that changed after last_read_at`, async () => {
  const ada = await make.person()
  const old = await thread(ada, { at: 0 })
  const same = await thread(ada, { at: 10 })
  const late = await thread(ada, { at: 20 })
  const answered = await mark(ada, { last_read_at: after(10) })
  assert.deepEqual(idsOf(answered.body), [same, old])
  assert.deepEqual(await statusesOf(ada), { [old]: 'read', [same]: 'read', [late]: 'unread' })
  // The zero time is no bound.
  assert.deepEqual(idsOf((await mark(ada, { last_read_at: '0001-01-01T00:00:00Z' })).body), [late])
})

test(`${MARK} takes a whole second of last_read_at as that second, and a fraction exactly`, async () => {
  const ada = await make.person()
  const second = Math.floor(clock.now().getTime() / 1000) * 1000
  const within = (milliseconds: number) => (second + milliseconds - clock.now().getTime()) / 1000
  const moment = (milliseconds: number) => new Date(second + milliseconds).toISOString()
  const early = await thread(ada, { at: within(300) })
  const late = await thread(ada, { at: within(301) })
  assert.deepEqual(idsOf((await mark(ada, { last_read_at: moment(299) })).body), [])
  assert.deepEqual(idsOf((await mark(ada, { last_read_at: moment(300) })).body), [early])
  assert.deepEqual(await statusesOf(ada), { [early]: 'read', [late]: 'unread' })
  assert.deepEqual(idsOf((await mark(ada, { last_read_at: moment(0) })).body), [late])
})

test(`${MARK} refuses a last_read_at that is not a date with 400 and changes nothing`, async () => {
  const ada = await make.person()
  const id = await thread(ada)
  for (const text of brokenDates) assert.equal((await mark(ada, { last_read_at: text })).status, 400, text)
  assert.deepEqual(await statusesOf(ada), { [id]: 'unread' })
})

test(`${MARK} needs neither a body nor a content type`, async () => {
  const ada = await make.person()
  await thread(ada)
  const empty = await call(MARK, { as: ada, headers: { 'content-type': 'application/json' } })
  assert.deepEqual([empty.status, empty.body.length], [205, 1])
})

test(`${MARK} of 10,000 threads changes them all in one statement`, async () => {
  const ada = await make.person()
  await pool`
    insert into forge.notification (account_id, repository_id, source, updated_at)
    select ${ada.id}, ${repo.id}, 'repository', ${clock.now()} from generate_series(1, 10000)`
  const { status, body } = await mark(ada)
  assert.deepEqual([status, body.length], [205, 10_000])
  assert.deepEqual((await call(NEW, { as: ada })).body, { new: 0 })
})

test(`${MARK} and activity at the same time end in one state or the other, and in no error`, async () => {
  const ada = await make.person()
  for (let at = 0; at < 20; at++) await thread(ada, { at })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => mark(ada, { all: 'true', 'to-status': n % 2 ? 'read' : 'pinned' })),
  )
  for (const { status, body } of answers) assert.deepEqual([status, body.length], [205, 20])
  assert.equal(new Set(Object.values(await statusesOf(ada))).size, 1)
})

test('a 205 names the length of its body', async () => {
  const ada = await make.person()
  const id = await thread(ada)
  const raw = await openRaw(url)
  const head = [
    `PATCH /api/v1/notifications/threads/${id}?to-status=pinned HTTP/1.1`,
    'host: x',
    `authorization: ${ada.authorization}`,
    'connection: close',
  ]
  raw.write(`${head.join('\r\n')}\r\n\r\n`)
  const [reply] = parseReplies(await raw.closed)
  assert.equal(reply?.status, 205)
  assert.equal(reply?.headers['content-length'], String(Buffer.byteLength(reply?.body ?? '')))
  assert.equal(reply?.headers['transfer-encoding'], undefined)
  assert.equal(JSON.parse(reply?.body ?? '').pinned, true)
})

const own = [
  [LIST, {}],
  [MARK, {}],
  [NEW, {}],
  [SHOW, { id: 1 }],
  [MARK_ONE, { id: 1 }],
  [LIST_REPO, { owner: 'owner', repo: 'engine' }],
  [MARK_REPO, { owner: 'owner', repo: 'engine' }],
] as const

for (const [literal, params] of own) {
  test(`${literal} requires a signed-in user, and a token for notifications that is not limited to public data`, async () => {
    const ada = await make.person()
    holdRefusal(await call(literal, { params }), 401, 'token is required')
    const level = literal.startsWith('GET') ? 'read' : 'write'
    const others = ['read:user', 'write:issue', 'write:repository', 'write:misc']
    if (level === 'write') others.push('read:notification')
    const refused = await call(literal, { params, as: bearer(await make.token(ada, ...others)) })
    assert.equal(refused.status, 403)
    assert.match(refused.body.message, new RegExp(`required=\\[${level}:notification\\]`))
    const open = await make.token(ada, 'public-only', 'write:notification')
    const closed = await call(literal, { params, as: bearer(open) })
    holdRefusal(closed, 403, 'this endpoint is not available for public-only tokens')
    const wrong = await call(literal, { params, as: bearer('0'.repeat(40)) })
    assert.equal(wrong.status, 401)
    const enough = await call(literal, {
      params,
      as: bearer(await make.token(ada, `${level}:notification`)),
    })
    assert.ok([200, 205, 403, 404].includes(enough.status))
    if (enough.status === 403) assert.match(enough.body.message, /^only user itself/)
  })
}

test(`${LIST_REPO} and ${MARK_REPO} are about one repository`, async () => {
  const ada = await make.person()
  const other = await make.repository(owner)
  const here = await oneOfEach(ada)
  const there = await thread(ada, { repository: other.id, at: 40 })
  const params = { owner: 'owner', repo: 'ENGINE' }
  const shown = await call(LIST_REPO, { as: ada, params })
  assert.deepEqual(idsOf(shown.body), [here.pinned, here.unread])
  assert.equal(shown.headers.get('x-total-count'), '2')
  assert.equal((await call(LIST_REPO, { as: ada, params, query: { all: 'true' } })).body.length, 3)
  assert.equal((await call(LIST_REPO, { as: ada, params, query: { since: 'x' } })).status, 422)
  assert.equal((await call(MARK_REPO, { as: ada, params, query: { last_read_at: 'x' } })).status, 400)
  const changed = await call(MARK_REPO, { as: ada, params, query: { all: 'true', 'to-status': 'read' } })
  assert.deepEqual([changed.status, changed.body.length], [205, 3])
  assert.equal((await statusesOf(ada))[there], 'unread')
})

test(`${LIST_REPO} and ${MARK_REPO} hide repositories from those who may not read them`, async () => {
  const eve = await make.person()
  const secret = await make.repository(owner, { is_private: true })
  for (const literal of [LIST_REPO, MARK_REPO]) {
    const hidden = await call(literal, { as: eve, params: { owner: 'owner', repo: secret.name } })
    assert.equal(hidden.status, 404)
    const none = await call(literal, { as: eve, params: { owner: 'owner', repo: 'none' } })
    assert.equal(none.status, 404)
  }
})

test('threads are deleted with their repository, and with their account', async () => {
  const ada = await make.person()
  const short = await make.repository(ada)
  const id = await thread(ada, { repository: short.id })
  const params = { owner: ada.name, repo: short.name }
  assert.equal((await call('DELETE /api/v1/repos/{owner}/{repo}', { as: ada, params })).status, 204)
  assert.equal((await call(SHOW, { as: ada, params: { id } })).status, 404)
  const last = await thread(ada)
  const gone = await call('DELETE /api/v1/admin/users/{username}', {
    as: boss,
    params: { username: ada.name },
  })
  assert.equal(gone.status, 204)
  assert.equal((await pool`select id from forge.notification where id = ${last}`).length, 0)
})

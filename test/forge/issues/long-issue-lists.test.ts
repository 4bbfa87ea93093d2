import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchPattern } from '../../../src/forge/protocol/search-pattern.ts'
import { startApp } from '../../support/app.ts'
import type { Somebody } from '../../support/forge/make.ts'

/** Of the long repository: more than a search reads before it asks the index. */
const issues = 4200

const { call, pool, make, clock } = await startApp()
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')
const [long, short, hidden] = [
  await make.repository(ada, { name: 'long' }),
  await make.repository(ada, { name: 'short' }),
  await make.repository(ada, { name: 'hidden', is_private: true }),
]
const LIST = 'GET /api/v1/repos/{owner}/{repo}/issues'
const SEARCH = 'GET /api/v1/repos/issues/search'

/** Every tenth is in the short repository, every eleventh in the hidden one; the numbers of each have no gaps. */
async function fill(): Promise<void> {
  for (const table of ['issue', 'issue_comment'])
    await pool.unsafe(`alter table forge.${table} disable trigger user`)
  await pool`
    insert into forge.issue (repository_id, number, poster_id, title, body, created_at, updated_at, closed_at, comments_count)
    select home, row_number() over (partition by home order by n), ${ada.id}, 'Nr. ' || n,
      'common' || case when n % 9 = 0 then ' Frequent ärger' else '' end
        || case when n < 300 and n % 7 = 0 then ' seldom' else '' end || case when n % 1000 = 1 then ' qz' else '' end,
      ${clock.now()}::timestamptz + n * 7919 % 1009 * interval '1 minute',
      ${clock.now()}::timestamptz + n * 7919 % 1009 * interval '1 minute',
      case when n % 3 = 0 then ${clock.now()}::timestamptz end, case when n % 50 = 0 then 1 else 0 end
    from (
      select n, case when n % 10 = 0 then ${short.id}::bigint when n % 11 = 0 then ${hidden.id} else ${long.id} end as home
      from generate_series(1, ${Math.round((issues * 10) / 8)}::integer) as n
    ) as each
    order by n`
  await pool`
    insert into forge.issue_comment (issue_id, repository_id, poster_id, body, created_at, updated_at)
    select id, repository_id, ${ada.id}, 'A remark of Иван', created_at, created_at from forge.issue where comments_count = 1`
  await pool`
    insert into forge.issue_assignee (issue_id, account_id) select id, ${eve.id} from forge.issue where id % 4 = 0`
  await pool`
    insert into forge.repository_label (repository_id, name, color)
    select id, 'bug', 'ff0000' from forge.repository`
  await pool`
    insert into forge.issue_label (issue_id, label_id, repository_id)
    select issue.id, label.id, repository_id
    from forge.issue join forge.repository_label as label using (repository_id)
    where issue.id % 40 = 7`
  await pool`
    insert into forge.repository_label (repository_id, name, color)
    select ${long.id}, name, 'ff0000' from unnest(array['wide', 'most']) as name`
  await pool`
    insert into forge.issue_label (issue_id, label_id, repository_id)
    select issue.id, label.id, repository_id
    from forge.issue join forge.repository_label as label using (repository_id)
    where name = 'wide' and issue.id % 8 <> 0 or name = 'most' and issue.id % 3 <> 0`
  await pool`
    update forge.repository
    set last_issue = (select coalesce(max(number), 0) from forge.issue where repository_id = repository.id),
      open_issues = (select count(*) from forge.issue where repository_id = repository.id and closed_at is null)`
  for (const table of ['issue', 'issue_comment'])
    await pool.unsafe(`alter table forge.${table} enable trigger user`)
}
await fill()

const terms = ['common', 'FREQUENT', 'ÄRGER', 'иван', 'seldom', 'qz', 'Nr. 77', '77', 'nothing of that']
type Query = Record<string, string | number>

/** Ids that the tables have for a filter, as a search without any index finds them. */
async function expected(
  { q = '', state = 'open' }: Query,
  homes: readonly number[],
  more = pool``,
): Promise<number[]> {
  const pattern = searchPattern(String(q))?.pattern ?? '%'
  const rows = await pool<{ id: number }[]>`
    select id
    from forge.issue
    where repository_id = any(${[...homes]}::bigint[])
      ${state === 'open' ? pool`and closed_at is null` : state === 'closed' ? pool`and closed_at is not null` : pool``}
      and (forge.fold(title || chr(10) || body) like ${pattern} or number::text = ${q} or exists (
        select from forge.issue_comment where issue_id = issue.id and forge.fold(body) like ${pattern}
      )) ${more}
    order by id desc`
  return rows.map(({ id }) => id)
}

/** Follows the links of a list from its first page to its last; returns the ids, and compares each total with them. */
async function walk(ask: (page: number) => Promise<Answer>, all: readonly number[]): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ; page++) {
    const { status, body, headers } = await ask(page)
    assert.equal(status, 200)
    ids.push(...body.map(({ id }: { id: number }) => id))
    const total = Number(headers.get('x-total-count'))
    const link = headers.get('link') ?? ''
    if (total < all.length) {
      assert.ok(total > ids.length && !link.includes('rel="last"'), `${total} of ${all.length}`)
    } else assert.equal(total, all.length)
    if (!link.includes('rel="next"')) return ids
  }
}
type Answer = Awaited<ReturnType<typeof call>>

for (const q of terms)
  test(`${LIST} and ${SEARCH} lead through all issues with ${JSON.stringify(q)} without gaps`, async () => {
    for (const state of q === 'common' ? ['closed'] : ['open', 'closed']) {
      const query = { q, state, limit: 50 }
      const inLong = await expected(query, [long.id])
      const params = { owner: 'ada', repo: 'long' }
      assert.deepEqual(
        await walk((page) => call(LIST, { params, query: { ...query, page } }), inLong),
        inLong,
      )
      const homes = [long.id, short.id]
      for (const [as, seen] of [
        ...(q === 'common' ? [] : [[undefined, homes] as const, [eve, homes] as const]),
        [boss, [...homes, hidden.id]],
      ] as const) {
        const all = await expected(query, seen)
        const found = await walk(
          (page) => call(SEARCH, { ...(as && { as }), query: { ...query, page } }),
          all,
        )
        assert.deepEqual(found, all, `${state}, ${as?.name ?? 'anonymous'}`)
      }
    }
  })

test(`${SEARCH} leads through the issues of somebody and with a label, with and without a text`, async () => {
  const ask = (query: Query, as: Somebody) => (page: number) =>
    call(SEARCH, { as, query: { ...query, page, limit: 50 } })
  for (const q of ['', 'common', 'seldom']) {
    const query = { q, state: 'closed' }
    const assigned = await expected(query, [long.id, short.id], pool`and id % 4 = 0`)
    assert.deepEqual(await walk(ask({ ...query, assigned: 'true' }, eve), assigned), assigned, q)
    const created = await expected(query, [long.id, short.id, hidden.id])
    assert.deepEqual(await walk(ask({ ...query, created: 'true' }, ada), created), created, q)
    const labelled = await expected(query, [long.id, short.id], pool`and id % 40 = 7`)
    assert.deepEqual(await walk(ask({ ...query, labels: 'bug' }, eve), labelled), labelled, q)
    assert.deepEqual(await walk(ask({ ...query, labels: 'nothing' }, eve), []), [])
    assert.deepEqual(await walk(ask({ ...query, milestones: 'nothing' }, eve), []), [])
  }
})

test(`${LIST} has the issues with labels of all names, few or many`, async () => {
  const params = { owner: 'ada', repo: 'long' }
  for (const state of ['open', 'closed'])
    for (const [labels, condition] of [
      ['wide,most', pool`and id % 8 <> 0 and id % 3 <> 0`],
      ['most,bug', pool`and id % 40 = 7 and id % 3 <> 0`],
      ['bug,wide,most', pool`and id % 40 = 7 and id % 3 <> 0`],
      ['wide,none', pool`and false`],
      ['wide,wide', pool`and id % 8 <> 0`],
    ] as const) {
      const labelled = await expected({ state }, [long.id], condition)
      const ask = (page: number) => call(LIST, { params, query: { labels, state, page, limit: 50 } })
      assert.deepEqual(await walk(ask, labelled), labelled, `${labels} ${state}`)
    }
})

test(`${LIST} has the exact total of a filter, and the issues of an assignee`, async () => {
  const all = await expected({}, [long.id], pool`and id % 4 = 0`)
  const params = { owner: 'ada', repo: 'long' }
  const found = await walk(
    (page) => call(LIST, { params, query: { assigned_by: 'eve', page, limit: 50 } }),
    all,
  )
  assert.deepEqual(found, all)
  const open = await expected({}, [long.id])
  const { headers } = await call(LIST, { params })
  assert.equal(headers.get('x-total-count'), String(open.length))
})

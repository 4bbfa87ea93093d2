import type { Fragment, Sql } from '../../db/sql.ts'
import { offsetOf, type Page, type Paging } from '../../http/route/page.ts'
import { type Account, accountsByIds } from '../accounts/account.ts'
import { type SearchPattern, searchPattern } from '../protocol/search-pattern.ts'
import { hasRepository, LEVELS, levelIn, mayRead } from './access-level.ts'
import { type Repository, repositoryColumns } from './repo-store.ts'
import { open, type Reader, seen, sharedWith } from './visibility.ts'

export const REPOSITORY_SORTS = ['alpha', 'created', 'updated', 'size', 'id'] as const
export type RepositorySort = (typeof REPOSITORY_SORTS)[number]

/** What a list is narrowed to; undefined filters nothing. */
export interface RepositoryFilter {
  q?: string
  /** Owned by this account. */
  owner?: number
  /** Of this name, in lower case. */
  key?: string
  /** That this team has. */
  team?: number
  /** Owned by this account, or shared with it. */
  of?: number
  is_private?: boolean | undefined
  template?: boolean | undefined
  archived?: boolean | undefined
  /** With one of these topics at least. */
  topics?: readonly string[] | undefined
}

/** A repository in a list: its owner, and what the reader may do. */
export interface Listed {
  row: Repository
  owner: Account
  level: number
}

/** A needle that is met more often is not worth its index: then an order of the list is walked. */
const mostHits = 10_000

/** A page of what a reader may see: one statement, and one more for the owners. */
export async function pageOfRepositories(
  sql: Sql,
  reader: Reader,
  filter: RepositoryFilter,
  paging: Paging,
  by: `${RepositorySort} ${'asc' | 'desc'}`,
): Promise<Page<Listed>> {
  const wanted: Wanted = { sql, reader, filter, paging, order: orders[by](sql) }
  const needle = searchPattern(filter.q ?? '')
  const found =
    (await foundByTopics(wanted)) ??
    (needle?.hasGrams ? await foundByGrams(wanted, needle) : await foundOfAccount(wanted))
  return withOwners(wanted, found ?? (await walked(wanted)))
}

interface Wanted {
  sql: Sql
  reader: Reader
  filter: RepositoryFilter
  paging: Paging
  order: Fragment
}

/** One row at least, for the total. */
type Row = { total: number } & ((Repository & { level: number }) | { id: null })

/** From an order of the list alone; what belongs to the rows is looked up for those of the page. */
async function walked({ sql, reader, filter, paging, order }: Wanted): Promise<Row[]> {
  return await sql<Row[]>`
    with page as (
      select repository.id
      from forge.repository
      where repository.state = 'ready' and ${seen(sql, reader)} ${conditions(sql, filter)}
      ${order}
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    )
    select ${counted(sql, reader, filter)} as total, repository.*
    from (select) as always
    left join (${filled(sql, reader)}) as repository on true
    ${order}`
}

/** From the runs of three characters in the names; undefined for a needle that is met too often. */
async function foundByGrams(wanted: Wanted, { pattern }: SearchPattern): Promise<Row[] | undefined> {
  const { sql } = wanted
  const { q: _, ...filter } = wanted.filter
  const hits = sql`select id from forge.repositories_like(${pattern}, ${mostHits + 1}) as id`
  const rows = await amongHits({ ...wanted, filter }, hits)
  return (rows[0]?.hits ?? 0) > mostHits ? undefined : rows
}

/** From the index of topics; undefined where none is asked for. */
async function foundByTopics(wanted: Wanted): Promise<Row[] | undefined> {
  const { sql } = wanted
  const { topics, ...filter } = wanted.filter
  if (topics === undefined) return undefined
  // The comparison with '{}' lets the planner use the index, which leaves out repositories without topics.
  const hits = sql`
    select id
    from forge.repository
    where topics <> '{}' and topics && ${[...topics]}::text[]`
  return await amongHits({ ...wanted, filter }, hits)
}

/** From what an account owns and what is shared with it; undefined where that is not asked for. */
async function foundOfAccount(wanted: Wanted): Promise<Row[] | undefined> {
  const { of, ...filter } = wanted.filter
  if (of === undefined) return undefined
  return await amongHits({ ...wanted, filter }, sharedWith(wanted.sql, of))
}

/** A page of some repositories, which are few: one by one, whatever the planner makes of the filter. */
async function amongHits(
  { sql, reader, filter, paging, order }: Wanted,
  hits: Fragment,
): Promise<(Row & { hits: number })[]> {
  return await sql<(Row & { hits: number })[]>`
    with hit as materialized (${hits}),
    found as materialized (
      select repository.id, repository.key, repository.created_at, repository.updated_at, repository.size
      from (select distinct id from hit) as hit
      cross join lateral (
        select id, key, owner_id, state, is_private, owner_visibility, is_template, is_archived, created_at,
          updated_at, size
        from forge.repository
        where id = hit.id
        offset 0
      ) as repository
      where repository.state = 'ready' and ${seen(sql, reader)} ${conditions(sql, filter)}
    ),
    page as (
      select repository.id
      from found as repository
      ${order}
      limit ${paging.limit}
      offset ${offsetOf(paging)}
    )
    select (select count(*) from hit) as hits, (select count(*) from found) as total, repository.*
    from (select) as always
    left join (${filled(sql, reader)}) as repository on true
    ${order}`
}

/** The rows of `page`, with what the reader may do. */
function filled(sql: Sql, { me }: Reader): Fragment {
  return sql`
    select ${repositoryColumns(sql)}, repository.key, ${levelIn(sql, sql`${me?.id ?? null}::bigint`)} as level
    from page
    join forge.repository using (id)`
}

async function withOwners({ sql, reader, paging }: Wanted, rows: readonly Row[]): Promise<Page<Listed>> {
  const found = rows.filter((row) => row.id !== null)
  const owners = await accountsByIds(sql, [...new Set(found.map(({ owner_id }) => owner_id))])
  const listed = found.flatMap((row): Listed[] => {
    const owner = owners.find(({ id }) => id === row.owner_id)
    const level = reader.me?.is_admin ? LEVELS.owner : Math.max(row.level, row.is_private ? 0 : LEVELS.read)
    return owner ? [{ row, owner, level }] : []
  })
  return { rows: listed, total: rows[0]?.total ?? 0, ...paging }
}

/** Those of some repositories that an account may read some part of, by id, with their owners. */
export async function homesRead(
  sql: Sql,
  account: number,
  ids: readonly number[],
): Promise<Map<number, { row: Repository; owner: Account }>> {
  const rows = await sql<Repository[]>`
    select ${repositoryColumns(sql)}
    from forge.repository
    join forge.account on account.id = ${account}
    where repository.id = any(${[...ids]}::bigint[]) and repository.state = 'ready'
      and (${mayRead(sql, 'repo.code')} or ${mayRead(sql, 'repo.issues')})`
  const owners = await accountsByIds(sql, [...new Set(rows.map(({ owner_id }) => owner_id))])
  const byId = new Map(owners.map((owner) => [owner.id, owner]))
  return new Map(
    rows.flatMap((row) => {
      const owner = byId.get(row.owner_id)
      return owner ? [[row.id, { row, owner }] as const] : []
    }),
  )
}

/** A closed map of literals, so that each order meets its index. */
const orders: Readonly<Record<`${RepositorySort} ${'asc' | 'desc'}`, (sql: Sql) => Fragment>> = {
  'alpha asc': (sql) => sql`order by repository.key, repository.id`,
  'alpha desc': (sql) => sql`order by repository.key desc, repository.id desc`,
  'created asc': (sql) => sql`order by repository.created_at, repository.id`,
  'created desc': (sql) => sql`order by repository.created_at desc, repository.id desc`,
  'updated asc': (sql) => sql`order by repository.updated_at, repository.id`,
  'updated desc': (sql) => sql`order by repository.updated_at desc, repository.id desc`,
  'size asc': (sql) => sql`order by repository.size, repository.id`,
  'size desc': (sql) => sql`order by repository.size desc, repository.id desc`,
  'id asc': (sql) => sql`order by repository.id`,
  'id desc': (sql) => sql`order by repository.id desc`,
}

/** How many the reader sees: what is open from an index alone, and what else is shared with it, which is little. */
function counted(sql: Sql, reader: Reader, filter: RepositoryFilter): Fragment {
  const { me, publicOnly } = reader
  const among = (those: Fragment) => sql`(
    select count(*)::bigint
    from forge.repository
    where repository.state = 'ready' and ${those} ${conditions(sql, filter)}
  )`
  if (!me || me.is_admin || publicOnly) return among(seen(sql, reader))
  return sql`
    ${among(open(sql, reader))}
    + ${among(sql`repository.id in (${sharedWith(sql, me.id)}) and not (${open(sql, reader)})`)}`
}

/** Whether a team has the `repository`. */
export function ofTeam(sql: Sql, team: number): Fragment {
  return sql`exists (
    select from forge.team
    where team.id = ${team} and team.organization_id = repository.owner_id and ${hasRepository(sql)}
  )`
}

function conditions(sql: Sql, filter: RepositoryFilter): Fragment {
  const { q, key, owner, team, of, is_private, template, archived } = filter
  const needle = searchPattern(q ?? '')
  const none = sql``
  return sql`
    ${owner === undefined ? none : sql`and repository.owner_id = ${owner}`}
    ${key === undefined ? none : sql`and repository.key = ${key}`}
    ${team === undefined ? none : sql`and ${ofTeam(sql, team)}`}
    ${of === undefined ? none : sql`and repository.id in (${sharedWith(sql, of)})`}
    ${is_private === undefined ? none : sql`and repository.is_private = ${is_private}`}
    ${template === undefined ? none : sql`and repository.is_template = ${template}`}
    ${archived === undefined ? none : sql`and repository.is_archived = ${archived}`}
    ${needle ? sql`and repository.key like ${needle.pattern} escape ''` : none}`
}

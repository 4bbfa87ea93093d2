import type { Fragment, Sql } from '../db/sql.ts'
import { offsetOf, type Page, type Place } from '../http/page.ts'
import { type Account, accountsByIds } from './account.ts'
import { needleOf } from './like.ts'
import { hasRepository, LEVELS, levelIn, mayRead } from './repo-level.ts'
import { type Repository, repositoryColumns } from './repo-store.ts'

/** Who reads a list. */
export interface Reader {
  me: Pick<Account, 'id' | 'is_admin' | 'is_restricted'> | undefined
  /** A token that shows public things only. */
  publicOnly: boolean
}

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
}

/** A repository in a list: its owner, and what the reader may do. */
export interface Listed {
  row: Repository
  owner: Account
  level: number
}

/** A page of what a reader may see: one statement, and one more for the owners. */
export async function pageOfRepositories(
  sql: Sql,
  reader: Reader,
  filter: RepositoryFilter,
  place: Place,
  by: `${RepositorySort} ${'asc' | 'desc'}`,
): Promise<Page<Listed>> {
  const wanted = sql`repository.state = 'ready' and ${seen(sql, reader)} ${conditions(sql, filter)}`
  const me = reader.me?.id ?? null
  const order = orders[by](sql)
  const rows = await sql<({ total: number } & ((Repository & { level: number }) | { id: null }))[]>`
    select (select count(*)::bigint from forge.repository where ${wanted}) as total, repository.*
    from (select) as always
    left join (
      select ${repositoryColumns(sql)}, repository.key, ${levelIn(sql, sql`${me}::bigint`)} as level
      from forge.repository
      where ${wanted}
      ${order}
      limit ${place.limit}
      offset ${offsetOf(place)}
    ) as repository on true
    ${order}`
  const found = rows.filter((row) => row.id !== null)
  const owners = await accountsByIds(sql, [...new Set(found.map(({ owner_id }) => owner_id))])
  const listed = found.flatMap((row): Listed[] => {
    const owner = owners.find(({ id }) => id === row.owner_id)
    const level = reader.me?.is_admin ? LEVELS.owner : Math.max(row.level, row.is_private ? 0 : LEVELS.read)
    return owner ? [{ row, owner, level }] : []
  })
  return { ...place, rows: listed, total: rows[0]?.total ?? 0 }
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

/** What the reader may see: public repositories of owners that it sees, and its own. */
function seen(sql: Sql, { me, publicOnly }: Reader): Fragment {
  if (me?.is_admin && !publicOnly) return sql`true`
  const open = me && !me.is_restricted && !publicOnly ? ['public', 'limited'] : ['public']
  const visible = sql`
    not repository.is_private and exists (
      select from forge.account
      where id = repository.owner_id and visibility = any(${open}::text[])
    )`
  return me && !publicOnly ? sql`(${visible} or repository.id in (${shared(sql, me.id)}))` : sql`(${visible})`
}

/** Ids of what an account owns, is a collaborator of, or has through its teams. */
function shared(sql: Sql, account: number): Fragment {
  return sql`
    select id
    from forge.repository
    where owner_id = ${account}
    union all
    select repository_id
    from forge.repository_collaborator
    where account_id = ${account}
    union all
    select repository.id
    from forge.team_member
    join forge.repository on repository.owner_id = team_member.organization_id
    where team_member.account_id = ${account} and ${levelIn(sql, sql`${account}::bigint`)} > 0`
}

function ofTeam(sql: Sql, team: number): Fragment {
  return sql`exists (
    select from forge.team
    where team.id = ${team} and team.organization_id = repository.owner_id and ${hasRepository(sql)}
  )`
}

function conditions(sql: Sql, filter: RepositoryFilter): Fragment {
  const { q, key, owner, team, of, is_private, template, archived } = filter
  const needle = needleOf(q ?? '')
  const none = sql``
  return sql`
    ${owner === undefined ? none : sql`and repository.owner_id = ${owner}`}
    ${key === undefined ? none : sql`and repository.key = ${key}`}
    ${team === undefined ? none : sql`and ${ofTeam(sql, team)}`}
    ${of === undefined ? none : sql`and repository.id in (${shared(sql, of)})`}
    ${is_private === undefined ? none : sql`and repository.is_private = ${is_private}`}
    ${template === undefined ? none : sql`and repository.is_template = ${template}`}
    ${archived === undefined ? none : sql`and repository.is_archived = ${archived}`}
    ${needle ? sql`and repository.key like ${needle.pattern} escape ''` : none}`
}

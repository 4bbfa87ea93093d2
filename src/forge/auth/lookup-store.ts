import { allRows } from '../../db/rows.ts'
import type { Fragment, Sql } from '../../db/sql.ts'
import { type Account, accountColumns } from '../accounts/account-store.ts'
import { type Repo, repositoryFor, type Subject } from '../permissions/repo-lookup-store.ts'
import { type DeployKeyRights, deployKeyColumn, keyRows } from './ssh/key-rows-store.ts'
import { type TaskRights, taskColumn, taskRows } from './task-token-store.ts'

/**
 * The input of the look-up: everything that access rules need, in one statement. Names and addresses are in the form in
 * which they are compared.
 */
export interface LookupInput {
  readonly hashes: readonly string[]
  readonly loginName: string | undefined
  readonly loginAddress: string | undefined
  readonly sudo: string | undefined
  readonly subject: Subject | undefined
  /** Whose session the caller has. */
  readonly sessionOf?: number
  /** The fingerprint of the SSH key that the caller has. */
  readonly key?: string
}

/** A token of the account in the same row. */
interface TokenColumns {
  token_id: number
  token_hash: string
  scopes: string
  token_used_at: string | null
  /** When the token ends; null: never. */
  token_expires_at: string | null
}

/** The columns of an SSH key. */
type KeyColumns = Pick<TokenColumns, 'token_id' | 'token_used_at'>

/** The columns needed to check a password and a one-time code; null if the account has none. */
interface LoginColumns {
  password: string | null
  totp_secret: Uint8Array | null
  totp_step: number | null
}

/** The roles of an account in the target, if that is an organization; selected only where there is a target. */
export interface Standing {
  is_member: boolean
  is_owner: boolean
  /** Whether the account is in the team, if the path names a team. */
  is_in_team: boolean
  /** Whether the account may see that team: members of an organization see its teams that are not private. */
  sees_team: boolean
}

/**
 * An account that the look-up found, and its role in the request. `redirect` is the account that formerly had the name
 * of the target.
 */
export type LookupRow = Account &
  Partial<Standing> & { repository?: Repo | null; creates?: boolean; package_level?: number } & (
    | ({ role: 'token' } & TokenColumns)
    | { role: 'task'; token_hash: string; task: TaskRights }
    | ({ role: 'login' } & LoginColumns)
    | { role: 'session'; unread: number }
    | ({ role: 'key' } & KeyColumns)
    | ({ role: 'deploy key'; deploy_key: DeployKeyRights } & KeyColumns)
    | { role: 'sudo' | 'subject' | 'redirect' }
  )

/** A key of a user, or a deploy key. */
export type KeyRow = Extract<LookupRow, { role: 'key' | 'deploy key' }>

/** Whether there is anything to look up. */
export function needsLookup(input: LookupInput): boolean {
  return (
    input.hashes.length > 0 ||
    [input.loginName, input.loginAddress, input.sudo, input.subject, input.sessionOf, input.key].some(Boolean)
  )
}

/**
 * Looks up the caller, the sudo account and the target in one round trip. Every part uses a unique index. The statement
 * has only the parts that the request needs: PostgreSQL then keeps one plan for all values of its parameters. With all
 * parts it makes a new plan for each run, which takes longer than the run.
 */
export function lookUp(sql: Sql, input: LookupInput): Promise<LookupRow[]> {
  const { hashes, subject } = input
  const isLogin = input.loginName !== undefined || input.loginAddress !== undefined
  return allRows(sql<LookupRow[]>`
    with candidate (role, id, token_id, token_hash, scopes, token_used_at) as (
      ${candidates(sql, input).reduce((left, right) => sql`${left} union all ${right}`)}
    )
    ${subject ? subjectId(sql) : sql``}
    select candidate.role, candidate.token_id, candidate.token_hash, candidate.scopes, candidate.token_used_at,
      ${isLogin ? sql`password.record as password, totp.secret as totp_secret, totp.last_step as totp_step,` : sql``}
      ${subject ? standing(sql, subject) : sql``}
      ${hashes.length > 0 ? sql`${tokenExpiry(sql)} ${taskColumn(sql)}` : sql``}
      ${input.key === undefined ? sql`` : deployKeyColumn(sql)}
      ${repositoryFor(sql, subject)}
      ${input.sessionOf === undefined ? sql`` : unreadThreads(sql)}
      ${accountColumns(sql)}
    from candidate
    join forge.account as account using (id)
    ${isLogin ? loginTables(sql) : sql``}`)
}

/** Statements that find the accounts of a request with their roles. At least one, if `needsLookup`. */
function candidates(sql: Sql, input: LookupInput): Fragment[] {
  const { hashes, loginName, loginAddress, sudo, subject, sessionOf, key } = input
  const selects: Fragment[] = []
  if (hashes.length > 0) selects.push(tokenRows(sql, hashes), taskRows(sql, hashes))
  if (loginName !== undefined) selects.push(loginByName(sql, loginName))
  if (loginAddress !== undefined) selects.push(loginByAddress(sql, loginAddress))
  if (sudo !== undefined) selects.push(sudoRow(sql, sudo))
  if (sessionOf !== undefined) selects.push(sessionRow(sql, sessionOf))
  if (key !== undefined) selects.push(keyRows(sql, key, subject))
  if (subject) selects.push(subjectRows(sql, subject))
  return selects
}

/** The columns of a token in a row that was not found by one. */
const noToken = (sql: Sql) => sql`null::bigint, null::text, null::text, null::timestamptz`

const tokenRows = (sql: Sql, hashes: readonly string[]) => sql`
  select 'token', account_id, id, hash, scopes, last_used_at
  from forge.access_token
  where hash in ${sql(hashes)}`

const tokenExpiry = (sql: Sql) => sql`
  (
    select expires_at
    from forge.access_token
    where id = candidate.token_id and candidate.role = 'token'
  ) as token_expires_at,`

const loginByName = (sql: Sql, name: string) => sql`
  select 'login', id, ${noToken(sql)}
  from forge.account
  where key = ${name} and kind = 'person'`

const loginByAddress = (sql: Sql, address: string) => sql`
  select 'login', account_id, ${noToken(sql)}
  from forge.email_address
  where key = ${address} and is_activated and is_listed`

const loginTables = (sql: Sql) => sql`
  left join forge.password on password.account_id = account.id and candidate.role = 'login'
  left join forge.totp on totp.account_id = account.id and candidate.role = 'login'`

const sudoRow = (sql: Sql, name: string) => sql`
  select 'sudo', id, ${noToken(sql)}
  from forge.account
  where key = ${name} and kind <> 'organization'`

/** The number of unread notification threads, for the menu of each page; it counts up to 100, so that it is never slow. */
const unreadThreads = (sql: Sql) => sql`
  case when candidate.role = 'session' then (
    select count(*)
    from (
      select
      from forge.notification
      where account_id = account.id and status = 'unread'
      limit 100
    ) as thread
  ) end as unread,`

const sessionRow = (sql: Sql, account: number) => sql`
  select 'session', id, ${noToken(sql)}
  from forge.account
  where id = ${account}`

function subjectRows(sql: Sql, subject: Subject): Fragment {
  if ('team' in subject)
    return sql`
      select 'subject', organization_id, ${noToken(sql)}
      from forge.team
      where id = ${subject.team}`
  if ('repositoryId' in subject)
    return sql`
      select 'subject', owner_id, ${noToken(sql)}
      from forge.repository
      where id = ${subject.repositoryId} and state = 'ready'`
  return sql`
    select 'subject', id, ${noToken(sql)}
    from forge.account
    where key = ${subject.name}
    union all
    select 'redirect', account_id, ${noToken(sql)}
    from forge.name_redirect
    where key = ${subject.name}`
}

/** The target; without one, the account that formerly had its name, because the same rules decide who may know of it. */
const subjectId = (sql: Sql) => sql`
  , subject as (
    select id
    from candidate
    where role in ('subject', 'redirect')
    order by role = 'subject' desc
    limit 1
  )`

/** The columns of `Standing`. */
const standing = (sql: Sql, subject: Subject) => sql`
  exists (
    select from forge.membership
    where organization_id = (select id from subject) and account_id = account.id
  ) as is_member,
  exists (
    select from forge.team_member
    join forge.team on team.id = team_member.team_id
    where team_member.organization_id = (select id from subject) and team_member.account_id = account.id
      and team.permission = 'owner'
  ) as is_owner,
  ${'team' in subject ? teamStanding(sql, subject.team) : sql``}`

const teamStanding = (sql: Sql, team: number) => sql`
  exists (
    select from forge.team_member
    where team_id = ${team} and account_id = account.id
  ) as is_in_team,
  exists (
    select from forge.team
    join forge.membership on membership.organization_id = team.organization_id
    where team.id = ${team} and team.visibility <> 'private' and membership.account_id = account.id
  ) as sees_team,`

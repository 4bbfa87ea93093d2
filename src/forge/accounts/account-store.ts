import { lockRunnersOf } from '../../actions/runner/runner-store.ts'
import { endTasksOf } from '../../actions/runner/task-end.ts'
import { allRows, anyRow, firstRow, onlyRow } from '../../db/rows.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { withoutUndefined } from './edits.ts'
import { isName } from './names.ts'
import type { Visibility } from './visibility.ts'

export type AccountKind = 'person' | 'bot' | 'organization'

/** A stored account: person, bot or organization. Times are texts as the database driver returns them. */
export interface Account {
  id: number
  kind: AccountKind
  name: string
  full_name: string
  /** Primary address of a person, contact of an organization. */
  email: string
  location: string
  website: string
  description: string
  language: string
  visibility: Visibility
  hides_email: boolean
  is_active: boolean
  is_admin: boolean
  is_restricted: boolean
  prohibit_login: boolean
  must_change_password: boolean
  has_totp: boolean
  source_id: number
  login_name: string
  allow_git_hook: boolean
  allow_import_local: boolean
  allow_create_organization: boolean
  max_repo_creation: number
  repo_admin_change_team_access: boolean
  followers_count: number
  following_count: number
  starred_repos_count: number
  /** The content that is its picture (`avatars/`); null: one is drawn. */
  avatar: string | null
  created_at: string
  updated_at: string
  last_login_at: string | null
}

/** The columns of an `Account`, for `select … from forge.account as account`. */
export const accountColumns = (sql: Sql) => sql`
  account.id, account.kind, account.name, account.full_name, account.email, account.location, account.website,
  account.description, account.language, account.visibility, account.hides_email, account.is_active, account.is_admin,
  account.is_restricted, account.prohibit_login, account.must_change_password, account.has_totp, account.source_id,
  account.login_name, account.allow_git_hook, account.allow_import_local, account.allow_create_organization,
  account.max_repo_creation, account.repo_admin_change_team_access, account.followers_count, account.following_count,
  account.starred_repos_count, account.avatar, account.created_at, account.updated_at, account.last_login_at`

/** Settings for programs that show the forge to a user; the server only stores them. */
export interface Preferences {
  theme: string
  diff_view_style: string
  hides_activity: boolean
}

/** The preferences of an account; the initial ones if it was deleted meanwhile. */
export async function preferencesOf(sql: Sql, id: number): Promise<Preferences> {
  const row = await firstRow(sql<Preferences[]>`
    select theme, diff_view_style, hides_activity
    from forge.account
    where id = ${id}`)
  return row ?? { theme: '', diff_view_style: '', hides_activity: false }
}

/** The key of a name, or undefined for a text that cannot be a name and needs no look-up. */
export function nameKey(name: string): string | undefined {
  return name.length <= 255 && isName(name) ? name.toLowerCase() : undefined
}

export const accountById = (sql: Sql, id: number) =>
  firstRow(sql<Account[]>`
    select ${accountColumns(sql)}
    from forge.account as account
    where id = ${id}`)

/** The account with that name in any case, of any kind. */
export async function accountByName(sql: Sql, name: string): Promise<Account | undefined> {
  const key = nameKey(name)
  if (key === undefined) return undefined
  return firstRow(sql<Account[]>`
    select ${accountColumns(sql)}
    from forge.account as account
    where key = ${key}`)
}

/** Accounts with these ids, in the order of the ids. */
export async function accountsByIds(sql: Sql, ids: readonly number[]): Promise<Account[]> {
  if (ids.length === 0) return []
  return allRows(sql<Account[]>`
    select ${accountColumns(sql)}
    from unnest(${ids}::bigint[]) with ordinality as input (id, place)
    join forge.account as account using (id)
    order by place`)
}

/** Locks the account until the transaction ends and returns it. */
export const lockAccount = (tx: Tx, id: number) =>
  firstRow(tx<Account[]>`
    select ${accountColumns(tx)}
    from forge.account as account
    where id = ${id}
    for update`)

/** The initial values of an account; the rest has defaults. */
export interface AccountDraft {
  kind: AccountKind
  name: string
  full_name?: string
  email?: string
  location?: string
  website?: string
  description?: string
  visibility?: Visibility
  is_admin?: boolean
  is_restricted?: boolean
  must_change_password?: boolean
  source_id?: number
  login_name?: string
  repo_admin_change_team_access?: boolean
  created_at?: Date
}

/**
 * Creates an account and deletes a redirect of that name. A taken name violates `account_name_unique`.
 */
export async function insertAccount(tx: Tx, draft: AccountDraft): Promise<Account> {
  const created = draft.created_at ?? tx.now
  const account = await onlyRow(tx<[Account]>`
    insert into forge.account as account
      (kind, name, full_name, email, location, website, description, visibility, is_admin, is_restricted,
       must_change_password, source_id, login_name, repo_admin_change_team_access, created_at, updated_at)
    values
      (${draft.kind}, ${draft.name}, ${draft.full_name ?? ''}, ${draft.email ?? ''}, ${draft.location ?? ''},
       ${draft.website ?? ''}, ${draft.description ?? ''}, ${draft.visibility ?? 'public'}, ${draft.is_admin ?? false},
       ${draft.is_restricted ?? false}, ${draft.must_change_password ?? false}, ${draft.source_id ?? 0},
       ${draft.login_name ?? ''}, ${draft.repo_admin_change_team_access ?? false}, ${created}, ${created})
    returning ${accountColumns(tx)}`)
  await deleteRedirects(tx, [draft.name])
  return account
}

/**
 * Creates accounts and deletes redirects of their names. Returns them in the order of the drafts; undefined where the name
 * is taken, also by a draft before it.
 */
export async function insertAccounts(
  tx: Tx,
  drafts: readonly AccountDraft[],
): Promise<(Account | undefined)[]> {
  const names = drafts.map(({ name }) => name)
  const [inserted] = await Promise.all([insertFree(tx, drafts), deleteRedirects(tx, names)])
  const byKey = new Map(inserted.map((account) => [account.name.toLowerCase(), account]))
  return drafts.map(({ name }) => {
    const account = byKey.get(name.toLowerCase())
    byKey.delete(name.toLowerCase())
    return account
  })
}

/** Creates the accounts whose names are free. */
function insertFree(tx: Tx, drafts: readonly AccountDraft[]): Promise<Account[]> {
  const column = <Value>(value: (draft: AccountDraft) => Value) => drafts.map(value)
  // All transactions take names in one order, so that two with the same names cannot deadlock.
  return allRows(tx<Account[]>`
    insert into forge.account as account
      (kind, name, full_name, email, location, website, description, visibility, repo_admin_change_team_access,
       created_at, updated_at)
    select kind, name, full_name, email, location, website, description, visibility, changes_access, ${tx.now}, ${tx.now}
    from unnest(
      ${column((draft) => draft.kind)}::text[], ${column((draft) => draft.name)}::text[],
      ${column((draft) => draft.full_name ?? '')}::text[], ${column((draft) => draft.email ?? '')}::text[],
      ${column((draft) => draft.location ?? '')}::text[], ${column((draft) => draft.website ?? '')}::text[],
      ${column((draft) => draft.description ?? '')}::text[],
      ${column((draft) => draft.visibility ?? 'public')}::text[],
      ${column((draft) => String(draft.repo_admin_change_team_access ?? false))}::text[]::boolean[]
    ) with ordinality as draft
      (kind, name, full_name, email, location, website, description, visibility, changes_access, place)
    order by lower(name) collate "C", place
    on conflict on constraint account_name_unique do nothing
    returning ${accountColumns(tx)}`)
}

/** Columns of an account that may be edited. `name` has its own function, because it leaves a redirect behind. */
export type AccountEdit = Partial<
  Omit<Account, 'id' | 'name' | 'has_totp' | 'created_at' | 'updated_at' | 'last_login_at'> &
    Preferences & { avatar_type: string | null }
>

/**
 * Changes columns of an account; undefined members stay unchanged. Change a person's `email` through
 * `setPrimaryAddress` only, which keeps it consistent with the list of addresses.
 */
export async function updateAccount(tx: Tx, id: number, edit: AccountEdit): Promise<Account | undefined> {
  const changes = { ...withoutUndefined(edit), updated_at: tx.now }
  return firstRow(tx<Account[]>`
    update forge.account
    set ${tx(changes)}
    where id = ${id}
    returning ${accountColumns(tx)}`)
}

/** Removes these pictures from the accounts that have them. */
export async function deleteAccountAvatars(sql: Sql, blobs: readonly string[]): Promise<void> {
  await sql`
    update forge.account
    set avatar = null, avatar_type = null
    where avatar = any(${[...blobs]}::text[])`
}

/** Records a sign-in, unless a later one is already stored. Does not change `updated_at`. */
export async function touchAccount(sql: Sql, id: number, now: Date): Promise<void> {
  await sql`
    update forge.account
    set last_login_at = ${now}
    where id = ${id} and (last_login_at is null or last_login_at < ${now})`
}

/**
 * Renames an account and leaves a redirect under the old name, unless only the case changes. A taken name violates
 * `account_name_unique`.
 */
export async function renameAccount(tx: Tx, account: Account, name: string): Promise<void> {
  await tx`
    update forge.account
    set name = ${name}, updated_at = ${tx.now}
    where id = ${account.id}`
  await deleteRedirects(tx, [name])
  if (account.name.toLowerCase() === name.toLowerCase()) return
  await tx`
    insert into forge.name_redirect (key, account_id, created_at)
    values (${account.name.toLowerCase()}, ${account.id}, ${tx.now})
    on conflict on constraint name_redirect_pkey
    do update set account_id = excluded.account_id, created_at = excluded.created_at`
}

/**
 * Deletes an account and, by foreign keys, everything that belongs to it alone. Jobs that its runners still run in a
 * repository that has another owner by now fail.
 */
export async function deleteAccount(tx: Tx, id: number): Promise<void> {
  const runners = await lockRunnersOf(tx, { owner: id })
  await tx`
    delete from forge.account
    where id = ${id}`
  await endTasksOf(tx, runners)
}

/**
 * Serializes changes of administrators until the transaction ends: otherwise two concurrent demotions, each of "one of
 * two", could both succeed.
 */
export async function lockAdministrators(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(7305803902)`
}

/** Whether there is an administrator, able to sign in or not. */
export const administratorExists = (sql: Sql) =>
  anyRow(sql`
    select id
    from forge.account
    where is_admin and kind = 'person'
    limit 1`)

/**
 * Deletes the redirects of those names that accounts have. Call it after the names are taken: an account that gave one
 * up concurrently has left its redirect by then.
 */
async function deleteRedirects(tx: Tx, names: readonly string[]): Promise<void> {
  await tx`
    delete from forge.name_redirect
    using forge.account
    where name_redirect.key = any(${names.map((name) => name.toLowerCase())}::text[])
      and account.key = name_redirect.key`
}

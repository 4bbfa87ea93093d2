import { DecryptionError, decryptedOrError, type Secrets } from '../../db/encryption/secrets.ts'
import { mapPage, type Page, type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'
import { type EncryptedHook, hookPurpose, openHook, readableAddress } from './delivery/hook-secrets.ts'
import type { ChatOptions, HookType } from './payload/chats.ts'
import type { EventName } from './payload/events.ts'

/** Which events a hook receives. A `default` hook receives none: it is copied into each new repository. */
export type HookScope =
  | { kind: 'system' | 'default' }
  | { kind: 'organization' | 'user'; owner: number }
  | { kind: 'repository'; repository: number }

/** Selects hooks: those of the site, of an account, or of a repository. */
export type HookFilter = { site: 'system' | 'default' | 'all' } | { owner: number } | { repository: number }

/** A hook as it is stored, without its secrets. */
export interface StoredHook {
  id: number
  scope: HookScope['kind']
  owner_id: number | null
  repository_id: number | null
  name: string
  type: HookType
  /** Empty if no configured key decrypts it. */
  url: string
  content_type: 'json' | 'form'
  method: 'POST' | 'GET'
  options: ChatOptions
  /** Also the events of later versions; then `events` is empty. */
  all_events: boolean
  events: EventName[]
  branch_filter: string
  active: boolean
  created_at: string
  updated_at: string
}

/** A new hook. `secret` and `authorization` are empty if there is none. */
export interface HookDraft
  extends Omit<StoredHook, 'id' | 'scope' | 'owner_id' | 'repository_id' | 'created_at' | 'updated_at'> {
  scope: HookScope
  secret: string
  authorization: string
}

/** A `StoredHook` whose address is still encrypted. */
type HookRow = Omit<StoredHook, 'url'> & { address: Buffer }

/** The columns of a `HookRow`, for `… from forge.hook as hook`. */
const hookColumns = (sql: Sql) => sql`
  hook.id, hook.scope, hook.owner_id, hook.repository_id, hook.name, hook.type, hook.address,
  hook.content_type, hook.method, hook.options, hook.all_events, hook.events, hook.branch_filter, hook.active,
  hook.created_at, hook.updated_at`

function decryptUrl(secrets: Secrets, { address, ...row }: HookRow): StoredHook {
  return { ...row, url: readableAddress(secrets, address, hookPurpose.address(row.id)) }
}

/** Stores a hook. The id is drawn first, because the encrypted values are bound to the row's id. */
export async function insertHook(tx: Tx, secrets: Secrets, draft: HookDraft): Promise<StoredHook> {
  const { id } = await onlyRow(tx<[{ id: number }]>`
    select nextval(pg_get_serial_sequence('forge.hook', 'id')) as id`)
  const { scope } = draft
  const address = secrets.encrypt(draft.url, hookPurpose.address(id))
  const secret = encrypted(secrets, draft.secret, hookPurpose.secret(id))
  const authorization = encrypted(secrets, draft.authorization, hookPurpose.authorization(id))
  const hook = await onlyRow(tx<[HookRow]>`
    insert into forge.hook as hook (id, scope, owner_id, repository_id, name, type, address, content_type, method,
      options, all_events, events, branch_filter, active, secret, authorization_header, created_at, updated_at)
    values (${id}, ${scope.kind}, ${'owner' in scope ? scope.owner : null},
      ${'repository' in scope ? scope.repository : null}, ${draft.name}, ${draft.type}, ${address},
      ${draft.content_type}, ${draft.method}, ${JSON.stringify(draft.options)}::text::json, ${draft.all_events},
      ${draft.events}, ${draft.branch_filter}, ${draft.active}, ${secret}, ${authorization},
      ${tx.now}, ${tx.now})
    returning ${hookColumns(tx)}`)
  return decryptUrl(secrets, hook)
}

/** Whether a scope has fewer hooks than `maximum`; no other hook is created in it until the transaction ends. */
export async function hasRoomForHook(tx: Tx, scope: HookScope, maximum: number): Promise<boolean> {
  const filter = 'owner' in scope || 'repository' in scope ? scope : { site: scope.kind }
  await tx`select pg_advisory_xact_lock(hashtextextended(${`hooks ${JSON.stringify(filter)}`}, 0))`
  const { count } = await onlyRow(tx<[{ count: number }]>`
    select count(*) as count
    from forge.hook
    where ${matches(tx, filter)}`)
  return count < maximum
}

/** A page of the selected hooks, oldest first; one statement, also for an empty page. */
export async function pageOfHooks(
  sql: Sql,
  secrets: Secrets,
  filter: HookFilter,
  paging: Paging,
): Promise<Page<StoredHook>> {
  const page = await pageOf<HookRow>(sql, paging, {
    from: sql`from forge.hook as hook where ${matches(sql, filter)}`,
    columns: hookColumns(sql),
    by: sql`order by id`,
  })
  return mapPage(page, (row) => decryptUrl(secrets, row))
}

/** A hook by id; undefined if the filter does not select it. */
export async function hookById(
  sql: Sql,
  secrets: Secrets,
  filter: HookFilter,
  id: number,
  lock: Fragment = sql``,
): Promise<StoredHook | undefined> {
  const hook = await firstRow(sql<HookRow[]>`
    select ${hookColumns(sql)}
    from forge.hook as hook
    where id = ${id} and ${matches(sql, filter)}
    ${lock}`)
  return hook && decryptUrl(secrets, hook)
}

/** Like `hookById`, and locks the hook until the transaction ends. */
export const lockHook = (tx: Tx, secrets: Secrets, filter: HookFilter, id: number) =>
  hookById(tx, secrets, filter, id, tx`for no key update`)

/** New secrets of a hook: "" removes one, and what is undefined stays. */
interface NewSecrets {
  secret: string | undefined
  authorization: string | undefined
}

/** Stores everything that may change in a locked hook. An address that could not be decrypted stays as it is. */
export async function updateHook(
  tx: Tx,
  secrets: Secrets,
  hook: StoredHook,
  { secret, authorization }: NewSecrets,
): Promise<StoredHook> {
  const seal = (text = '', purpose: string) => encrypted(secrets, text, purpose)
  const address = encrypted(secrets, hook.url, hookPurpose.address(hook.id))
  const row = await onlyRow(tx<[HookRow]>`
    update forge.hook as hook
    set scope = ${hook.scope}, name = ${hook.name}, address = coalesce(${address}, hook.address),
      content_type = ${hook.content_type}, method = ${hook.method},
      options = ${JSON.stringify(hook.options)}::text::json, all_events = ${hook.all_events}, events = ${hook.events},
      branch_filter = ${hook.branch_filter}, active = ${hook.active}, updated_at = ${tx.now},
      secret = case when ${secret === undefined} then hook.secret
        else ${seal(secret, hookPurpose.secret(hook.id))} end,
      authorization_header = case when ${authorization === undefined} then hook.authorization_header
        else ${seal(authorization, hookPurpose.authorization(hook.id))} end
    where id = ${hook.id}
    returning ${hookColumns(tx)}`)
  return decryptUrl(secrets, row)
}

/** Deletes a hook and its deliveries; undefined if the filter does not select it. */
export async function deleteHook(
  tx: Tx,
  secrets: Secrets,
  filter: HookFilter,
  id: number,
): Promise<StoredHook | undefined> {
  const hook = await firstRow(tx<HookRow[]>`
    delete from forge.hook as hook
    where id = ${id} and ${matches(tx, filter)}
    returning ${hookColumns(tx)}`)
  return hook && decryptUrl(secrets, hook)
}

/** Literals where possible, so that each condition matches its partial index. */
function matches(sql: Sql, filter: HookFilter) {
  if ('owner' in filter) return sql`owner_id = ${filter.owner}`
  if ('repository' in filter) return sql`repository_id = ${filter.repository}`
  if (filter.site === 'all') return sql`scope in ('system', 'default')`
  return filter.site === 'system' ? sql`scope = 'system'` : sql`scope = 'default'`
}

/**
 * Copies hooks, active or not, into a new repository; the copies are independent hooks. Leaves out those that no
 * configured key decrypts: their deliveries fail, and so would those of a copy.
 */
export async function copyHooks(
  tx: Tx,
  secrets: Secrets,
  { from, to: repository }: { from: HookFilter; to: number },
): Promise<void> {
  const templates = await tx<(HookRow & EncryptedHook)[]>`
    select ${hookColumns(tx)}, hook.secret, hook.authorization_header
    from forge.hook as hook
    where ${matches(tx, from)}
    order by id`
  for (const template of templates) {
    const clear = decryptedOrError(() => openHook(secrets, template.id, template))
    if (clear instanceof DecryptionError) continue
    await insertHook(tx, secrets, { ...template, ...clear, scope: { kind: 'repository', repository } })
  }
}

/**
 * The active hooks that are subscribed to an event: those of the repository, then those of its owner, then those of the
 * site. None can be deleted until the transaction ends: a delivery could not refer to it, and the event would fail.
 */
export const subscribedHooks = (
  sql: Sql,
  event: EventName,
  { repository, owner }: { repository: number | null; owner: number | null },
) =>
  allRows(sql<StoredHook[]>`
    select id, type, options, branch_filter
    from forge.hook
    where active
      and (all_events or ${event} = any(events))
      and (repository_id = ${repository} or owner_id = ${owner} or scope = 'system')
    order by case scope when 'repository' then 0 when 'system' then 2 else 1 end, id
    for key share`)

const encrypted = (secrets: Secrets, text: string, purpose: string) =>
  text === '' ? null : secrets.encrypt(text, purpose)

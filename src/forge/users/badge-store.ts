import { type Paging, pageOf } from '../../db/page.ts'
import { allRows, firstRow, onlyRow } from '../../db/rows.ts'
import type { Fragment, Sql, Tx } from '../../db/sql.ts'

/** A stored badge. */
export interface StoredBadge {
  id: number
  /** Case-sensitive. */
  slug: string
  description: string
  image_url: string
}

export type BadgeDraft = Omit<StoredBadge, 'id'>

const columns = (sql: Sql) => sql`badge.id, badge.slug, badge.description, badge.image_url`

/** A page of all badges, by slug. */
export const pageOfBadges = (sql: Sql, paging: Paging) =>
  pageOf<StoredBadge>(sql, paging, {
    from: sql`from forge.badge`,
    columns: columns(sql),
    by: sql`order by slug`,
  })

/** All badges of an account, in the order in which they were given. */
export const badgesOf = (sql: Sql, account: number) =>
  allRows(sql<StoredBadge[]>`
    select ${columns(sql)}
    from forge.account_badge
    join forge.badge on badge.id = account_badge.badge_id
    where account_badge.account_id = ${account}
    order by account_badge.id`)

export const badgeBySlug = (sql: Sql, slug: string, lock: Fragment = sql``) =>
  firstRow(sql<StoredBadge[]>`
    select ${columns(sql)}
    from forge.badge
    where slug = ${slug}
    ${lock}`)

/** Locks the badge until the transaction ends and returns it. */
export const lockBadge = (tx: Tx, slug: string) => badgeBySlug(tx, slug, tx`for update`)

/** Creates a badge. A taken slug violates `badge_slug_unique`. */
export const insertBadge = (tx: Tx, draft: BadgeDraft) =>
  onlyRow(tx<[StoredBadge]>`
    insert into forge.badge (slug, description, image_url)
    values (${draft.slug}, ${draft.description}, ${draft.image_url})
    returning ${columns(tx)}`)

/** Stores all columns of a badge. A taken slug violates `badge_slug_unique`. */
export async function updateBadge(tx: Tx, badge: StoredBadge): Promise<StoredBadge> {
  const { id, slug, description, image_url } = badge
  await tx`
    update forge.badge
    set slug = ${slug}, description = ${description}, image_url = ${image_url}
    where id = ${id}`
  return badge
}

/** Deletes a badge and takes it from all accounts; undefined: there is none. */
export const deleteBadge = (tx: Tx, slug: string) =>
  firstRow(tx<{ id: number }[]>`
    delete from forge.badge
    where slug = ${slug}
    returning id`)

/** The existing badges among these slugs, locked against deletion until the transaction ends. */
export const lockBadges = (tx: Tx, slugs: readonly string[]) =>
  allRows(tx<StoredBadge[]>`
    select ${columns(tx)}
    from forge.badge
    where slug = any(${slugs}::text[])
    order by id
    for key share`)

/** Gives badges to an account, in this order; returns the ids of those that it did not have. */
export async function insertAccountBadges(
  tx: Tx,
  account: number,
  badges: readonly number[],
): Promise<Set<number>> {
  const rows = await tx<{ badge_id: number }[]>`
    insert into forge.account_badge (account_id, badge_id)
    select ${account}, id
    from unnest(${badges}::bigint[]) with ordinality as input (id, place)
    order by place
    on conflict on constraint account_badge_unique do nothing
    returning badge_id`
  return new Set(rows.map(({ badge_id }) => badge_id))
}

/** Takes badges from an account; returns the slugs of those that it had. */
export async function deleteAccountBadges(
  tx: Tx,
  account: number,
  slugs: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ slug: string }[]>`
    delete from forge.account_badge
    using forge.badge
    where badge.id = account_badge.badge_id and account_id = ${account} and badge.slug = any(${slugs}::text[])
    returning badge.slug`
  return rows.map(({ slug }) => slug)
}

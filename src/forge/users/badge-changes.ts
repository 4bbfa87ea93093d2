import type * as v from 'valibot'
import type { Begin } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { conflict, found, unprocessable } from '../../http/route/problem.ts'
import type { Conflicts } from '../../http/route/route.ts'
import type { Account } from '../accounts/account-store.ts'
import { changedMembers } from '../accounts/edits.ts'
import { nameUnknown } from '../accounts/names.ts'
import { type Actor, accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext } from '../route.ts'
import type { EditBadgeOption } from './badge.option.ts'
import {
  type BadgeDraft,
  deleteAccountBadges,
  deleteBadge,
  insertAccountBadges,
  insertBadge,
  lockBadge,
  lockBadges,
  type StoredBadge,
  updateBadge,
} from './badge-store.ts'

/** The message for an unknown slug. */
export const badgeUnknown = (slug: string) => `badge does not exist [slug: ${slug}]`

const slugTaken = (slug: string): Conflicts => ({
  badge_slug_unique: [409, `badge already exists [slug: ${slug}]`],
})

/** Creates a badge from validated input. @throws Problem 409 */
export async function createBadge(begin: Begin, actor: Actor, draft: BadgeDraft): Promise<StoredBadge> {
  const created = begin(async (tx) => {
    const badge = await insertBadge(tx, draft)
    const { id, slug, description, image_url } = badge
    const target = { kind: 'badge', id, name: slug }
    await record(tx, actor, { action: 'badge.created', target, details: { description, image_url } })
    return badge
  })
  return mapConstraints(created, slugTaken(draft.slug))
}

/** Deletes a badge. @throws Problem 404 */
export async function removeBadge(begin: Begin, actor: Actor, slug: string): Promise<void> {
  await begin(async (tx) => {
    const { id } = found(await deleteBadge(tx, slug), badgeUnknown(slug))
    await record(tx, actor, { action: 'badge.deleted', target: { kind: 'badge', id, name: slug } })
  })
}

/** An edit that changes nothing is not audited. @throws Problem 404, 409 */
export async function editBadge(
  { begin, ...actor }: ForgeContext<SignedIn>,
  slug: string,
  input: v.InferOutput<typeof EditBadgeOption>,
): Promise<StoredBadge> {
  const edited = begin(async (tx) => {
    const badge = found(await lockBadge(tx, slug), badgeUnknown(slug))
    const changes = changedMembers(badge, input)
    if (Object.keys(changes).length === 0) return badge
    const target = { kind: 'badge', id: badge.id, name: badge.slug }
    await record(tx, actor, { action: 'badge.edited', target, details: changes })
    return updateBadge(tx, { ...badge, ...changes })
  })
  return mapConstraints(edited, slugTaken(input.slug ?? slug))
}

type Owner = Pick<Account, 'id' | 'name' | 'kind'>

/**
 * Gives badges to an account, all or none. Duplicate slugs count once.
 * @throws Problem 404 account gone, 409 it has one of them, 422 no such badge
 */
export async function giveBadges(
  begin: Begin,
  actor: Actor,
  owner: Owner,
  slugs: readonly string[],
): Promise<void> {
  if (slugs.length === 0) return
  const giving = begin(async (tx) => {
    const idBySlug = new Map((await lockBadges(tx, slugs)).map(({ slug, id }) => [slug, id]))
    const badges = [...new Set(slugs)]
    const ids = badges.map((slug) => {
      const id = idBySlug.get(slug)
      if (id === undefined) throw unprocessable(badgeUnknown(slug))
      return id
    })
    const added = await insertAccountBadges(tx, owner.id, ids)
    const present = ids.find((id) => !added.has(id))
    if (present !== undefined) {
      throw conflict(`user badge already exists [user_id: ${owner.id}, badge_id: ${present}]`)
    }
    await record(tx, actor, { action: 'badge.given', target: accountTarget(owner), details: { badges } })
  })
  await mapConstraints(giving, { account_badge_account_known: [404, nameUnknown(owner.name)] })
}

/** Takes badges from an account; those that it does not have or that do not exist are ignored. */
export async function takeBadges(
  begin: Begin,
  actor: Actor,
  owner: Owner,
  slugs: readonly string[],
): Promise<void> {
  await begin(async (tx) => {
    const badges = await deleteAccountBadges(tx, owner.id, slugs)
    if (badges.length === 0) return
    await record(tx, actor, { action: 'badge.taken', target: accountTarget(owner), details: { badges } })
  })
}

import type { Begin, Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { conflict, unprocessable } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import { type Actor, accountTarget, record } from '../admin/audit-trail.ts'
import { deleteAccountBadges, insertAccountBadges, lockBadges } from './badge-store.ts'

type Owner = Pick<Account, 'id' | 'name' | 'kind'>

/** The message for an unknown slug. */
export const badgeUnknown = (slug: string) => `badge does not exist [slug: ${slug}]`

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
    const unique = [...new Set(slugs)]
    const wanted = unique.map((slug) => {
      const id = idBySlug.get(slug)
      if (id === undefined) throw unprocessable(badgeUnknown(slug))
      return id
    })
    const added = await insertAccountBadges(tx, owner.id, wanted)
    const present = wanted.find((id) => !added.has(id))
    if (present !== undefined) {
      throw conflict(`user badge already exists [user_id: ${owner.id}, badge_id: ${present}]`)
    }
    await recordBadges(tx, actor, 'badge.given', owner, unique)
  })
  await mapConstraints(giving, { account_badge_account_known: [404, nameUnknown(owner.name)] })
}

/** Takes badges from an account, ignoring those that it does not have or that do not exist. Returns the slugs taken. */
export async function takeBadges(
  begin: Begin,
  actor: Actor,
  owner: Owner,
  slugs: readonly string[],
): Promise<string[]> {
  return begin(async (tx) => {
    const taken = await deleteAccountBadges(tx, owner.id, slugs)
    if (taken.length > 0) await recordBadges(tx, actor, 'badge.taken', owner, taken)
    return taken
  })
}

async function recordBadges(
  tx: Tx,
  actor: Actor,
  action: 'badge.given' | 'badge.taken',
  owner: Owner,
  badges: readonly string[],
): Promise<void> {
  await record(tx, actor, { action, target: accountTarget(owner), details: { badges } })
}

import type { Begin, Tx } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { conflict, notFound, unprocessable } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account.ts'
import { nameUnknown } from '../accounts/names.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import { deleteAccountBadges, insertAccountBadges, keepBadges } from './badge-store.ts'

type Owner = Pick<Account, 'id' | 'name' | 'kind'>

/** The sentence for a slug that no badge has. */
export const badgeUnknown = (slug: string) => `badge does not exist [slug: ${slug}]`

/**
 * Gives an account badges: all of them or none. A slug that stands twice counts once.
 * @throws Problem 404 account gone, 409 it has one of them, 422 no such badge
 */
export async function giveBadges(
  begin: Begin,
  by: Actor,
  owner: Owner,
  slugs: readonly string[],
): Promise<void> {
  if (slugs.length === 0) return
  const given = begin(async (tx) => {
    const known = new Map((await keepBadges(tx, slugs)).map(({ slug, id }) => [slug, id]))
    const unique = [...new Set(slugs)]
    const wanted = unique.map((slug) => {
      const id = known.get(slug)
      if (id === undefined) throw unprocessable(badgeUnknown(slug))
      return id
    })
    const added = await insertAccountBadges(tx, owner.id, wanted)
    const present = wanted.find((id) => !added.has(id))
    if (present !== undefined) {
      throw conflict(`user badge already exists [user_id: ${owner.id}, badge_id: ${present}]`)
    }
    await recordBadges(tx, by, 'badge.given', owner, unique)
  })
  await mapConstraints(given, ({ constraint }) =>
    constraint === 'account_badge_account_known' ? notFound(nameUnknown(owner.name)) : undefined,
  )
}

/** Takes badges from an account; those that it has not, or that there are not, are passed over. Gives the others. */
export async function takeBadges(
  begin: Begin,
  by: Actor,
  owner: Owner,
  slugs: readonly string[],
): Promise<string[]> {
  return begin(async (tx) => {
    const taken = await deleteAccountBadges(tx, owner.id, slugs)
    if (taken.length > 0) await recordBadges(tx, by, 'badge.taken', owner, taken)
    return taken
  })
}

async function recordBadges(
  tx: Tx,
  by: Actor,
  action: 'badge.given' | 'badge.taken',
  { id, name, kind }: Owner,
  badges: readonly string[],
): Promise<void> {
  const target = { kind: kind === 'organization' ? kind : 'user', id, name }
  await record(tx, by, { action, target, details: { badges } })
}

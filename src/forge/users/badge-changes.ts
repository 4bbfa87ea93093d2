import type * as v from 'valibot'
import type { Begin } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { found } from '../../http/route/problem.ts'
import type { Conflicts } from '../../http/route/route.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext } from '../route.ts'
import type { EditBadgeOption } from './badge.shape.ts'
import { badgeUnknown } from './badge-giving.ts'
import {
  type BadgeDraft,
  deleteBadge,
  insertBadge,
  lockBadge,
  type StoredBadge,
  updateBadge,
} from './badge-store.ts'

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

/** Deletes a badge; returns its id, or undefined when there is none. */
export async function removeBadge(begin: Begin, actor: Actor, slug: string): Promise<number | undefined> {
  return begin(async (tx) => {
    const id = await deleteBadge(tx, slug)
    if (id !== undefined) {
      await record(tx, actor, { action: 'badge.deleted', target: { kind: 'badge', id, name: slug } })
    }
    return id
  })
}

/** An edit that changes nothing is not audited. @throws Problem 404, 409 */
export async function editBadge(
  { begin, ...actor }: ForgeContext<SignedIn>,
  slug: string,
  input: Input,
): Promise<StoredBadge> {
  const edited = begin(async (tx) => {
    const badge = found(await lockBadge(tx, slug), badgeUnknown(slug))
    const changes = changesOf(badge, input)
    if (Object.keys(changes).length === 0) return badge
    const target = { kind: 'badge', id: badge.id, name: badge.slug }
    await record(tx, actor, { action: 'badge.edited', target, details: changes })
    return updateBadge(tx, { ...badge, ...changes })
  })
  return mapConstraints(edited, slugTaken(input.slug ?? slug))
}

type Input = v.InferOutput<typeof EditBadgeOption>

function changesOf(badge: StoredBadge, { slug, description, image_url }: Input): Partial<BadgeDraft> {
  return {
    ...(slug !== undefined && slug !== badge.slug && { slug }),
    ...(description !== undefined && description !== badge.description && { description }),
    ...(image_url !== undefined && image_url !== badge.image_url && { image_url }),
  }
}

const slugTaken = (slug: string): Conflicts => ({
  badge_slug_unique: [409, `badge already exists [slug: ${slug}]`],
})

import * as v from 'valibot'
import { mapPage } from '../../db/page.ts'
import type { Begin } from '../../db/sql.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import type { Conflicts } from '../../http/route/route.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import { type SignedIn, siteAdmin, siteAdminOn } from '../auth/access.ts'
import { askedParam } from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { Badge, CreateBadgeOption, EditBadgeOption, UserBadgeOption } from './badge.shape.ts'
import { badgeUnknown, giveBadges, takeBadges } from './badge-giving.ts'
import {
  type BadgeDraft,
  badgeBySlug,
  badgesOf,
  deleteBadge,
  insertBadge,
  lockBadge,
  pageOfBadges,
  type StoredBadge,
  updateBadge,
} from './badge-store.ts'

const listOfUser = route('GET /admin/users/{username}/badges', {
  operationId: 'adminListUserBadges',
  summary: 'Badges of a user, in the order in which they were given',
  access: siteAdminOn(),
  returns: [200, v.array(Badge)],
  sends: 'unlinked',
  shared: 'until written',
  handler: async ({ caller, sql }) => {
    // All on one page.
    const rows = (await badgesOf(sql, caller.subject.id)).map(printBadge)
    return { page: 1, limit: rows.length, rows, total: rows.length }
  },
})

const give = route('POST /admin/users/{username}/badges', {
  operationId: 'adminAddUserBadges',
  summary: 'Give a user badges: all of them or none',
  access: siteAdminOn(),
  body: UserBadgeOption,
  fails: [409],
  returns: [204],
  handler: async (context) =>
    giveBadges(context.begin, context, context.caller.subject, context.body.badge_slugs),
})

const take = route('DELETE /admin/users/{username}/badges', {
  operationId: 'adminDeleteUserBadges',
  summary: 'Take badges from a user; those that it has not are passed over',
  access: siteAdminOn(),
  body: UserBadgeOption,
  returns: [204],
  handler: async (context) =>
    takeBadges(context.begin, context, context.caller.subject, context.body.badge_slugs),
})

const list = route('GET /admin/badges', {
  operationId: 'adminListBadges',
  extension: true,
  summary: 'All badges, by slug',
  access: siteAdmin(),
  ...pagesOf(Badge),
  handler: async ({ query, sql }) => {
    return mapPage(await pageOfBadges(sql, query), printBadge)
  },
})

const create = route('POST /admin/badges', {
  operationId: 'adminCreateBadge',
  extension: true,
  summary: 'Create a badge, which users may then be given',
  access: siteAdmin(),
  body: CreateBadgeOption,
  fails: [409],
  returns: [201, Badge],
  handler: async (context) => printBadge(await createBadge(context.begin, context, context.body)),
})

const show = route('GET /admin/badges/{slug}', {
  operationId: 'adminGetBadge',
  extension: true,
  summary: 'A badge',
  access: siteAdmin(),
  params: { slug: askedParam },
  fails: [404],
  returns: [200, Badge],
  handler: async ({ params: { slug }, sql }) =>
    printBadge(found(await badgeBySlug(sql, slug), badgeUnknown(slug))),
})

const edit = route('PATCH /admin/badges/{slug}', {
  operationId: 'adminEditBadge',
  extension: true,
  summary: 'Edit a badge; what is not given stays, and who has it keeps it',
  access: siteAdmin(),
  params: { slug: askedParam },
  body: EditBadgeOption,
  fails: [404, 409],
  returns: [200, Badge],
  handler: async (context) => printBadge(await editBadge(context, context.params.slug, context.body)),
})

const remove = route('DELETE /admin/badges/{slug}', {
  operationId: 'adminDeleteBadge',
  extension: true,
  summary: 'Delete a badge, also from all who have it',
  access: siteAdmin(),
  params: { slug: askedParam },
  fails: [404],
  returns: [204],
  handler: async (context) =>
    found(await removeBadge(context.begin, context, context.params.slug), badgeUnknown(context.params.slug)),
})

export const badgeRoutes = [listOfUser, give, take, list, create, show, edit, remove]

function printBadge({ id, slug, description, image_url }: StoredBadge): Badge {
  return {
    id,
    slug,
    description,
    image_url,
    ID: id,
    Slug: slug,
    Description: description,
    ImageURL: image_url,
  }
}

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

type Input = v.InferOutput<typeof EditBadgeOption>

/** An edit that changes nothing is not audited. @throws Problem 404, 409 */
async function editBadge(
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

import { mapPage } from '../../db/page.ts'
import { pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { siteAdmin, siteAdminOn } from '../auth/access.ts'
import { nameParam } from '../protocol/query.ts'
import { route } from '../route.ts'
import { CreateBadgeOption, EditBadgeOption, UserBadgeOption } from './badge.option.ts'
import { Badge } from './badge.shape.ts'
import { badgeUnknown, createBadge, editBadge, giveBadges, removeBadge, takeBadges } from './badge-changes.ts'
import { badgeBySlug, badgesOf, pageOfBadges, type StoredBadge } from './badge-store.ts'

export const adminListUserBadges = route('GET /admin/users/{username}/badges', {
  summary: 'Badges of a user, in the order in which they were given',
  access: siteAdminOn(),
  returns: paged(Badge),
  shared: 'until written',
  handler: async ({ caller, sql }) => {
    // All on one page.
    const rows = (await badgesOf(sql, caller.subject.id)).map(printBadge)
    return { page: 1, limit: Math.max(rows.length, 1), rows, total: rows.length }
  },
})

export const adminAddUserBadges = route('POST /admin/users/{username}/badges', {
  summary: 'Give badges to a user: all of them or none',
  access: siteAdminOn(),
  body: UserBadgeOption,
  fails: [409],
  returns: noBody(204),
  handler: async (context) =>
    giveBadges(context.begin, context, context.caller.subject, context.body.badge_slugs),
})

export const adminDeleteUserBadges = route('DELETE /admin/users/{username}/badges', {
  summary: 'Remove badges from a user; badges that the user does not have are ignored',
  access: siteAdminOn(),
  body: UserBadgeOption,
  returns: noBody(204),
  handler: async (context) =>
    takeBadges(context.begin, context, context.caller.subject, context.body.badge_slugs),
})

export const adminListBadges = route('GET /admin/badges', {
  extension: true,
  summary: 'All badges, by slug',
  access: siteAdmin(),
  ...pagesOf(Badge),
  handler: async ({ query, sql }) => mapPage(await pageOfBadges(sql, query), printBadge),
})

export const adminCreateBadge = route('POST /admin/badges', {
  extension: true,
  summary: 'Create a badge',
  access: siteAdmin(),
  body: CreateBadgeOption,
  fails: [409],
  returns: json(201, Badge),
  handler: async (context) => printBadge(await createBadge(context.begin, context, context.body)),
})

export const adminGetBadge = route('GET /admin/badges/{slug}', {
  extension: true,
  summary: 'A badge',
  access: siteAdmin(),
  params: { slug: nameParam },
  fails: [404],
  returns: json(200, Badge),
  handler: async ({ params: { slug }, sql }) =>
    printBadge(found(await badgeBySlug(sql, slug), badgeUnknown(slug))),
})

export const adminEditBadge = route('PATCH /admin/badges/{slug}', {
  extension: true,
  summary: 'Change a badge; omitted members keep their values',
  access: siteAdmin(),
  params: { slug: nameParam },
  body: EditBadgeOption,
  fails: [404, 409],
  returns: json(200, Badge),
  handler: async (context) => printBadge(await editBadge(context, context.params.slug, context.body)),
})

export const adminDeleteBadge = route('DELETE /admin/badges/{slug}', {
  extension: true,
  summary: 'Delete a badge and remove it from all users',
  access: siteAdmin(),
  params: { slug: nameParam },
  fails: [404],
  returns: noBody(204),
  handler: (context) => removeBadge(context.begin, context, context.params.slug),
})

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

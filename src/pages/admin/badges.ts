import { queryText } from '../../forge/protocol/query.ts'
import { Badge } from '../../forge/users/badge.shape.ts'
import {
  adminCreateBadge,
  adminDeleteBadge,
  adminEditBadge,
  adminGetBadge,
  adminListBadges,
} from '../../forge/users/badges.ts'
import { type Fields, field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { perform, read, readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { changeForms, listBesideForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

const notices: Readonly<Record<string, string>> = {
  created: 'The badge was created. A user gets it on the page of the user.',
  edited: 'The badge was changed.',
  deleted: 'The badge was deleted, also from all who had it.',
}

export const getAdminBadgesPage = route('GET /-/admin/badges', {
  ...adminReply,
  summary: 'All badges, and the form that creates one, as a page',
  query: listQuery,
  handler: ({ caller, query }) => badgesPage(caller, { page: query.page, done: notices[query.done] }),
})

export const createBadgeByPage = route('POST /-/admin/badges', {
  ...adminForm,
  summary: 'Create a badge',
  handler: ({ caller, body }) =>
    replyTo(caller, perform(caller, adminCreateBadge, { body: draftOf(body) }), {
      path: 'badges?done=created',
      blame,
      again: (refusal) => badgesPage(caller, { values: body, refusal }),
    }),
})

export const getAdminBadgePage = route('GET /-/admin/badges/{slug}', {
  ...adminReply,
  summary: 'A badge, and the forms that change and delete it, as a page',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, params, query }) => badgePage(caller, params.slug, { done: notices[query.done] }),
})

export const editBadgeByPage = route('POST /-/admin/badges/{slug}/edit', {
  ...adminForm,
  summary: 'Change a badge',
  fails: [404],
  handler: ({ caller, params, body }) => {
    const draft = draftOf(body)
    return replyTo(caller, perform(caller, adminEditBadge, { params, body: draft }), {
      path: `badges/${draft.slug}?done=edited`,
      blame,
      again: (refusal) => badgePage(caller, params.slug, { values: body, refusal }),
    })
  },
})

export const deleteBadgeByPage = route('POST /-/admin/badges/{slug}/delete', {
  ...adminForm,
  summary: 'Delete a badge and remove it from all users',
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, adminDeleteBadge, { params }), {
      path: 'badges?done=deleted',
      again: (refusal) => badgesPage(caller, { refusal }),
    }),
})

const blame = { slug: /slug|exist/i, description: /description/i, image_url: /image/i }

const draftOf = ({ slug = '', description = '', image_url = '' }: Fields) => ({
  slug,
  description,
  image_url,
})

async function badgesPage(caller: Administrator, { page: at = 1, ...shown }: Shown): Promise<string> {
  const page = await readPage(caller, adminListBadges, Badge, { query: pageAt(at) })
  const address = adminAddress(caller, 'badges')
  const main = listBesideForm(
    listSection({
      address,
      page,
      noun: ['badge'],
      rowOf: ({ slug, description }) =>
        rowOf(html`<a href="${address}/${slug}">${slug}</a>`, html`<bdi>${description}</bdi>`),
    }),
    address,
    'badge',
    badgeFields(shown),
  )
  return adminPage({ caller, title: 'Badges', section: 'badges', main, ...shown })
}

async function badgePage(caller: Administrator, slug: string, shown: Shown): Promise<string> {
  const badge = await read(caller, adminGetBadge, Badge, { params: { slug } })
  const address = adminAddress(caller, `badges/${badge.slug}`)
  const { description, image_url } = badge
  const main = changeForms(
    address,
    badgeFields({ values: { slug: badge.slug, description, image_url }, ...shown }),
    badge.slug,
    'All who have the badge lose it. Nobody can undo this.',
  )
  return adminPage({ caller, title: badge.slug, section: 'badges', main, ...shown })
}

function badgeFields({ values = {}, refusal }: Shown): Html {
  const fieldOf = fieldsOf(values, refusal)
  return html`${field({ ...fieldOf('slug'), label: 'Slug', hint: 'Its name in addresses' })}
${field({ ...fieldOf('description'), label: 'Description', isOptional: true })}
${field({ ...fieldOf('image_url'), label: 'Address of a picture', type: 'url', isOptional: true })}`
}

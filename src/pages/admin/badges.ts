import { queryText } from '../../forge/protocol/query.ts'
import { Badge } from '../../forge/users/badge.shape.ts'
import {
  adminCreateBadge,
  adminDeleteBadge,
  adminEditBadge,
  adminGetBadge,
  adminListBadges,
} from '../../forge/users/badges.ts'
import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { route } from '../route.ts'
import { adminPage } from './frame.ts'
import { listQuery, listSection, pageAt, rowOf } from './list.ts'
import { type Administrator, perform, read, readPage } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { adminForm, adminReply, type Fields, outcomeOf } from './reply.ts'

const doneWords: Readonly<Record<string, string>> = {
  created: 'The badge was created. A user gets it on the page of the user.',
  edited: 'The badge was changed.',
  deleted: 'The badge was deleted, also from all who had it.',
}

export const getAdminBadgesPage = route('GET /-/admin/badges', {
  ...adminReply,
  summary: 'All badges, and the form that creates one, as a page',
  query: listQuery,
  handler: ({ caller, query }) => badgesPage(caller, { page: query.page, done: doneWords[query.done] }),
})

export const createBadgeByPage = route('POST /-/admin/badges', {
  ...adminForm,
  summary: 'Create a badge',
  handler: async ({ caller, body }) => {
    const refusal = await refusalOf(perform(caller, adminCreateBadge, { body: draftOf(body) }), blame)
    return outcomeOf(caller, refusal, 'badges?done=created', (refused) =>
      badgesPage(caller, { values: body, refusal: refused }),
    )
  },
})

export const getAdminBadgePage = route('GET /-/admin/badges/{slug}', {
  ...adminReply,
  summary: 'A badge, and the forms that change and delete it, as a page',
  query: { done: queryText },
  fails: [404],
  handler: ({ caller, params, query }) => badgePage(caller, params.slug, { done: doneWords[query.done] }),
})

export const editBadgeByPage = route('POST /-/admin/badges/{slug}/edit', {
  ...adminForm,
  summary: 'Change a badge',
  fails: [404],
  handler: async ({ caller, params, body }) => {
    const given = { params, body: draftOf(body) }
    const refusal = await refusalOf(perform(caller, adminEditBadge, given), blame)
    return outcomeOf(caller, refusal, `badges/${given.body.slug}?done=edited`, (refused) =>
      badgePage(caller, params.slug, { values: body, refusal: refused }),
    )
  },
})

export const deleteBadgeByPage = route('POST /-/admin/badges/{slug}/delete', {
  ...adminForm,
  summary: 'Delete a badge and remove it from all users',
  handler: async ({ caller, params }) => {
    const refusal = await refusalOf(perform(caller, adminDeleteBadge, { params }))
    return outcomeOf(caller, refusal, 'badges?done=deleted', (refused) =>
      badgesPage(caller, { refusal: refused }),
    )
  },
})

const blame = { slug: /slug|exist/i, description: /description/i, image_url: /image/i }

const draftOf = ({ slug = '', description = '', image_url = '' }: Fields) => ({
  slug,
  description,
  image_url,
})

interface Shown {
  page?: number
  done?: string | undefined
  /** The form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

async function badgesPage(caller: Administrator, { page: at = 1, ...shown }: Shown): Promise<string> {
  const { host } = caller.request.from
  const page = await readPage(caller, adminListBadges, Badge, { query: pageAt(at) })
  const address = `${host}-/admin/badges`
  const main = html`<div class="panel"><div>
${listSection({
  address,
  page,
  words: ['badge'],
  rowOf: ({ slug, description }) =>
    rowOf(html`<a href="${address}/${slug}">${slug}</a>`, html`<bdi>${description}</bdi>`),
  empty: 'There are none yet.',
})}</div>
<form class="card" method="post" action="${address}" aria-labelledby="new">
<h2 id="new">Create a badge</h2>
${badgeFields(shown)}
<button>Create the badge</button>
</form>
</div>`
  return adminPage({ caller, title: 'Badges', section: 'badges', main, ...shown })
}

async function badgePage(caller: Administrator, slug: string, shown: Shown): Promise<string> {
  const { host } = caller.request.from
  const badge = await read(caller, adminGetBadge, Badge, { params: { slug } })
  const address = `${host}-/admin/badges/${badge.slug}`
  const { description, image_url } = badge
  const main = html`<div class="panel">
<form class="card" method="post" action="${address}/edit">
${badgeFields({ values: { slug: badge.slug, description, image_url }, ...shown })}
<button>Save</button>
</form>
<form class="card" method="post" action="${address}/delete" aria-labelledby="delete">
<h2 id="delete">Delete</h2>
<p>All who have the badge lose it. Nobody can undo this.</p>
<button class="admin-danger">Delete ${badge.slug}</button>
</form>
</div>`
  return adminPage({ caller, title: badge.slug, section: 'badges', main, ...shown })
}

function badgeFields({ values = {}, refusal }: Shown): Html {
  const own = (name: string) => {
    const fault = refusal?.field === name ? refusal.sentence : undefined
    return { name, value: values[name], fault, hasFocus: fault !== undefined, autocomplete: 'off' }
  }
  return html`${field({ ...own('slug'), label: 'Slug', hint: 'Its name in addresses' })}
${field({ ...own('description'), label: 'Description', isOptional: true })}
${field({ ...own('image_url'), label: 'Address of a picture', type: 'url', isOptional: true })}`
}

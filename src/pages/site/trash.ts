import * as v from 'valibot'
import { textAs } from '../../http/route/sends.ts'
import { type RemovedTitle, removedTitles } from '../../site/trash-store.ts'
import { trashDays } from '../../site/upkeep.ts'
import { type Html, html, timeOf } from '../html.ts'
import { listOf, page } from '../layout.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { type Manager, managePath, manager } from '../session/session.ts'
import { doneNotice } from './done-notice.ts'
import { type Listing, listingOf, listLinks, placeFields, placeIn } from './listing.ts'
import { ask, idIn, opening, requirePublishing } from './manage-form.ts'

export const getTrashPage = route('GET /overview/manage/trash', {
  access: manager,
  returns: textAs(200, htmlType),
  fails: [403],
  summary: 'Posts and media that were removed, to restore them or to delete them for good',
  query: {
    done: v.optional(v.unknown()),
    id: v.optional(v.unknown()),
    posts: v.optional(v.unknown()),
    media: v.optional(v.unknown()),
  },
  handler: async ({ query, ...context }) => {
    requirePublishing(context)
    const { caller, sql, from } = context
    const { host } = from
    const place = placeIn(query)
    const [posts, media] = await Promise.all([
      listingOf((part) => removedTitles(sql, 'news', part), place.posts, removal),
      listingOf((part) => removedTitles(sql, 'media', part), place.media, removal),
    ])
    const parts = { host, caller, posts, media }
    const done = typeof query.done === 'string' ? { action: query.done, id: idIn(query.id) } : undefined
    const main = html`<div class="title"><h1>Trash</h1>
<p class="actions"><a href="${host}${managePath.slice(1)}">Manage the site</a></p></div>
${done ? doneNotice(parts, done) : undefined}
<p class="lead">What was removed is kept here for ${trashDays} days. Restored posts have their former address and time.</p>
<div class="column">
<section class="card" aria-labelledby="posts"><h2 id="posts">Posts</h2>
${removedList(parts, posts, 'post')}
${listLinks(host, '/trash', parts, 'posts')}</section>
<section class="card" aria-labelledby="items"><h2 id="items">Media</h2>
${removedList(parts, media, 'item')}
${listLinks(host, '/trash', parts, 'media')}</section>
</div>`
    return page({ host, caller, title: 'Trash', main, current: 'manage' })
  },
})

/** What the lists of the trash are ordered by. */
const removal = ({ removed_at }: RemovedTitle) => removed_at

interface Parts {
  host: string
  caller: Manager
  posts: Listing<RemovedTitle>
  media: Listing<RemovedTitle>
}

function removedList(parts: Parts, { rows }: Listing<RemovedTitle>, kind: 'post' | 'item'): Html {
  const place = placeFields({ posts: parts.posts.here, media: parts.media.here })
  const form = (action: string, id: number) => opening(parts, { action, id, back: 'trash', ...place })
  return listOf(
    rows.map(
      ({ id, title, removed_at }) => html`
<li class="row"><span><bdi>${title}</bdi><br><span class="meta">removed ${timeOf(removed_at)}</span></span>
<span class="row-actions">${form(`restore-${kind}`, id)}<button class="quiet small" aria-label="Restore ${title}">Restore</button></form>
${ask('Delete', `Delete ${title}`, 'Delete it for good? Nobody can restore it.', form(`delete-${kind}`, id), 'Delete it')}</span></li>`,
    ),
    'Nothing is here.',
  )
}

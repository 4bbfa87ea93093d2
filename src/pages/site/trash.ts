import { type RemovedTitle, removedTitles } from '../../site/trash-store.ts'
import { trashDays } from '../../site/upkeep.ts'
import { ask } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card, listOf, page } from '../layout.ts'
import { rowOf } from '../list.ts'
import { route } from '../route.ts'
import type { Manager } from '../session/session.ts'
import { doneIn, doneNotice } from './done-notice.ts'
import { listsQuery, shown } from './editor-routes.ts'
import { type Listing, listingOf, listLinks, placeFields, placeIn, placeOf } from './listing.ts'
import { headingOf, opening } from './manage-form.ts'

export const getTrashPage = route('GET /overview/manage/trash', {
  ...shown,
  fails: [403],
  summary: 'Posts and media that were removed, to restore them or to delete them for good',
  query: listsQuery,
  handler: async ({ query, caller, sql, from: { host } }) => {
    const place = placeIn(query)
    const [posts, media] = await Promise.all([
      listingOf((part) => removedTitles(sql, 'news', part), place.posts, removal),
      listingOf((part) => removedTitles(sql, 'media', part), place.media, removal),
    ])
    const parts = { host, caller, posts, media }
    const done = doneIn(query)
    const main = html`${headingOf(host, 'Trash')}
${done ? doneNotice(parts, done) : undefined}
<p class="lead">What was removed is kept here for ${trashDays} days. Restored posts have their former address and time.</p>
<div class="column">
${card('posts', 'Posts')`${removedList(parts, posts, 'post')}
${listLinks(host, '/trash', parts, 'posts')}`}
${card('items', 'Media')`${removedList(parts, media, 'item')}
${listLinks(host, '/trash', parts, 'media')}`}
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
  const place = placeFields(placeOf(parts))
  const form = (action: string, id: number) => opening(parts, { action, id, back: 'trash', ...place })
  return listOf(
    rows.map(({ id, title, removed_at }) =>
      rowOf(
        html`<bdi>${title}</bdi>`,
        html`removed ${timeOf(removed_at)}`,
        html`${form(`restore-${kind}`, id)}<button class="quiet small" aria-label="Restore ${title}">Restore</button></form>
${ask('Delete', `Delete ${title}`, 'Delete it for good? Nobody can restore it.', form(`delete-${kind}`, id), 'Delete it')}`,
      ),
    ),
    `No removed ${kind === 'post' ? 'posts' : 'pictures and films'}.`,
  )
}

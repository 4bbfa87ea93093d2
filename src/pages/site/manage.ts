import { textAs } from '../../http/route/sends.ts'
import { listDrafts } from '../../site/draft-store.ts'
import { titlesOfItems } from '../../site/media-store.ts'
import { titlesOfPosts } from '../../site/news-store.ts'
import { newestSessions } from '../../site/session-store.ts'
import { storedName } from '../../site/setting-store.ts'
import { allStatistics } from '../../site/statistic-store.ts'
import type { Faults, Fields } from '../form.ts'
import { formReply, htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { manager, managing } from '../session/session.ts'
import { bySender, orKeepForm } from '../sign-in/sender.ts'
import { type Did, doneIn } from './done-notice.ts'
import { listsQuery } from './editor-routes.ts'
import { listingOf, type Place, placeIn } from './listing.ts'
import { act } from './manage-actions.ts'
import { type ManageContext, replyTo } from './manage-form.ts'
import { managePage } from './manage-page.ts'

export const getManagePage = route('GET /overview/manage', {
  access: manager,
  returns: textAs(200, htmlType),
  summary: 'Manage the site: news, media, sessions, figures, activity, its name',
  query: listsQuery,
  handler: ({ query, ...context }) => pageFor(context, { place: placeIn(query), done: doneIn(query) }),
})

export const manageSite = route('POST /overview/manage', {
  ...formReply,
  access: orKeepForm(managing),
  summary:
    'Remove, restore or delete posts and media, discard a draft, end a session, set the figures, add activity, name the site',
  fails: [400, 403, 404],
  also: [401, 403, 404, 422],
  handler: ({ body, caller: sender, ...request }) =>
    bySender(sender, body, (caller) => {
      const context = { ...request, caller }
      return replyTo(
        context,
        body,
        (within) => act(within, body),
        ({ status, ...shown }) => pageFor(context, { place: placeIn(body), values: body, ...shown }),
      )
    }),
})

/** How many drafts the page shows. */
const maxDrafts = 100

async function pageFor(
  context: ManageContext,
  outcome: {
    place: Place
    values?: Fields
    faults?: Faults
    refused?: string
    done?: Did | undefined
  },
): Promise<string> {
  const { sql, caller, tools, from } = context
  const { place } = outcome
  const [drafts, posts, media, statistics, sessions, name] = await Promise.all([
    listDrafts(sql, maxDrafts),
    listingOf((part) => titlesOfPosts(sql, part), place.posts),
    listingOf((part) => titlesOfItems(sql, part), place.media),
    allStatistics(sql),
    newestSessions(sql),
    storedName(sql),
  ])
  const shown = {
    values: {},
    faults: {},
    ...outcome,
    drafts,
    posts,
    media,
    statistics,
    sessions,
    name: name?.value ?? '',
  }
  return managePage({ ...shown, caller, host: from.host, publishing: tools.publishing })
}

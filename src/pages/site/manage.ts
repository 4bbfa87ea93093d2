import * as v from 'valibot'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { listDrafts } from '../../site/draft-store.ts'
import { titlesOfItems } from '../../site/media-store.ts'
import { titlesOfPosts } from '../../site/news-store.ts'
import { newestSessions } from '../../site/session-store.ts'
import { storedName } from '../../site/setting-store.ts'
import { allStatistics } from '../../site/statistic-store.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { bySender, orKeepForm } from '../session/sender.ts'
import { manager, managing } from '../session/session.ts'
import { listingOf, type Place, placeFields, placeIn } from './listing.ts'
import { act } from './manage-actions.ts'
import { attempt, type Faults, type Fields, idIn, isRefusal, led, type ManageContext } from './manage-form.ts'
import { managePage } from './manage-page.ts'

const reply = { access: manager, returns: textAs(200, htmlType) } as const

export const getManagePage = route('GET /overview/manage', {
  ...reply,
  summary: 'Manage the site: news, media, sessions, figures, activity, its name',
  query: {
    done: v.optional(v.unknown()),
    id: v.optional(v.unknown()),
    posts: v.optional(v.unknown()),
    media: v.optional(v.unknown()),
  },
  handler: ({ query, ...context }) => {
    const done = typeof query.done === 'string' ? { action: query.done, id: idIn(query.id) } : undefined
    return pageFor(context, { place: placeIn(query), done })
  },
})

export const manageSite = route('POST /overview/manage', {
  ...reply,
  access: orKeepForm(managing),
  returns: textAs(303, htmlType),
  summary:
    'Remove, restore or delete posts and media, discard a draft, end a session, set the figures, add activity, name the site',
  body: v.record(v.string(), v.string()),
  fails: [400, 403, 404],
  alwaysValid: true,
  also: [401, 403, 404, 422],
  handler: ({ body, caller: sender, ...context }) =>
    bySender(sender, body, (caller) => take({ ...context, caller }, body)),
})

/** Does what the form asks for, or shows the page again with what was written. @throws Problem 400, 403, 404 */
async function take(context: ManageContext, body: Fields): Promise<ReplyWith<string>> {
  const place = placeIn(body)
  const outcome = await attempt(context, body, (within) => act(within, body))
  if (!isRefusal(outcome))
    return led(context, { ...outcome, query: { ...outcome.query, ...placeFields(place) } })
  const { status, ...shown } = outcome
  return new ReplyWith(await pageFor(context, { place, values: body, ...shown }), { status })
}

/** Drafts on the page at most. */
const mostDrafts = 100

async function pageFor(
  context: ManageContext,
  outcome: {
    place: Place
    values?: Fields
    faults?: Faults
    refused?: string
    done?: { action: string; id: number | undefined } | undefined
  },
): Promise<string> {
  const { sql, caller, tools, from } = context
  const { place } = outcome
  const [drafts, posts, media, statistics, sessions, given] = await Promise.all([
    listDrafts(sql, mostDrafts),
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
    name: given?.value ?? '',
  }
  return managePage({ ...shown, caller, host: from.host, publishing: tools.publishing })
}

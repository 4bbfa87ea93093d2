import * as v from 'valibot'
import { offsetOf } from '../db/page.ts'
import { Problem } from '../http/route/problem.ts'
import { ReplyWith } from '../http/route/results.ts'
import { titlesOfItems } from '../site/media.ts'
import { titlesOfPosts } from '../site/news.ts'
import { newestSessions } from '../site/sessions.ts'
import { allStatistics } from '../site/statistics.ts'
import type { RowRange, Titled } from '../site/titled.ts'
import { act, type Faults, type Fields, type ManageContext } from './manage-actions.ts'
import { type Listing, manageAddress, managePage, type Place } from './manage-page.ts'
import { htmlType } from './profile.ts'
import { route } from './route.ts'
import { isFormOf, manager } from './session/session.ts'

const reply = { access: manager, returns: [200, v.string()], media: htmlType } as const

export const getManagePage = route('GET /overview/manage', {
  ...reply,
  summary: 'Manage the site: news, media, sessions, figures, activity',
  query: { done: v.optional(v.unknown()), posts: v.optional(v.unknown()), media: v.optional(v.unknown()) },
  handler: ({ query, ...context }) =>
    pageFor(context, { place: placeIn(query), isDone: query.done !== undefined }),
})

export const manageSite = route('POST /overview/manage', {
  ...reply,
  returns: [303, v.string()],
  summary: 'Publish or remove news and media, end a session, set the figures, add activity',
  body: v.record(v.string(), v.string()),
  fails: [400, 403, 404],
  alwaysValid: true,
  also: [403, 404, 422],
  handler: async ({ body, ...context }) => {
    const refusal = await refusalOf(context, body)
    const place = placeIn(body)
    if (refusal) {
      const { status, ...shown } = refusal
      return new ReplyWith(await pageFor(context, { place, values: body, ...shown }), { status })
    }
    const Location =
      manageAddress(context.from.host, place, { done: '1' }) + (sections[body.action ?? ''] ?? '')
    return new ReplyWith('', { status: 303, headers: { Location } })
  },
})

/** Whoever removes something sees the list again from which it went. */
const sections: Readonly<Record<string, string>> = { 'remove-news': '#posts', 'remove-media': '#items' }

/** The pages of the two lists that a query or a form names; 1 for anything that is no page. */
function placeIn({ posts, media }: { posts?: unknown; media?: unknown }): Place {
  const pageIn = (given: unknown) => {
    const number = Number(given)
    return Number.isSafeInteger(number) && number > 0 ? number : 1
  }
  return { posts: pageIn(posts), media: pageIn(media) }
}

/** Rows of a list on one page. */
const listed = 20

/** A page of a list; the one before it where nothing is left of it, and the first one where nothing ever was. */
async function listingOf(read: (range: RowRange) => Promise<Titled[]>, wanted: number): Promise<Listing> {
  for (const page of [wanted, wanted - 1]) {
    // One row more tells whether there is a next page.
    const rows = page < 1 ? [] : await read({ first: offsetOf({ page, limit: listed }), count: listed + 1 })
    if (rows.length > 0) return { rows: rows.slice(0, listed), page, hasNext: rows.length > listed }
  }
  return wanted > 2 ? listingOf(read, 1) : { rows: [], page: 1, hasNext: false }
}

/** Why a form has changed nothing, beside the page with what was written. */
interface Refusal {
  status: 403 | 404 | 422
  faults?: Faults
  refused: string
}

/** Does what a form asks for; undefined if that is done. @throws Problem 400, 403 */
async function refusalOf(context: ManageContext, body: Fields): Promise<Refusal | undefined> {
  if (!isFormOf(context.caller, body.form_token))
    return { status: 403, refused: 'You have signed in again since this page was loaded. Send it once more.' }
  try {
    const faults = await act(context, body)
    return faults && { status: 422, faults, refused: 'See the fields that are marked.' }
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    return { status: 404, refused: 'It is no longer there.' }
  }
}

async function pageFor(
  context: ManageContext,
  outcome: { place: Place; values?: Fields; faults?: Faults; refused?: string; isDone?: boolean },
): Promise<string> {
  const { sql, caller, tools, from } = context
  const { place } = outcome
  const [posts, media, statistics, sessions] = await Promise.all([
    listingOf((range) => titlesOfPosts(sql, range), place.posts),
    listingOf((range) => titlesOfItems(sql, range), place.media),
    allStatistics(sql),
    newestSessions(sql),
  ])
  const shown = { values: {}, faults: {}, ...outcome, posts, media, statistics, sessions }
  return managePage({ ...shown, caller, host: from.host, publishing: tools.publishing })
}

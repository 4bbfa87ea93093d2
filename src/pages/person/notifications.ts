import * as v from 'valibot'
import { signedInFully } from '../../forge/auth/access.ts'
import { printThreads } from '../../forge/notifications/notification.shape.ts'
import { justAfter, numberIn, queryChoice } from '../../forge/protocol/query.ts'
import {
  markThread,
  markThreads,
  pageOfThreads,
  STATUSES,
  type Status,
} from '../../forge/watching/notification-store.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest, found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { unknownAction } from '../form.ts'
import { withQuery } from '../html.ts'
import { formReply, htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { notificationsPage, type Place, views } from './notifications-page.ts'

const access = orSignIn(signedInFully('notification'))

/** Threads on a page. */
const limit = 50

export const getNotificationsPage = route('GET /notifications', {
  summary: 'One’s notifications, last changed first, as a page',
  access,
  query: { status: queryChoice(...views), page: pageQuery().page, done: v.optional(v.unknown()) },
  returns: textAs(200, htmlType),
  handler: async ({ caller, query, sql, now, from: { host }, tools: { root } }) => {
    const place = placeIn(query.status, query.page)
    const { status, page } = place
    const statuses = status === 'all' ? undefined : [status]
    const list = await pageOfThreads(sql, { account: caller.me.id, statuses }, { page, limit })
    const threads = { ...list, rows: await printThreads(sql, list.rows, { host, root }) }
    return notificationsPage({ host, caller, place, threads, now, isDone: query.done !== undefined })
  },
})

export const changeNotifications = route('POST /notifications', {
  summary: 'Mark a notification as read, unread or pinned, or all unread ones as read',
  access,
  ...formReply,
  fails: [400, 404],
  handler: async ({ body, caller, begin, from }) => {
    const account = caller.me.id
    if (body.action === 'mark') {
      const [id, to] = [numberIn(body.id ?? ''), statusIn(body.to)]
      found(await begin((tx) => markThread(tx, { id, account_id: account }, to)))
    } else if (body.action === 'mark-all') {
      // What arrived after the page was made stays unread.
      const until = justAfter(momentIn(body.until))
      await begin((tx) => markThreads(tx, { account, statuses: ['unread'], until }, 'read'))
    } else throw unknownAction()
    const { status, page } = placeIn(body.status, pageIn(body.page))
    const Location = withQuery(`${from.host}notifications`, { status, page, done: '1' })
    return new ReplyWith('', { status: 303, headers: { Location } })
  },
})

/** The list that a query or a form names; that of unread ones for any other status. */
function placeIn(status: string | undefined, page: number): Place {
  return { status: views.find((each) => each === status) ?? 'unread', page }
}

function pageIn(text = ''): number {
  const page = numberIn(text)
  return page > 0 ? page : 1
}

/** @throws Problem 400 */
function statusIn(text: string | undefined): Status {
  const status = STATUSES.find((each) => each === text)
  if (!status) throw badRequest('a notification is unread, read or pinned')
  return status
}

/** @throws Problem 400 */
function momentIn(text = ''): Date {
  const moment = new Date(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text) ? text : Number.NaN)
  if (Number.isNaN(moment.getTime())) throw badRequest('the form has no time')
  return moment
}

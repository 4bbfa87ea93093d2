import { setImmediate as nextTurn } from 'node:timers/promises'
import * as v from 'valibot'
import type { Begin, Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest, forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { signedInFully } from '../auth/access.ts'
import {
  inRepo,
  justAfter,
  nameParam,
  nextSecond,
  numberIn,
  queryFlag,
  queryMoment,
  queryText,
  queryTexts,
  wholeSecond,
} from '../protocol/query.ts'
import { repoSeenFully } from '../repos/access.ts'
import { homesRead } from '../repos/list.ts'
import { type ForgeTools, route } from '../route.ts'
import { NotificationCount, NotificationThread, type Roots, threadPrinter } from './notification.shape.ts'
import {
  countUnread,
  markThread,
  markThreads,
  pageOfThreads,
  SOURCES,
  STATUSES,
  type Status,
  type Thread,
  type ThreadFilter,
  threadById,
} from './notification-store.ts'

const listed = {
  query: {
    all: queryFlag,
    'status-types': queryTexts,
    'subject-type': queryTexts,
    since: queryText,
    before: queryText,
    ...pageQuery(),
  },
  fails: [422],
  returns: [200, v.array(NotificationThread)],
  sends: 'page',
  shared: true,
} as const

const marked = {
  query: { last_read_at: queryText, all: queryFlag, 'status-types': queryTexts, 'to-status': queryText },
  fails: [400],
  returns: [205, v.array(NotificationThread)],
  sends: 'batches',
} as const

const list = route(
  'GET /notifications',
  {
    ...listed,
    summary: 'The caller’s notification threads, last changed first',
    access: signedInFully('notification'),
  },
  async ({ caller, query, sql, from, tools }) => {
    const page = await pageOfThreads(sql, { account: caller.me.id, ...filterOf(query) }, query)
    return { ...page, rows: await printed(sql, page.rows, rootsOf(from, tools)) }
  },
)

const mark = route(
  'PUT /notifications',
  {
    ...marked,
    summary: 'Mark the caller’s notification threads as read, pinned or unread',
    access: signedInFully('notification'),
  },
  async (context) => markedThreads(context, { account: context.caller.me.id, ...choiceOf(context.query) }),
)

const listOfRepo = route(
  'GET /repos/{owner}/{repo}/notifications',
  {
    ...listed,
    summary: 'The caller’s notification threads about a repository, last changed first',
    access: repoSeenFully('notification'),
    params: inRepo,
  },
  async ({ caller, query, sql, from, tools }) => {
    const filter = { account: caller.me.id, repository: caller.repo.id, ...filterOf(query) }
    const page = await pageOfThreads(sql, filter, query)
    return { ...page, rows: await printed(sql, page.rows, rootsOf(from, tools)) }
  },
)

const markOfRepo = route(
  'PUT /repos/{owner}/{repo}/notifications',
  {
    ...marked,
    summary: 'Mark the caller’s notification threads about a repository as read, pinned or unread',
    access: repoSeenFully('notification'),
    params: inRepo,
  },
  async (context) => {
    const { me, repo } = context.caller
    return markedThreads(context, { ...choiceOf(context.query), account: me.id, repository: repo.id })
  },
)

const count = route(
  'GET /notifications/new',
  {
    summary: 'How many of the caller’s notification threads are unread',
    access: signedInFully('notification'),
    returns: [200, NotificationCount],
    shared: true,
  },
  async ({ caller, sql }) => ({ new: await countUnread(sql, caller.me.id) }),
)

const show = route(
  'GET /notifications/threads/{id}',
  {
    summary: 'A notification thread; looking at it does not mark it',
    access: signedInFully('notification'),
    params: { id: nameParam },
    fails: [404],
    returns: [200, NotificationThread],
  },
  async ({ caller, params, sql, from, tools }) => {
    const thread = await threadNamed(sql, params.id)
    if (thread.account_id !== caller.me.id && !caller.me.is_admin) throw notOnesOwn(thread.id)
    return onePrinted(sql, thread, rootsOf(from, tools))
  },
)

const markOne = route(
  'PATCH /notifications/threads/{id}',
  {
    summary: 'Mark a notification thread as read, pinned or unread',
    access: signedInFully('notification'),
    params: { id: nameParam },
    query: { 'to-status': queryText },
    fails: [404],
    returns: [205, NotificationThread],
  },
  async ({ caller, params, query, sql, begin, from, tools }) => {
    const thread = await threadNamed(sql, params.id)
    // Administrators too: what somebody has read is their own affair.
    if (thread.account_id !== caller.me.id) throw notOnesOwn(thread.id)
    const after = await begin((tx) => markThread(tx, thread, statusOf(query['to-status'])))
    return onePrinted(sql, found(after, sayNoThread(thread.id)), rootsOf(from, tools))
  },
)

export const notificationRoutes = [list, mark, listOfRepo, markOfRepo, count, show, markOne]

type Listing = { all: boolean; 'status-types'?: string[] | undefined }

/** @throws Problem 422 */
function filterOf(
  query: Listing & { 'subject-type'?: string[] | undefined; since: string; before: string },
): Omit<ThreadFilter, 'account'> {
  const before = queryMoment('before', query.before, unprocessable)
  const since = queryMoment('since', query.since, unprocessable)
  return {
    statuses: statusesOf(query, ['unread', 'pinned']),
    sources: known(SOURCES, query['subject-type']),
    from: since && wholeSecond(since),
    until: before && nextSecond(before),
  }
}

/** @throws Problem 400 */
function choiceOf(query: Listing & { last_read_at: string }): Omit<ThreadFilter, 'account'> {
  const until = queryMoment('last_read_at', query.last_read_at, badRequest)
  return { statuses: statusesOf(query, ['unread']), until: until && justAfter(until) }
}

/** Undefined selects all. Words that are none, and nothing but such, select all too, as clients of the original know it. */
function statusesOf(query: Listing, fallback: readonly Status[]): readonly Status[] | undefined {
  if (query.all) return undefined
  const given = wordsIn(query['status-types'])
  return given.length === 0 ? fallback : known(STATUSES, given)
}

/** Those of the words that are known, in any case; undefined when there is none. */
function known<Word extends string>(
  words: readonly Word[],
  given: readonly string[] = [],
): Word[] | undefined {
  const wanted = new Set(wordsIn(given).map((word) => word.toLowerCase()))
  const found = words.filter((word) => wanted.has(word))
  return found.length > 0 ? found : undefined
}

/** Repeated parameters, and lists with commas, which some clients send. */
function wordsIn(given: readonly string[] = []): string[] {
  return given.flatMap((text) => text.split(',').map((word) => word.trim())).filter((word) => word !== '')
}

function statusOf(word: string): Status {
  return known(STATUSES, [word])?.[0] ?? 'read'
}

const rootsOf = ({ host }: { host: string }, { root }: ForgeTools): Roots => ({ host, root })

const sayNoThread = (id?: number) =>
  id === undefined ? 'notification does not exist' : `notification does not exist [id: ${id}]`

const notOnesOwn = (id: number) =>
  forbidden(`only user itself and admin are allowed to read/change this thread ${id}`)

/** @throws Problem 404 */
async function threadNamed(sql: Sql, given: string): Promise<Thread> {
  const id = numberIn(given)
  if (id === 0) throw notFound(sayNoThread())
  return found(await threadById(sql, id), sayNoThread(id))
}

/** Threads of one account, as that may see them. */
async function printed(sql: Sql, threads: readonly Thread[], roots: Roots): Promise<NotificationThread[]> {
  const [first] = threads
  if (!first) return []
  const homes = await homesRead(sql, first.account_id, [
    ...new Set(threads.map((each) => each.repository_id)),
  ])
  return threads.map(threadPrinter(homes, roots))
}

async function onePrinted(sql: Sql, thread: Thread, roots: Roots): Promise<NotificationThread> {
  const homes = await homesRead(sql, thread.account_id, [thread.repository_id])
  return threadPrinter(homes, roots)(thread)
}

/** Threads of one batch of a reply: other requests are served between two of them. */
const atOnce = 200

interface MarkContext {
  query: { 'to-status': string }
  sql: Sql
  begin: Begin
  from: { host: string }
  tools: ForgeTools
}

/** All threads that were changed: the answer has no pages, and is made piece by piece. */
async function* markedThreads(
  { query, sql, begin, from, tools }: MarkContext,
  filter: ThreadFilter,
): AsyncGenerator<NotificationThread[]> {
  const threads = await begin((tx) => markThreads(tx, filter, statusOf(query['to-status'])))
  const ids = [...new Set(threads.map((each) => each.repository_id))]
  const print = threadPrinter(await homesRead(sql, filter.account, ids), rootsOf(from, tools))
  for (let at = 0; at < threads.length; at += atOnce) {
    yield threads.slice(at, at + atOnce).map(print)
    await nextTurn()
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { badRequest, forbidden, found, notFound } from '../../http/route/problem.ts'
import { batched, json, paged } from '../../http/route/sends.ts'
import { type SignedIn, signedInFully } from '../auth/access.ts'
import { timeOf } from '../issues/issue-filter.ts'
import {
  justAfter,
  numberIn,
  queryFlag,
  queryMoment,
  queryTime,
  queryWord,
  queryWords,
} from '../protocol/query.ts'
import { repoSeenFully, type SignedInOnRepository } from '../repos/access.ts'
import { type ForgeContext, type ForgeTools, route } from '../route.ts'
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
} from '../watching/notification-store.ts'
import {
  NotificationCount,
  NotificationThread,
  printThreads,
  threadPrinter,
  type UrlRoots,
} from './notification.shape.ts'
import { readableRepositories } from './readable-store.ts'

const listed = {
  query: {
    all: queryFlag,
    'status-types': queryWords(...STATUSES),
    'subject-type': queryWords(...SOURCES),
    since: queryTime,
    before: queryTime,
    ...pageQuery(),
  },
  fails: [422],
  returns: paged(NotificationThread),
  shared: 'until written',
} as const

const marked = {
  query: {
    last_read_at: queryTime,
    all: queryFlag,
    'status-types': queryWords(...STATUSES),
    'to-status': queryWord(...STATUSES),
  },
  fails: [400],
  returns: batched(205, NotificationThread),
} as const

export const notifyGetList = route('GET /notifications', {
  ...listed,
  summary: 'The caller’s notification threads, last changed first',
  access: signedInFully('notification'),
  handler: (context) => listedThreads(context, { account: context.caller.me.id }),
})

export const notifyReadList = route('PUT /notifications', {
  ...marked,
  summary: 'Mark the caller’s notification threads as read, pinned or unread',
  access: signedInFully('notification'),
  handler: async (context) =>
    markedThreads(context, markFilterOf(context.query, { account: context.caller.me.id })),
})

export const notifyGetRepoList = route('GET /repos/{owner}/{repo}/notifications', {
  ...listed,
  summary: 'The caller’s notification threads about a repository, last changed first',
  access: repoSeenFully('notification'),
  handler: (context) => listedThreads(context, threadsIn(context.caller)),
})

export const notifyReadRepoList = route('PUT /repos/{owner}/{repo}/notifications', {
  ...marked,
  summary: 'Mark the caller’s notification threads about a repository as read, pinned or unread',
  access: repoSeenFully('notification'),
  handler: async (context) => markedThreads(context, markFilterOf(context.query, threadsIn(context.caller))),
})

export const notifyNewAvailable = route('GET /notifications/new', {
  summary: 'How many of the caller’s notification threads are unread',
  access: signedInFully('notification'),
  returns: json(200, NotificationCount),
  shared: 'until written',
  handler: async ({ caller, sql }) => ({ new: await countUnread(sql, caller.me.id) }),
})

export const notifyGetThread = route('GET /notifications/threads/{id}', {
  summary: 'A notification thread; reading it here does not mark it as read',
  access: signedInFully('notification'),
  fails: [404],
  returns: json(200, NotificationThread),
  handler: async ({ caller, params, sql, from, tools }) => {
    const thread = await threadByParam(sql, params.id)
    if (thread.account_id !== caller.me.id && !caller.me.is_admin) throw notOwner(thread.id)
    return onePrinted(sql, thread, rootsOf(from, tools))
  },
})

export const notifyReadThread = route('PATCH /notifications/threads/{id}', {
  summary: 'Mark a notification thread as read, pinned or unread',
  access: signedInFully('notification'),
  query: { 'to-status': queryWord(...STATUSES) },
  fails: [404],
  returns: json(205, NotificationThread),
  handler: async ({ caller, params, query, sql, begin, from, tools }) => {
    const thread = await threadByParam(sql, params.id)
    // Administrators, too, may not mark other users' threads.
    if (thread.account_id !== caller.me.id) throw notOwner(thread.id)
    const marked = await begin((tx) => markThread(tx, thread, query['to-status'] || 'read'))
    return onePrinted(sql, found(marked, noThreadMessage(thread.id)), rootsOf(from, tools))
  },
})

/** Whose threads an operation is about, and of which repository. */
type Owned = Pick<ThreadFilter, 'account' | 'repository'>

const threadsIn = ({ me, repo }: SignedInOnRepository): Owned => ({ account: me.id, repository: repo.id })

interface StatusQuery {
  all: boolean
  'status-types': Status[]
}

interface ListQuery extends StatusQuery, Paging {
  'subject-type': (typeof SOURCES)[number][]
  since: string
  before: string
}

/** A page of threads. @throws Problem 422 */
async function listedThreads(
  { query, sql, from, tools }: ForgeContext<SignedIn, { query: ListQuery }>,
  owned: Owned,
): Promise<Page<NotificationThread>> {
  const filter = {
    ...owned,
    ...timeOf(query),
    statuses: statusesOf(query, ['unread', 'pinned']),
    sources: anyOf(query['subject-type']),
  }
  const page = await pageOfThreads(sql, filter, query)
  return { ...page, rows: await printThreads(sql, page.rows, rootsOf(from, tools)) }
}

/** @throws Problem 400 */
function markFilterOf(query: StatusQuery & { last_read_at: string }, owned: Owned): ThreadFilter {
  const until = queryMoment('last_read_at', query.last_read_at, badRequest)
  return { ...owned, statuses: statusesOf(query, ['unread']), until: until && justAfter(until) }
}

/** Undefined selects all. */
const statusesOf = (query: StatusQuery, fallback: readonly Status[]): readonly Status[] | undefined =>
  query.all ? undefined : (anyOf(query['status-types']) ?? fallback)

/** Undefined if there are none. */
const anyOf = <Name>(names: readonly Name[]) => (names.length > 0 ? names : undefined)

const rootsOf = ({ host }: { host: string }, { root }: ForgeTools): UrlRoots => ({ host, root })

const noThreadMessage = (id?: number) =>
  id === undefined ? 'notification does not exist' : `notification does not exist [id: ${id}]`

const notOwner = (id: number) =>
  forbidden(`only user itself and admin are allowed to read/change this thread ${id}`)

/** @throws Problem 404 */
async function threadByParam(sql: Sql, param: string): Promise<Thread> {
  const id = numberIn(param)
  if (id === 0) throw notFound(noThreadMessage())
  return found(await threadById(sql, id), noThreadMessage(id))
}

async function onePrinted(sql: Sql, thread: Thread, roots: UrlRoots): Promise<NotificationThread> {
  const repositories = await readableRepositories(sql, thread.account_id, [thread.repository_id])
  return threadPrinter(repositories, roots)(thread)
}

/** Number of threads in one batch of a reply; other requests are served between batches. */
const BATCH_SIZE = 200

/** Yields all changed threads; the reply has no pages and is sent in batches. */
async function* markedThreads(
  { query, sql, begin, from, tools }: ForgeContext<SignedIn, { query: { 'to-status': Status | '' } }>,
  filter: ThreadFilter,
): AsyncGenerator<NotificationThread[]> {
  const threads = await begin((tx) => markThreads(tx, filter, query['to-status'] || 'read'))
  const ids = [...new Set(threads.map((each) => each.repository_id))]
  const print = threadPrinter(await readableRepositories(sql, filter.account, ids), rootsOf(from, tools))
  for (let start = 0; start < threads.length; start += BATCH_SIZE) {
    yield threads.slice(start, start + BATCH_SIZE).map(print)
    await nextTurn()
  }
}

import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { printRepository, Repository } from '../repos/repo.shape.ts'
import type { Thread } from '../watching/notification-store.ts'
import { type ReadableRepository, readableRepositories } from './readable-store.ts'

/** NotificationSubject of the specification; what does not apply is "". */
const NotificationSubject = shape('NotificationSubject', {
  title: v.string(),
  url: v.string(),
  latest_comment_url: described(v.string(), 'Empty: there is no comment'),
  html_url: v.string(),
  latest_comment_html_url: described(v.string(), 'Empty: there is no comment'),
  type: v.picklist(['Issue', 'Pull', 'Commit', 'Repository']),
  state: described(v.picklist(['open', 'closed', 'merged', '']), 'Empty for commits and repositories'),
})

type Subject = v.InferOutput<typeof NotificationSubject>

/** The repository without the caller's permissions. */
const NotifyingRepository = v.omit(Repository, ['permissions'])

type NotifyingRepository = v.InferOutput<typeof NotifyingRepository>

/**
 * NotificationThread of the specification; repository and subject are null if the recipient may no longer read them.
 */
export const NotificationThread = shape('NotificationThread', {
  id: int,
  repository: described(v.nullable(NotifyingRepository), 'Null where the caller may no longer read it'),
  subject: described(
    v.nullable(NotificationSubject),
    'Null where the caller may no longer read the repository, or its issues',
  ),
  unread: v.boolean(),
  pinned: described(v.boolean(), 'A pinned thread stays in the list when it has been read'),
  updated_at: moment,
  url: v.string(),
})

export type NotificationThread = v.InferOutput<typeof NotificationThread>

/** NotificationCount of the specification. */
export const NotificationCount = shape('NotificationCount', { new: int })

/** Roots of URLs: `host` is that of the request, `root` the configured one, which thread URLs use. */
export interface UrlRoots {
  host: string
  root: string
}

/** Returns a function that prints threads about these repositories; each repository is printed only once. */
export function threadPrinter(
  repositories: ReadonlyMap<number, ReadableRepository>,
  { host, root }: UrlRoots,
): (thread: Thread) => NotificationThread {
  const printed = new Map<number, NotifyingRepository>()
  for (const [id, { row, owner }] of repositories) {
    const { permissions, ...rest } = printRepository(row, owner, { host, level: LEVELS.read, known: true })
    printed.set(id, rest)
  }
  return (thread) => {
    const repository = printed.get(thread.repository_id) ?? null
    const reads = repositories.get(thread.repository_id)
    const isHidden =
      thread.number !== null && !(thread.source === 'pull' ? reads?.readsPulls : reads?.readsIssues)
    return {
      id: thread.id,
      repository,
      subject: isHidden ? null : repository && subjectOf(thread, repository),
      unread: thread.status === 'unread',
      pinned: thread.status === 'pinned',
      updated_at: printTime(thread.updated_at, EPOCH),
      url: `${root}api/v1/notifications/threads/${thread.id}`,
    }
  }
}

/** Prints threads of one account, with the repositories that the account may read. */
export async function printThreads(
  sql: Sql,
  threads: readonly Thread[],
  roots: UrlRoots,
): Promise<NotificationThread[]> {
  const [first] = threads
  if (!first) return []
  const repositories = await readableRepositories(sql, first.account_id, [
    ...new Set(threads.map((each) => each.repository_id)),
  ])
  return threads.map(threadPrinter(repositories, roots))
}

const pages = { issue: 'issues', pull: 'pulls' } as const

function subjectOf(thread: Thread, { url, html_url, full_name }: NotifyingRepository): Subject {
  const { source, number, last_comment: comment, commit_id } = thread
  if (source === 'repository') {
    // Gitea sends this URL without the root of the site.
    return plain('Repository', full_name, `/${full_name}`, html_url)
  }
  if (source === 'commit') {
    const page = `${html_url}/commit/${commit_id}`
    return plain('Commit', commit_id ?? '', page, page)
  }
  const page = `${html_url}/${pages[source]}/${number}`
  return {
    title: thread.title ?? '',
    url: `${url}/issues/${number}`,
    latest_comment_url: comment === null ? '' : `${url}/issues/comments/${comment}`,
    html_url: page,
    latest_comment_html_url: comment === null ? '' : `${page}#issuecomment-${comment}`,
    type: source === 'pull' ? 'Pull' : 'Issue',
    state: thread.closed_at === null ? 'open' : thread.is_merged ? 'merged' : 'closed',
  }
}

/** A subject without comments and states. */
function plain(type: Subject['type'], title: string, url: string, html_url: string): Subject {
  return { title, url, latest_comment_url: '', html_url, latest_comment_html_url: '', type, state: '' }
}

/** Gitea's WatchInfo. */
export const WatchInfo = shape('WatchInfo', {
  subscribed: described(
    v.boolean(),
    'Whether the caller is notified; a caller who does not watch a repository gets 404 instead',
  ),
  ignored: described(v.boolean(), 'The opposite of `subscribed`'),
  reason: described(v.null(), 'Always null'),
  created_at: moment,
  url: v.string(),
  repository_url: v.string(),
})

export type WatchInfo = v.InferOutput<typeof WatchInfo>

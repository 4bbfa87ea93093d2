import { createPoller, type Poller } from '../../../background/recurring.ts'
import { messageOf } from '../../../common/errors.ts'
import type { Begin, Sql } from '../../../db/sql.ts'
import { ApiRequest } from '../../../http/route/api-request.ts'
import { Problem } from '../../../http/route/problem.ts'
import type { Route } from '../../../http/route/route.ts'
import { Origin, type ServerAddress } from '../../../http/server/origin.ts'
import type { Authentication } from '../../auth/authenticator.ts'
import type { ForgeTools } from '../../route.ts'
import { levelsOfReviewer } from '../reviews/review-store.ts'
import { claimAutoMerges, type DueMerge, noticeAllAutoMerges, releaseAutoMerge } from './auto-merge-store.ts'
import { maxMergeTime } from './completion.ts'
import { readDecisions } from './merge-facts.ts'
import { mergeRefusals } from './refusals.ts'

/** What the worker depends on. */
interface AutoMergeDeps {
  sql: Sql
  begin: Begin
  clock: () => Date
  tools: ForgeTools
  server: ServerAddress
  /** The operation that merges. */
  merge: Route<ForgeTools>
}

/** Milliseconds between two looks at all scheduled merges, in case that a rule or a permission has changed. */
const poll = 60_000
/** Milliseconds before a merge is tried again that the server could not try. */
const retryDelay = 10_000
/** Scheduled merges that a process takes at a time. */
const batchSize = 20

/**
 * Merges what is scheduled as soon as nothing is against it, by the operation of the API in the name of the account that has
 * scheduled it, with the rights that it has then. Several processes may do so: a merge is announced before it is made.
 */
export function createAutoMergeWorker(deps: AutoMergeDeps): Poller {
  const { sql, clock, tools } = deps
  const work = async (isRunning: () => boolean) => {
    for (let taken = batchSize; isRunning() && taken === batchSize; ) {
      const until = new Date(clock().getTime() + maxMergeTime)
      const due = await claimAutoMerges(sql, { limit: batchSize, now: clock(), until })
      for (const merge of due) await releaseAutoMerge(sql, { ...merge, until }, await attempt(deps, merge))
      taken = due.length
    }
  }
  const beforePoll = () => noticeAllAutoMerges(sql, clock())
  return createPoller({ task: 'merge what is scheduled', poll, log: tools.log, work, beforePoll })
}

/** Merges if nothing is against it; returns when to try again, or null: when something has happened. */
async function attempt(deps: AutoMergeDeps, merge: DueMerge): Promise<Date | null> {
  const { clock, tools } = deps
  const about = { repository: merge.repository_id, number: merge.number, account: merge.account_id }
  try {
    if (await isRefused(deps, merge)) return null
    await mergeAs(deps, merge)
    tools.log.info('merged a pull request that was scheduled', about)
  } catch (error) {
    const again = !(error instanceof Problem) || error.status >= 429
    const level = again ? 'warn' : 'info'
    tools.log[level]('a scheduled merge has to wait', { ...about, reason: messageOf(error) })
    return again ? new Date(clock().getTime() + retryDelay) : null
  }
  return null
}

/** Whether people, rules or checks are against the merge: so git runs only for those that these let through. */
async function isRefused({ sql }: AutoMergeDeps, merge: DueMerge): Promise<boolean> {
  const { repository_id: id, account_id: account, issue_id: issue } = merge
  const { code: level } = await levelsOfReviewer(sql, id, account)
  const subject = {
    issue,
    title: merge.issue_title,
    isOpen: true,
    isMerged: false,
    baseBranch: merge.base_branch,
    head: merge.head_commit,
  }
  const decided = await readDecisions({ sql, code: { row: { id } }, account, level }, subject)
  const unread = { conflicts: [], isRelated: true, isSigned: true, behind: 0, changedPaths: [] }
  return mergeRefusals({ ...decided, ...unread }).length > 0
}

/** Sends the request that the account would send. @throws Problem */
async function mergeAs(
  { sql, begin, clock, tools, server, merge: operation }: AutoMergeDeps,
  merge: DueMerge,
) {
  const { owner, repository, number, head_commit } = merge
  const path = `/repos/${owner}/${repository}/pulls/${number}/merge`
  const request = new ApiRequest(operation, actingFor(tools, merge.account_id), {
    sql,
    begin,
    clock,
    now: clock(),
    from: new Origin(undefined, `merge-${merge.claim}`, server),
    headers: {},
    url: `/api/v1${path}`,
    params: { owner, repo: repository, index: String(number) },
    query: {},
  })
  await request.authorize()
  const body = {
    Do: merge.style,
    MergeTitleField: merge.title,
    MergeMessageField: merge.message,
    head_commit_id: head_commit,
    ...(merge.deletes_branch !== null && { delete_branch_after_merge: merge.deletes_branch }),
  }
  request.validate(body, () => new Problem(422, 'the scheduled merge is not valid any more'))
  await request.run(clock())
}

/** The tools with which each request is one of an account, as if it had signed in. */
const actingFor = (tools: ForgeTools, account: number): ForgeTools => {
  const { authenticator } = tools
  const acting: Authentication = {
    authenticate: (context, subject) =>
      authenticator.authenticateSession(context, { account, token: undefined }, subject),
    authenticateCode: (context, begun) => authenticator.authenticateCode(context, begun),
    authenticateKey: (context, key, subject) => authenticator.authenticateKey(context, key, subject),
    authenticateSession: (context, session, subject) =>
      authenticator.authenticateSession(context, session, subject),
  }
  return { ...tools, authenticator: acting }
}

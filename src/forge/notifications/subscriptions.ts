import { pagesOf } from '../../http/route/page.ts'
import { forbidden, found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { printUsers, User } from '../accounts/user.shape.ts'
import { signedIn } from '../auth/access.ts'
import { signedInUserSeen } from '../auth/user-access.ts'
import { visibleUserNamed } from '../auth/user-visibility.ts'
import { issueIn } from '../issues/issue-view.ts'
import { onIssue } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { type OnRepository, repoSeen, type SignedInOnRepository, signedInRepoSeen } from '../repos/access.ts'
import { issueSubscriber, issuesSeen } from '../repos/issue-access.ts'
import { listRepositories } from '../repos/listed-repositories.ts'
import { Repository } from '../repos/repo.shape.ts'
import { type ForgeContext, route } from '../route.ts'
import {
  deleteWatch,
  insertWatch,
  isSubscribed,
  pageOfIssueWatchers,
  pageOfWatchers,
  setIssueWatch,
  watchOf,
} from '../watching/watch-store.ts'
import { WatchInfo } from './notification.shape.ts'

export const userCurrentCheckSubscription = route('GET /repos/{owner}/{repo}/subscription', {
  summary: 'Since when the caller watches a repository',
  access: signedInRepoSeen(),
  fails: [404],
  returns: json(200, WatchInfo),
  handler: async ({ caller, sql, from }) => {
    const { created_at } = found(await watchOf(sql, caller.repo.id, caller.me.id))
    return watchInfo(caller, from.host, created_at)
  },
})

export const userCurrentPutSubscription = route('PUT /repos/{owner}/{repo}/subscription', {
  summary: 'Watch a repository: get notifications of all its issues',
  access: signedInRepoSeen(),
  returns: json(200, WatchInfo),
  handler: async ({ caller, begin, from }) => {
    const { created_at } = await begin(async (tx) => {
      await insertWatch(tx, caller.repo.id, caller.me.id)
      return found(await watchOf(tx, caller.repo.id, caller.me.id))
    })
    return watchInfo(caller, from.host, created_at)
  },
})

export const userCurrentDeleteSubscription = route('DELETE /repos/{owner}/{repo}/subscription', {
  summary: 'Stop watching a repository',
  access: signedInRepoSeen(),
  returns: noBody(204),
  handler: ({ caller, begin }) => begin((tx) => deleteWatch(tx, caller.repo.id, caller.me.id)),
})

export const repoListSubscribers = route('GET /repos/{owner}/{repo}/subscribers', {
  summary: 'Users who watch a repository',
  access: repoSeen(),
  ...pagesOf(User),
  handler: async (context) =>
    printUsers(await pageOfWatchers(context.sql, context.caller.repo.id, context.query), context),
})

export const userCurrentListSubscriptions = route('GET /user/subscriptions', {
  summary: 'Repositories that the caller watches and may read',
  access: signedIn('user'),
  ...pagesOf(Repository),
  handler: (context) => listRepositories(context, { among: { watchedBy: context.caller.me.id } }, 'id asc'),
})

export const userListSubscriptions = route('GET /users/{username}/subscriptions', {
  summary: 'Repositories that a user watches: other callers see only those that are not private',
  access: signedInUserSeen('user'),
  ...pagesOf(Repository),
  handler: (context) => {
    const { me, subject } = context.caller
    const shown = me.id === subject.id ? {} : { is_private: false }
    return listRepositories(context, { among: { watchedBy: subject.id }, ...shown }, 'id asc')
  },
})

export const issueSubscriptions = route('GET /repos/{owner}/{repo}/issues/{index}/subscriptions', {
  summary: 'Users who have subscribed to an issue',
  access: issuesSeen(),
  params: onIssue,
  ...pagesOf(User),
  handler: async (context) => {
    const { id } = await issueIn(context)
    return printUsers(await pageOfIssueWatchers(context.sql, id, context.query), context)
  },
})

export const issueCheckSubscription = route('GET /repos/{owner}/{repo}/issues/{index}/subscriptions/check', {
  summary: 'Whether the caller is subscribed to an issue',
  access: issueSubscriber(),
  params: onIssue,
  returns: json(200, WatchInfo),
  handler: async (context) => {
    const { caller, sql, from } = context
    const issue = await issueIn(context)
    const subscribed = await isSubscribed(sql, issue.id, caller.me.id)
    const info = watchInfo(caller, from.host, issue.created_at)
    const url = `${info.repository_url}/issues/${issue.number}/subscriptions`
    return { ...info, subscribed, ignored: !subscribed, url }
  },
})

const subscribing = {
  access: issueSubscriber(),
  params: onIssue,
  returns: noBody(201),
  also: [200],
} as const

export const issueAddSubscription = route('PUT /repos/{owner}/{repo}/issues/{index}/subscriptions/{user}', {
  ...subscribing,
  summary: 'Subscribe a user to an issue; 200 if the user is subscribed',
  handler: (context) => setSubscription(context, true),
})

export const issueDeleteSubscription = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/subscriptions/{user}',
  {
    ...subscribing,
    summary: 'Unsubscribe a user from an issue; 200 if the user is not subscribed',
    handler: (context) => setSubscription(context, false),
  },
)

/** @throws Problem 403 another user's subscription, 404 */
async function setSubscription(
  context: ForgeContext<SignedInOnRepository, { params: { index: string; user: string } }>,
  subscribed: boolean,
): Promise<ReplyWith<undefined>> {
  const { caller, params, sql, begin } = context
  const issue = await issueIn(context)
  const user = await visibleUserNamed(sql, caller, params.user, () => false)
  const { me } = caller
  if (user.id !== me.id && !me.is_admin)
    throw forbidden(`${me.name} is not permitted to change subscriptions for ${user.name}`)
  const wasSubscribed = await begin(async (tx) => {
    const before = await isSubscribed(tx, issue.id, user.id)
    await setIssueWatch(tx, issue.id, user.id, subscribed)
    return before
  })
  return new ReplyWith(undefined, wasSubscribed === subscribed ? { status: 200 } : {})
}

function watchInfo({ subject, repo }: OnRepository, host: string, since: string): WatchInfo {
  const repository = `${host}api/v1/repos/${subject.name}/${repo.name}`
  return {
    subscribed: true,
    ignored: false,
    reason: null,
    created_at: printTime(since, EPOCH),
    url: `${repository}/subscription`,
    repository_url: repository,
  }
}

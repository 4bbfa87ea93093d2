import * as v from 'valibot'
import { repoMergeUpstream } from '../../forge/code/writing/merge-upstream.ts'
import {
  userCurrentDeleteSubscription,
  userCurrentPutSubscription,
} from '../../forge/notifications/subscriptions.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { createFork } from '../../forge/repo-lifecycle/forks/forks.ts'
import { acceptRepoTransfer, rejectRepoTransfer } from '../../forge/repo-lifecycle/transfers.ts'
import { type SignedInOnRepository, signedInRepoSeen } from '../../forge/repos/access.ts'
import { Repository } from '../../forge/repos/repo.shape.ts'
import { userCurrentDeleteStar, userCurrentPutStar } from '../../forge/stars/stars.ts'
import { type Fields, unknownAction } from '../form.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { route } from '../route.ts'
import { repositoryHome } from './home.ts'

/** What everybody who may read a repository does with it, and whoever it is offered to, by the action of the form. */
const actions = {
  star: userCurrentPutStar,
  unstar: userCurrentDeleteStar,
  watch: userCurrentPutSubscription,
  unwatch: userCurrentDeleteSubscription,
  fork: createFork,
  update: repoMergeUpstream,
  accept: acceptRepoTransfer,
  reject: rejectRepoTransfer,
} as const

const isAction = (text: string): text is keyof typeof actions => Object.hasOwn(actions, text)

export const followRepositoryByPage = route('POST /{owner}/{repo}', {
  ...operationForm(signedInRepoSeen()),
  summary:
    'Star, watch or fork a repository, or end the first two; update a fork; accept or refuse a repository that is offered',
  fails: [400, 404],
  handler: ({ caller: sender, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, body),
      again: (caller, refusal) => repositoryHome({ ...context, caller }, refusal),
    }),
})

/** @throws Problem 400 an unknown action */
function askedOf(
  { me, repo }: SignedInOnRepository,
  { action = '', owner = '', name = '', branch = '' }: Fields,
): Asked {
  if (!isAction(action)) throw unknownAction()
  const params = { owner: repo.owner.name, repo: repo.name }
  const path = `${params.owner}/${params.repo}`
  if (action === 'accept')
    return {
      calls: [[acceptRepoTransfer, { params }]],
      leadsTo: ([moved]) => v.parse(Repository, moved).full_name,
    }
  // Who refuses a private repository no longer sees it.
  if (action === 'reject')
    return { calls: [[rejectRepoTransfer, { params }]], leadsTo: repo.owner.id === me.id ? path : '' }
  if (action === 'update')
    return {
      calls: [[repoMergeUpstream, { params, body: { branch } }]],
      leadsTo: `${path}/commits/branch/${escapeSegments(branch)}`,
    }
  if (action !== 'fork') return { calls: [[actions[action], { params }]], leadsTo: path }
  const isForSelf = owner === '' || owner.toLowerCase() === me.name.toLowerCase()
  const body = { name, ...(!isForSelf && { organization: owner }) }
  return {
    calls: [[createFork, { params, body }]],
    leadsTo: ([made]) => v.parse(Repository, made).full_name,
  }
}

import type * as v from 'valibot'
import type { Tx } from '../../../db/sql.ts'
import { found, notFound, unprocessable } from '../../../http/route/problem.ts'
import { type Account, accountByName } from '../../accounts/account-store.ts'
import { seesUser } from '../../auth/user-visibility.ts'
import { lockIssue } from '../../issues/issue-store.ts'
import { teamByName } from '../../orgs/team-store.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { mayWriteIssues } from '../../repos/issue-access.ts'
import type { ForgeContext } from '../../route.ts'
import type { PullCaller } from '../access.ts'
import { pullById, pullByNumber, type StoredPull } from '../pull-store.ts'
import { ask, type Reviewer, withdraw } from './asking.ts'
import type { PullReviewRequestOptions } from './review.option.ts'
import { canReview, levelsOfReviewer, teamCanReview } from './review-store.ts'

type Names = v.InferOutput<typeof PullReviewRequestOptions>
type AskingContext = ForgeContext<PullCaller>
type RequestContext = ForgeContext<PullCaller, { body: Names }>

/** Maximum accounts and teams that one request names. */
const maxNames = 100

/**
 * Asks users and teams for reviews of a pull request: all that the body names, or none. Returns the ids of the requests that
 * were not there before.
 * @throws Problem 403 the pull request is closed, 404, 422
 */
export async function askForReviews(context: RequestContext, number: number): Promise<number[]> {
  const { caller, sql, begin } = context
  found(await pullByNumber(sql, caller.repo.id, number))
  const reviewers = await reviewersNamed(context, context.body)
  return begin(async (tx) => askAll(tx, context, await lockPull(tx, context, number), reviewers))
}

/**
 * Asks all of them for reviews of a pull request whose issue is locked, or none. Returns the ids of the requests that were not
 * there before.
 * @throws Problem 403 the pull request is closed, 422
 */
export async function askAll(
  tx: Tx,
  context: AskingContext,
  pull: StoredPull,
  reviewers: readonly Reviewer[],
): Promise<number[]> {
  const mayChoose = await mayChooseReviewers(tx, context, pull)
  const ids: number[] = []
  for (const reviewer of reviewers) {
    await requireCanReview(tx, context, { pull, reviewer, mayChoose })
    ids.push(...(await ask(tx, context, pull, reviewer)))
  }
  return ids
}

/** Withdraws requests: all that the body names, or none. @throws Problem 404, 422 */
export async function withdrawRequests(context: RequestContext, number: number): Promise<void> {
  const { caller, sql, begin } = context
  found(await pullByNumber(sql, caller.repo.id, number))
  const reviewers = await reviewersNamed(context, context.body)
  await begin(async (tx) => {
    const pull = await lockPull(tx, context, number)
    const mayChoose = await mayChooseReviewers(tx, context, pull)
    for (const reviewer of reviewers) {
      const isSelf = 'account' in reviewer && reviewer.account.id === caller.me.id
      if (!mayChoose && !isSelf) throw refusal("Doer can't remove reviewer", context, reviewer)
      await withdraw(tx, context, pull, reviewer)
    }
  })
}

async function lockPull(tx: Tx, { caller }: RequestContext, number: number): Promise<StoredPull> {
  const { id } = found(await lockIssue(tx, caller.repo.id, number))
  return found(await pullById(tx, id))
}

/** The users and teams that a body names. @throws Problem 404, 422 too many names */
export async function reviewersNamed(
  { sql, caller }: Pick<AskingContext, 'sql' | 'caller'>,
  { reviewers: users, team_reviewers }: Names,
): Promise<Reviewer[]> {
  const names = [...new Set(users.map((name) => name.toLowerCase()))]
  const teams = [...new Set(team_reviewers.map((name) => name.toLowerCase()))]
  if (names.length + teams.length > maxNames) throw unprocessable(`at most ${maxNames} reviewers at a time`)
  const reviewers: Reviewer[] = []
  for (const name of names) reviewers.push({ account: await accountNamed({ sql, caller }, name) })
  for (const name of teams) {
    const team = await teamByName(sql, caller.subject.id, name)
    reviewers.push({ team: found(team, `Team '${name.slice(0, 255)}' not exist`) })
  }
  return reviewers
}

/** A user whom the caller may not see is answered like one that does not exist. @throws Problem 404, 422 */
async function accountNamed(
  { sql, caller }: Pick<AskingContext, 'sql' | 'caller'>,
  name: string,
): Promise<Account> {
  const unknown = `User '${name.slice(0, 255)}' not exist`
  const account = found(await accountByName(sql, name), unknown)
  const isKnown =
    seesUser(account, caller) || (await levelsOfReviewer(sql, caller.repo.id, account.id)).pulls > 0
  if (!isKnown) throw notFound(unknown)
  return account
}

/** Whether the caller may choose who reviews: who opened the pull request, and who has access by a right of their own. */
async function mayChooseReviewers(tx: Tx, { caller }: AskingContext, pull: StoredPull): Promise<boolean> {
  if (pull.poster_id === caller.me.id || mayWriteIssues(caller)) return true
  return (await levelsOfReviewer(tx, pull.repository_id, caller.me.id)).pulls >= LEVELS.read
}

/** @throws Problem 403, 422 */
async function requireCanReview(
  tx: Tx,
  context: AskingContext,
  { pull, reviewer, mayChoose }: { pull: StoredPull; reviewer: Reviewer; mayChoose: boolean },
): Promise<void> {
  if ('team' in reviewer) {
    if (!(await teamCanReview(tx, pull.repository_id, reviewer.team.id)))
      throw refusal("Reviewing team can't read repo", context, reviewer)
    if (!mayChoose) throw refusal("Doer can't choose reviewer", context, reviewer)
    return
  }
  const { account } = reviewer
  if (account.kind === 'organization')
    throw refusal("Organization can't be added as reviewer", context, reviewer)
  if (!(await canReview(tx, pull.repository_id, account.id)))
    throw refusal("Reviewer can't read", context, reviewer)
  if (account.id === pull.poster_id) throw refusal("poster of pr can't be reviewer", context, reviewer)
  if (!mayChoose) throw refusal("Doer can't choose reviewer", context, reviewer)
}

const refusal = (reason: string, { caller }: AskingContext, reviewer: Reviewer) => {
  const id = 'account' in reviewer ? reviewer.account.id : reviewer.team.id
  return unprocessable(`${reason} [user_id: ${id}, repo_id: ${caller.repo.id}]`)
}

import { found, notFound } from '../../../http/route/problem.ts'
import { ghost } from '../../accounts/ghost.ts'
import { printUser, type User } from '../../accounts/user.shape.ts'
import { type People, pageUrl } from '../../issues/issue.shape.ts'
import { viewOf } from '../../issues/issue-view.ts'
import { peopleIn } from '../../issues/people.ts'
import { printTeam } from '../../orgs/team.shape.ts'
import { teamsByIds } from '../../orgs/team-store.ts'
import { numberIn } from '../../protocol/query.ts'
import type { OnRepository } from '../../repos/access.ts'
import type { ForgeContext } from '../../route.ts'
import { pullByNumber } from '../pull-store.ts'
import { type PullReview, type PullReviewComment, printReview, printReviewComment } from './review.shape.ts'
import type { StoredReviewComment } from './review-comment-store.ts'
import { type DraftReader, reviewById, type StoredReview } from './review-store.ts'

type Context = Pick<ForgeContext<OnRepository>, 'caller' | 'sql' | 'from'>

/** Which drafts a caller sees: its own, and site administrators all. */
export const draftReader = ({ me }: OnRepository): DraftReader => ({
  account: me?.id,
  seesAll: me?.is_admin === true,
})

/** The review of a path. @throws Problem 404 also if it is somebody else's draft */
export async function reviewSeen({
  caller,
  sql,
  params,
}: Context & { params: { index: string; id: string } }): Promise<{ review: StoredReview; number: number }> {
  const { id, number } = found(await pullByNumber(sql, caller.repo.id, numberIn(params.index)))
  const review = found(await reviewById(sql, id, numberIn(params.id)))
  const { account, seesAll } = draftReader(caller)
  if (review.state === 'pending' && !seesAll && review.reviewer_id !== account) throw notFound()
  return { review, number }
}

/** A review as the caller sees it. */
export async function printedReview(
  context: Context,
  number: number,
  row: StoredReview,
): Promise<PullReview> {
  return found((await printedReviews(context, number, [row]))[0])
}

/** Reviews of a pull request of the caller's repository as the caller sees them. */
export async function printedReviews(
  context: Context,
  number: number,
  rows: readonly StoredReview[],
): Promise<PullReview[]> {
  const { sql, from } = context
  const people = await peopleIn(
    sql,
    rows.map(({ reviewer_id: poster_id }) => ({ poster_id })),
  )
  const teams = await teamsByIds(
    sql,
    rows.flatMap(({ team_id }) => team_id ?? []),
  )
  const page = pageOf(context, number)
  return rows.map((row) => {
    const team = teams.find(({ id }) => id === row.team_id)
    return printReview(row, {
      user: row.team_id === null ? personOf(context, people, row.reviewer_id) : null,
      team: team ? printTeam(team, from.host) : null,
      page,
    })
  })
}

/** Comments on lines of a pull request of the caller's repository as the caller sees them. */
export async function printedReviewComments(
  context: Context,
  number: number,
  rows: readonly StoredReviewComment[],
): Promise<PullReviewComment[]> {
  const accounts = rows.flatMap(({ poster_id, resolver_id }) => [poster_id, resolver_id])
  const people = await peopleIn(
    context.sql,
    accounts.map((poster_id) => ({ poster_id })),
  )
  const page = pageOf(context, number)
  return rows.map((row) =>
    printReviewComment(row, {
      user: personOf(context, people, row.poster_id),
      resolver: row.resolver_id === null ? null : personOf(context, people, row.resolver_id),
      page,
    }),
  )
}

const pageOf = ({ caller, from }: Context, number: number) =>
  pageUrl({ number, is_pull: true }, viewOf(caller, from.host))

const personOf = ({ caller, from }: Context, people: People, id: number | null): User =>
  printUser((id !== null && people.get(id)) || ghost, caller.me, from.host)

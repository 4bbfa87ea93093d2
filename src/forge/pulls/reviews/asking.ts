import type { Tx } from '../../../db/sql.ts'
import { forbidden } from '../../../http/route/problem.ts'
import type { Account } from '../../accounts/account-store.ts'
import { printUser } from '../../accounts/user.shape.ts'
import { recordHappenings } from '../../issue-events/event-store.ts'
import { touchIssue } from '../../issues/issue-store.ts'
import type { TeamWithOrganization } from '../../orgs/team-store.ts'
import { emitIssueActivity } from '../../watching/events.ts'
import { emitPullEvents, type PullEventContext } from '../pull-events.ts'
import type { StoredPull } from '../pull-store.ts'
import { isOfficialReviewer, isOfficialTeam } from './official.ts'
import { type Asked, clearOfficial, deleteRequest, insertRequest, restoreOfficial } from './review-store.ts'

/** Asks one user or team for a review, and withdraws that. */

/** A user or a team, found by its name. */
export type Reviewer = { account: Account } | { team: TeamWithOrganization }

/** Returns the id of the new request, if there was none. @throws Problem 403 the pull request is closed */
export async function ask(
  tx: Tx,
  context: PullEventContext,
  pull: StoredPull,
  reviewer: Reviewer,
): Promise<number[]> {
  const isOfficial = await counts(tx, context, pull, reviewer)
  const added = await insertRequest(tx, { issue: pull.id, is_official: isOfficial }, askedOf(reviewer))
  if (!added) return []
  // What somebody has decided does not count while that account is asked again.
  if (isOfficial && 'account' in reviewer) await clearOfficial(tx, pull.id, reviewer.account.id)
  if (pull.closed_at !== null) throw forbidden('cannot request a re-review on a closed or merged PR')
  await publish(tx, context, { pull, reviewer, isRemoval: false })
  return [added.id]
}

/** Withdraws a request, if there is one. */
export async function withdraw(
  tx: Tx,
  context: PullEventContext,
  pull: StoredPull,
  reviewer: Reviewer,
): Promise<void> {
  if (!(await deleteRequest(tx, pull.id, askedOf(reviewer)))) return
  if ('account' in reviewer && (await counts(tx, context, pull, reviewer)))
    await restoreOfficial(tx, pull.id, reviewer.account.id)
  await publish(tx, context, { pull, reviewer, isRemoval: true })
}

const askedOf = (reviewer: Reviewer): Asked =>
  'account' in reviewer ? { account: reviewer.account.id } : { team: reviewer.team.id }

/** Whether the review that is asked for counts for the rule of the base branch; of a team also if that of the caller does. */
const counts = async (tx: Tx, { caller }: PullEventContext, pull: StoredPull, reviewer: Reviewer) =>
  'account' in reviewer
    ? isOfficialReviewer(tx, pull, reviewer.account.id)
    : (await isOfficialTeam(tx, pull, reviewer.team)) || (await isOfficialReviewer(tx, pull, caller.me.id))

/** Tells about a request, or about its withdrawal; who is asked is notified. */
async function publish(
  tx: Tx,
  context: PullEventContext,
  { pull, reviewer, isRemoval }: { pull: StoredPull; reviewer: Reviewer; isRemoval: boolean },
): Promise<void> {
  const { caller, from } = context
  const actor = caller.me.id
  const isPerson = 'account' in reviewer
  const [subject, old_subject] = isPerson ? [reviewer.account.id, null] : [null, reviewer.team.id]
  await recordHappenings(tx, { issue: pull.id, actor }, [
    { type: 'review_request', subject, old_subject, is_removal: isRemoval },
  ])
  await touchIssue(tx, pull.id)
  if (!isRemoval)
    await emitIssueActivity(tx, {
      issue: pull.id,
      actor,
      audience: false,
      names: isPerson ? [] : [`${caller.subject.name}/${reviewer.team.name}`.toLowerCase()],
      accounts: isPerson ? [reviewer.account.id] : [],
    })
  await emitPullEvents(tx, context, pull.id, [
    {
      action: isRemoval ? 'review_request_removed' : 'review_requested',
      ...(isPerson && { requested_reviewer: printUser(reviewer.account, undefined, from.host) }),
    },
  ])
}

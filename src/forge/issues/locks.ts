import { found } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { type IssueHappening, recordHappenings } from '../issue-events/event-store.ts'
import { numberIn, onIssue } from '../protocol/query.ts'
import { issueAdmin } from '../repos/issue-access.ts'
import { route } from '../route.ts'
import { issueTarget, type TrackerContext } from './events.ts'
import { LockIssueOption } from './issue.option.ts'
import { lockIssue, setLocked } from './issue-store.ts'

const locking = { access: issueAdmin(), params: onIssue, returns: noBody(204) } as const

export const issueLockIssue = route('PUT /repos/{owner}/{repo}/issues/{index}/lock', {
  ...locking,
  summary: 'Lock an issue: only those who may write to the issues can comment and react',
  body: LockIssueOption,
  handler: (context) => setLock(context, context.params.index, { reason: context.body.lock_reason }),
})

export const issueUnlockIssue = route('DELETE /repos/{owner}/{repo}/issues/{index}/lock', {
  ...locking,
  summary: 'Unlock an issue',
  handler: (context) => setLock(context, context.params.index, undefined),
})

/** Locks an issue with a reason, or unlocks it; changes nothing if it is in that state. @throws Problem 404 */
function setLock(
  context: TrackerContext,
  index: string,
  details: { reason: string } | undefined,
): Promise<void> {
  const { me, repo } = context.caller
  return context.begin(async (tx) => {
    const issue = found(await lockIssue(tx, repo.id, numberIn(index)))
    if (issue.is_locked === (details !== undefined)) return
    await setLocked(tx, issue.id, !issue.is_locked)
    const happening: IssueHappening = details
      ? { type: 'lock', new_text: details.reason }
      : { type: 'unlock' }
    await recordHappenings(tx, { issue: issue.id, actor: me.id }, [happening])
    const action = details ? 'issue.locked' : 'issue.unlocked'
    await record(tx, context, { action, target: issueTarget(context, issue), ...(details && { details }) })
  })
}

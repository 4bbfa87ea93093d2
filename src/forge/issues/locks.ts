import { found } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import { record } from '../admin/audit-trail.ts'
import { numberIn, onIssue } from '../protocol/query.ts'
import { route } from '../route.ts'
import { recordHappenings } from '../timeline/event-store.ts'
import { issueAdmin } from './access.ts'
import type { TrackerContext } from './events.ts'
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

/** Locks an issue with a reason, or unlocks it. Does nothing if it is so already. @throws Problem 404 */
function setLock(
  context: TrackerContext,
  index: string,
  details: { reason: string } | undefined,
): Promise<void> {
  const { subject, repo } = context.caller
  return context.begin(async (tx) => {
    const { id, number, is_locked } = found(await lockIssue(tx, repo.id, numberIn(index)))
    if (is_locked === (details !== undefined)) return
    await setLocked(tx, id, !is_locked)
    const happening = details
      ? ({ type: 'lock', new_text: details.reason } as const)
      : ({ type: 'unlock' } as const)
    await recordHappenings(tx, { issue: id, actor: context.caller.me.id }, [happening])
    const target = { kind: 'issue', id, name: `${subject.name}/${repo.name}#${number}` }
    if (details) await record(tx, context, { action: 'issue.locked', target, details })
    else await record(tx, context, { action: 'issue.unlocked', target })
  })
}

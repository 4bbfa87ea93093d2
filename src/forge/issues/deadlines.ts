import { found } from '../../http/route/problem.ts'
import { json } from '../../http/route/sends.ts'
import { numberIn, onIssue } from '../protocol/query.ts'
import { printDate } from '../protocol/time.ts'
import { route } from '../route.ts'
import { happeningsOfDeadline } from '../timeline/changes.ts'
import { recordHappenings } from '../timeline/event-store.ts'
import { issueWriter } from './access.ts'
import { EditDeadlineOption } from './issue.option.ts'
import { IssueDeadline } from './issue.shape.ts'
import { lockIssue, setDeadline } from './issue-store.ts'

export const issueEditIssueDeadline = route('POST /repos/{owner}/{repo}/issues/{index}/deadline', {
  summary: 'Set or remove the due date of an issue',
  access: issueWriter(),
  params: onIssue,
  body: EditDeadlineOption,
  returns: json(201, IssueDeadline),
  handler: async ({ caller, params, body, begin }) => {
    const { due_date = null } = body
    await begin(async (tx) => {
      const { id, due_at } = found(await lockIssue(tx, caller.repo.id, numberIn(params.index)))
      await setDeadline(tx, id, due_date)
      await recordHappenings(tx, { issue: id, actor: caller.me.id }, happeningsOfDeadline(due_at, due_date))
    })
    return { due_date: due_date && printDate(due_date) }
  },
})

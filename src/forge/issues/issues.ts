import { mapPage } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { printUsers, User } from '../accounts/user.shape.ts'
import { record } from '../audit/audit-trail.ts'
import { happeningsOfDeadline } from '../issue-events/changes.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { milestonesNamed } from '../milestones/named.ts'
import { numberIn, onIssue, queryTrimmed } from '../protocol/query.ts'
import { printDate } from '../protocol/time.ts'
import { followHead } from '../pulls/pushed.ts'
import { codeSeen, type OnRepository } from '../repos/access.ts'
import {
  issueAdmin,
  issueAuthor,
  issueCreator,
  issuesSeen,
  issueWriter,
  readableKind,
} from '../repos/issue-access.ts'
import { route } from '../route.ts'
import { lockIssueThreads } from '../watching/notification-store.ts'
import { pageOfAssignable, pageOfReviewers } from './assignee-store.ts'
import { assigneesNamed, formerAssigneesNamed, isAssignable, requireFew } from './assignees.ts'
import { createIssue } from './creation.ts'
import { assignIssue, editIssue } from './editing.ts'
import { emitIssueEvents, issueTarget, type TrackerContext } from './events.ts'
import {
  CreateIssueOption,
  EditDeadlineOption,
  EditIssueOption,
  IssueAssigneesOption,
} from './issue.option.ts'
import { Issue, IssueDeadline, printIssue } from './issue.shape.ts'
import { filterOf, issueQuery, labelNames, namedAccounts } from './issue-filter.ts'
import { pageOfIssues } from './issue-list-store.ts'
import { deleteIssue, lockIssue, lockIssueToDelete, setDeadline } from './issue-store.ts'
import { issueIn, printedIssue, viewOf } from './issue-view.ts'
import { peopleIn } from './people.ts'
import { insertRemovedPull } from './removed-pulls/removed-pull-store.ts'

export const issueListIssues = route('GET /repos/{owner}/{repo}/issues', {
  summary: 'Issues of a repository, filtered, newest first',
  access: issuesSeen(),
  ...pagesOf(Issue),
  query: {
    ...issueQuery,
    created_by: queryTrimmed,
    assigned_by: queryTrimmed,
    mentioned_by: queryTrimmed,
    ...pageQuery(),
  },
  fails: [404, 422],
  handler: async ({ caller, query, sql, from }) => {
    const filterByQuery = filterOf(query)
    const { accounts, isHidden } = await namedAccounts(sql, caller, query)
    const filter = {
      repository: caller.repo.id,
      labels: labelNames(query.labels),
      milestones: await milestonesNamed(sql, caller.repo.id, query.milestones),
      ...filterByQuery,
      isPull: kindOf(caller, filterByQuery.isPull),
      ...accounts,
    }
    const page = await pageOfIssues(sql, filter, query)
    if (isHidden && page.total === 0) throw notFound()
    const people = await peopleIn(sql, page.rows)
    const view = viewOf(caller, from.host)
    return mapPage(page, (row) => printIssue(row, people, view))
  },
})

/** The kind that a list shows: the one that the query names, or that the caller may read. @throws Problem 404 */
function kindOf(caller: OnRepository, asked: boolean | undefined): boolean | undefined {
  const readable = readableKind(caller)
  if (asked !== undefined && readable !== undefined && asked !== readable) throw notFound()
  return asked ?? readable
}

export const issueGetIssue = route('GET /repos/{owner}/{repo}/issues/{index}', {
  summary: 'An issue',
  access: issuesSeen(),
  params: onIssue,
  returns: json(200, Issue),
  handler: async (context) => printedIssue(context, await issueIn(context)),
})

export const issueCreateIssue = route('POST /repos/{owner}/{repo}/issues', {
  summary: 'Open an issue',
  access: issueCreator(),
  body: CreateIssueOption,
  returns: json(201, Issue),
  handler: async (context) => {
    const { issue, people } = await createIssue(context)
    return printIssue(issue, people, viewOf(context.caller, context.from.host))
  },
})

export const issueEditIssue = route('PATCH /repos/{owner}/{repo}/issues/{index}', {
  summary: 'Change, close or reopen an issue; omitted members keep their values',
  access: issueAuthor(),
  params: onIssue,
  body: EditIssueOption,
  fails: [409, 412],
  returns: json(201, Issue),
  handler: async (context) => {
    const issue = await editIssue(context, numberIn(context.params.index))
    if (issue.is_pull && context.body.state === 'open') await followHead(context, issue.id)
    return printedIssue(context, issue)
  },
})

export const issueDelete = route('DELETE /repos/{owner}/{repo}/issues/{index}', {
  summary: 'Delete an issue with its comments and notifications',
  access: issueAdmin(),
  params: onIssue,
  returns: noBody(204),
  handler: async (context) => removeIssue(context, numberIn(context.params.index)),
})

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

export const repoGetAssignees = route('GET /repos/{owner}/{repo}/assignees', {
  summary: 'Who can be assigned to issues of a repository, by name',
  access: issuesSeen(),
  ...pagesOf(User),
  handler: async (context) =>
    printUsers(await pageOfAssignable(context.sql, context.caller.repo.id, context.query), context),
})

export const repoCheckAssignee = route('GET /repos/{owner}/{repo}/assignees/{assignee}', {
  summary: 'Whether a user can be assigned to issues of a repository: 204, else 404',
  access: issuesSeen(),
  returns: noBody(204),
  handler: async ({ caller, params, sql }) => {
    if (!(await isAssignable(sql, caller, params.assignee))) throw notFound()
  },
})

export const repoGetReviewers = route('GET /repos/{owner}/{repo}/reviewers', {
  summary: 'Who may read the pull requests and not only because they are public, by name',
  access: codeSeen(),
  ...pagesOf(User),
  handler: async (context) =>
    printUsers(await pageOfReviewers(context.sql, context.caller.repo.id, context.query), context),
})

const assigning = { access: issueWriter(), params: onIssue, body: IssueAssigneesOption } as const

export const issueAddAssignees = route('POST /repos/{owner}/{repo}/issues/{index}/assignees', {
  ...assigning,
  summary: 'Assign more users to an issue',
  returns: json(201, Issue),
  handler: async (context) => {
    const { body, caller, params, sql } = context
    const added = await assigneesNamed(sql, caller, body.assignees)
    const issue = await assignIssue(context, numberIn(params.index), async (_, old) => {
      const all = [...new Set([...old.assignees, ...added])]
      requireFew(all)
      return all
    })
    return printedIssue(context, issue)
  },
})

export const issueRemoveAssignees = route('DELETE /repos/{owner}/{repo}/issues/{index}/assignees', {
  ...assigning,
  summary: 'Remove users from the assignees of an issue',
  returns: json(200, Issue),
  handler: async (context) => {
    const { body, caller, params } = context
    const issue = await assignIssue(context, numberIn(params.index), async (tx, { assignees }) => {
      const removed = await formerAssigneesNamed(tx, caller, body.assignees, assignees)
      return assignees.filter((id) => !removed.includes(id))
    })
    return printedIssue(context, issue)
  },
})

export const issueCheckAssignee = route('GET /repos/{owner}/{repo}/issues/{index}/assignees/{assignee}', {
  summary: 'Whether a user can be assigned to an issue: 204, else 404',
  access: issuesSeen(),
  params: onIssue,
  returns: noBody(204),
  handler: async (context) => {
    await issueIn(context)
    if (!(await isAssignable(context.sql, context.caller, context.params.assignee))) throw notFound()
  },
})

/**
 * Deletes an issue with its comments, labels, assignees, reactions, mentions, subscriptions and notifications. Its event
 * shows it as it was.
 * @throws Problem 404
 */
async function removeIssue(context: TrackerContext, number: number): Promise<void> {
  const { repo } = context.caller
  await context.begin(async (tx) => {
    const issue = found(await lockIssueToDelete(tx, repo.id, number))
    // Locks the threads in the common lock order; the cascade of the deletion would lock them in any order.
    await lockIssueThreads(tx, [issue.id])
    await emitIssueEvents(tx, context, issue, [{ action: 'deleted' }])
    await deleteIssue(tx, issue.id)
    if (issue.is_pull) await insertRemovedPull(tx, { repository: repo.id, number })
    const target = issueTarget(context, { id: issue.id, number })
    await record(tx, context, { action: 'issue.deleted', target, details: { title: issue.title } })
  })
}

import type * as v from 'valibot'
import { mapPage } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { conflict, found, notFound, Problem, unprocessable } from '../../http/route/problem.ts'
import { json } from '../../http/route/sends.ts'
import { nameKey } from '../accounts/account-store.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { numberIn, onIssue } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { issueAuthor, issuesSeen, issueWriter, mayWriteIssues } from '../repos/issue-access.ts'
import { type ForgeContext, route } from '../route.ts'
import {
  countDependencies,
  deleteDependency,
  insertDependency,
  lockDependencies,
  lockIssueElsewhere,
  pageOfRelated,
  type Relation,
  waitsFor,
} from './dependency-store.ts'
import type { TrackerContext } from './events.ts'
import { IssueMeta } from './issue.option.ts'
import { Issue, printIssue, printIssueElsewhere } from './issue.shape.ts'
import { lockIssue } from './issue-store.ts'
import { issueIn, relationReader, viewOf } from './issue-view.ts'
import { peopleIn } from './people.ts'

/** Maximum number of issues on which one depends. */
const MAX_DEPENDENCIES = 100

const listing = { access: issuesSeen(), params: onIssue, ...pagesOf(Issue) } as const

export const issueListIssueDependencies = route('GET /repos/{owner}/{repo}/issues/{index}/dependencies', {
  ...listing,
  summary: 'Issues on which an issue depends, as far as the caller may read them',
  handler: (context) => relatedOf(context, 'dependencies'),
})

export const issueListBlocks = route('GET /repos/{owner}/{repo}/issues/{index}/blocks', {
  ...listing,
  summary: 'Issues that an issue blocks, as far as the caller may read them',
  handler: (context) => relatedOf(context, 'blocks'),
})

const relating = { params: onIssue, body: IssueMeta, returns: json(201, Issue) } as const

export const issueCreateIssueDependencies = route('POST /repos/{owner}/{repo}/issues/{index}/dependencies', {
  ...relating,
  summary: 'Make an issue depend on another one',
  access: issueWriter(),
  fails: [409],
  handler: (context) => changeRelation(context, 'dependencies', adding),
})

export const issueRemoveIssueDependencies = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/dependencies',
  {
    ...relating,
    summary: 'Make an issue no longer depend on another one',
    access: issueWriter(),
    handler: (context) => changeRelation(context, 'dependencies', removing),
  },
)

export const issueCreateIssueBlocking = route('POST /repos/{owner}/{repo}/issues/{index}/blocks', {
  ...relating,
  summary: 'Make an issue block another one; the caller may write to the issues of the other one',
  access: issueAuthor(),
  fails: [409],
  handler: (context) => changeRelation(context, 'blocks', adding),
})

export const issueRemoveIssueBlocking = route('DELETE /repos/{owner}/{repo}/issues/{index}/blocks', {
  ...relating,
  summary: 'Make an issue no longer block another one; the caller may write to the issues of the other one',
  access: issueAuthor(),
  handler: (context) => changeRelation(context, 'blocks', removing),
})

async function relatedOf(
  context: ForgeContext<OnRepository, { params: { index: string }; query: { page: number; limit: number } }>,
  relation: Relation,
) {
  const { caller, sql, query, from } = context
  const { id: issue } = await issueIn(context)
  const by = relationReader(caller)
  const page = await pageOfRelated(sql, by, { issue, relation }, query)
  const people = await peopleIn(sql, page.rows)
  return mapPage(page, (row) => printIssueElsewhere(row, people, { viewer: caller.me, host: from.host }))
}

type RelationContext = TrackerContext & { params: { index: string }; body: v.InferOutput<typeof IssueMeta> }

interface RelationChange {
  type: 'add_dependency' | 'remove_dependency'
  change: (tx: Tx, issue: number, dependency: number) => Promise<void>
}

/**
 * Changes whether one of two issues waits for the other, and shows the issue of the path. The caller must be able to
 * write to the issues of the one that waits, and to read the other one.
 * @throws Problem 404, 422, 423
 */
function changeRelation(
  context: RelationContext,
  relation: Relation,
  { type, change }: RelationChange,
): Promise<Issue> {
  const { caller, params, begin, from } = context
  const { id: repository } = caller.repo
  return begin(async (tx) => {
    await lockDependencies(tx)
    const issue = found(await lockIssue(tx, repository, numberIn(params.index)))
    const other = await otherIssue(tx, context)
    if (relation === 'dependencies') await change(tx, issue.id, other.id)
    else {
      const isHere = other.repository_id === repository
      if (isHere ? !mayWriteIssues(caller) : !other.writes) throw notFound()
      if (other.is_archived) throw new Problem(423, 'the repository of the other issue is archived')
      await change(tx, other.id, issue.id)
    }
    // Both timelines show it.
    await recordHappenings(tx, { issue: issue.id, actor: caller.me.id }, [{ type, subject: other.id }])
    await recordHappenings(tx, { issue: other.id, actor: caller.me.id }, [{ type, subject: issue.id }])
    return printIssue(issue, await peopleIn(tx, [issue]), viewOf(caller, from.host))
  })
}

/** The issue that the body names; absent names are those of the path. @throws Problem 404, 422 */
async function otherIssue(tx: Tx, { caller, body }: RelationContext) {
  const { repo } = caller
  const by = relationReader(caller)
  const owner = nameKey(body.owner || repo.owner.name)
  const name = (body.repo || repo.name).toLowerCase()
  if (body.index < 1) throw unprocessable('[Index]: Required')
  if (owner === undefined) throw notFound()
  return found(await lockIssueElsewhere(tx, by, { owner, repo: name, index: body.index }))
}

const adding: RelationChange = {
  type: 'add_dependency',
  change: async (tx, issue, dependency) => {
    if (await waitsFor(tx, dependency, issue))
      throw unprocessable('an issue cannot wait for itself, directly or through others')
    if ((await countDependencies(tx, issue)) >= MAX_DEPENDENCIES)
      throw unprocessable(`an issue waits for at most ${MAX_DEPENDENCIES} others`)
    if (!(await insertDependency(tx, issue, dependency)))
      throw conflict('the issue waits for that one already')
  },
}

const removing: RelationChange = {
  type: 'remove_dependency',
  change: async (tx, issue, dependency) => {
    if (!(await deleteDependency(tx, issue, dependency))) throw notFound()
  },
}

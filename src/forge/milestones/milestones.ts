import { mapPage } from '../../db/page.ts'
import type { Sql, Tx } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { nameParam, numberIn, queryText, queryWord } from '../protocol/query.ts'
import type { OnRepository, SignedInOnRepository } from '../repos/access.ts'
import { issuesSeen, issueWriter } from '../repos/issue-access.ts'
import { type ForgeContext, route } from '../route.ts'
import { CreateMilestoneOption, EditMilestoneOption } from './milestone.option.ts'
import { Milestone, printMilestone } from './milestone.shape.ts'
import {
  deleteMilestone,
  insertMilestone,
  lockIssuesOfMilestone,
  milestoneNamed,
  pageOfMilestones,
  type StoredMilestone,
  updateMilestone,
} from './milestone-store.ts'

/** An id, or else a title. */
const onMilestone = { id: nameParam }

export const issueGetMilestonesList = route('GET /repos/{owner}/{repo}/milestones', {
  summary: 'Milestones of a repository, those without a due date first, then by due date',
  access: issuesSeen(),
  ...pagesOf(Milestone),
  query: { state: queryWord('open', 'closed', 'all'), name: queryText, ...pageQuery() },
  handler: async ({ caller, query, sql }) => {
    const filter = { state: query.state || 'open', name: query.name } as const
    return mapPage(await pageOfMilestones(sql, caller.repo.id, filter, query), printMilestone)
  },
})

export const issueGetMilestone = route('GET /repos/{owner}/{repo}/milestones/{id}', {
  summary: 'A milestone, by its id or its title',
  access: issuesSeen(),
  params: onMilestone,
  returns: json(200, Milestone),
  handler: async ({ caller, params, sql }) => printMilestone(await milestoneIn(sql, caller, params.id)),
})

export const issueCreateMilestone = route('POST /repos/{owner}/{repo}/milestones', {
  summary: 'Create a milestone',
  access: issueWriter(),
  body: CreateMilestoneOption,
  returns: json(201, Milestone),
  handler: async (context) => {
    const { caller, body, begin } = context
    const { description, due_on = null, state } = body
    const draft = { title: body.title.trim(), description, due_at: due_on, closed: state === 'closed' }
    const created = await begin(async (tx) => {
      const inserted = await insertMilestone(tx, caller.repo.id, draft)
      await recordMilestone(tx, context, 'created', inserted)
      return inserted
    })
    return printMilestone(created)
  },
})

export const issueEditMilestone = route('PATCH /repos/{owner}/{repo}/milestones/{id}', {
  summary: 'Change, close or open a milestone; omitted members keep their values',
  access: issueWriter(),
  params: onMilestone,
  body: EditMilestoneOption,
  returns: json(200, Milestone),
  handler: async (context) => {
    const { caller, params, body, begin } = context
    const { title, description, due_on: due_at } = body
    const state = (['open', 'closed'] as const).find((each) => each === body.state)
    const edit = { title: title?.trim() || undefined, description, due_at, state }
    const edited = await begin(async (tx) => {
      const { id } = await milestoneIn(tx, caller, params.id)
      const updated = found(await updateMilestone(tx, id, edit))
      await recordMilestone(tx, context, 'edited', updated)
      return updated
    })
    return printMilestone(edited)
  },
})

export const issueDeleteMilestone = route('DELETE /repos/{owner}/{repo}/milestones/{id}', {
  summary: 'Delete a milestone; its issues stay, without a milestone',
  access: issueWriter(),
  params: onMilestone,
  returns: noBody(204),
  handler: (context) => {
    const { caller, params, begin } = context
    return begin(async (tx) => {
      const milestone = await milestoneIn(tx, caller, params.id)
      // Changes of an issue lock the issue before the milestone; the deletion alone would lock them in the other order.
      await lockIssuesOfMilestone(tx, milestone.id)
      if (!(await deleteMilestone(tx, milestone.id))) throw notFound()
      await recordMilestone(tx, context, 'deleted', milestone)
    })
  },
})

const recordMilestone = (
  tx: Tx,
  context: ForgeContext<SignedInOnRepository>,
  change: 'created' | 'edited' | 'deleted',
  { id, title }: StoredMilestone,
) => {
  const { subject, repo } = context.caller
  const target = { kind: 'milestone', id, name: `${subject.name}/${repo.name}` }
  return record(tx, context, { action: `milestone.${change}`, target, details: { title } })
}

/** @throws Problem 404 */
const milestoneIn = async (sql: Sql, { repo }: OnRepository, name: string): Promise<StoredMilestone> =>
  found(await milestoneNamed(sql, repo.id, { id: numberIn(name), title: name }))

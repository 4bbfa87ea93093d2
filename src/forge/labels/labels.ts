import { mapPage } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { nameParam, numberIn, numberParam, queryWord } from '../protocol/query.ts'
import type { OnRepository, SignedInOnRepository } from '../repos/access.ts'
import { issuesSeen, issueWriter } from '../repos/issue-access.ts'
import { type ForgeContext, route } from '../route.ts'
import { CreateLabelOption, draftOf, EditLabelOption, editOf } from './label.option.ts'
import { Label, printLabel } from './label.shape.ts'
import {
  deleteLabel,
  insertLabel,
  LABEL_SORTS,
  labelNamed,
  pageOfLabels,
  updateLabel,
} from './label-store.ts'

/** How labels of the caller's repository are printed. */
const viewOf = ({ subject, repo }: OnRepository, host: string) => ({ owner: subject, repo, host })

const onLabel = { id: numberParam }

export const issueListLabels = route('GET /repos/{owner}/{repo}/labels', {
  summary: 'Labels of a repository, by name unless `sort` says otherwise',
  access: issuesSeen(),
  ...pagesOf(Label),
  query: { sort: queryWord(...LABEL_SORTS), ...pageQuery() },
  handler: async ({ caller, query, sql, from }) => {
    const owner = { repository: caller.repo.id }
    return mapPage(await pageOfLabels(sql, owner, query.sort || 'alphabetically', query), (label) =>
      printLabel(label, viewOf(caller, from.host)),
    )
  },
})

export const issueGetLabel = route('GET /repos/{owner}/{repo}/labels/{id}', {
  summary: 'A label, by its id or its name',
  access: issuesSeen(),
  params: { id: nameParam },
  returns: json(200, Label),
  handler: async ({ caller, params, sql, from }) => {
    const label = found(await labelNamed(sql, { repository: caller.repo.id }, params.id))
    return printLabel(label, viewOf(caller, from.host))
  },
})

export const issueCreateLabel = route('POST /repos/{owner}/{repo}/labels', {
  summary: 'Create a label',
  access: issueWriter(),
  body: CreateLabelOption,
  returns: json(201, Label),
  handler: async (context) => {
    const { caller, body, begin, from } = context
    const draft = draftOf(body)
    const label = await begin(async (tx) => {
      const inserted = await insertLabel(tx, { repository: caller.repo.id }, draft)
      await recordLabel(tx, context, 'created', inserted)
      return inserted
    })
    return printLabel(label, viewOf(caller, from.host))
  },
})

export const issueEditLabel = route('PATCH /repos/{owner}/{repo}/labels/{id}', {
  summary: 'Change a label; omitted members keep their values',
  access: issueWriter(),
  params: onLabel,
  body: EditLabelOption,
  returns: json(200, Label),
  handler: async (context) => {
    const { caller, params, body, begin, from } = context
    const edit = editOf(body)
    const owner = { repository: caller.repo.id }
    const label = await begin(async (tx) => {
      const edited = found(await updateLabel(tx, owner, numberIn(params.id), edit))
      await recordLabel(tx, context, 'edited', edited)
      return edited
    })
    return printLabel(label, viewOf(caller, from.host))
  },
})

export const issueDeleteLabel = route('DELETE /repos/{owner}/{repo}/labels/{id}', {
  summary: 'Delete a label; its issues lose it. 204 also if there is no such label',
  access: issueWriter(),
  params: onLabel,
  returns: noBody(204),
  handler: (context) => {
    const { caller, params, begin } = context
    return begin(async (tx) => {
      const deleted = await deleteLabel(tx, { repository: caller.repo.id }, numberIn(params.id))
      if (deleted) await recordLabel(tx, context, 'deleted', deleted)
    })
  },
})

const recordLabel = (
  tx: Tx,
  context: ForgeContext<SignedInOnRepository>,
  change: 'created' | 'edited' | 'deleted',
  { name }: { name: string },
) => {
  const { subject, repo } = context.caller
  return record(tx, context, {
    action: `label.${change}`,
    target: repositoryTarget(repo, subject),
    details: { name },
  })
}

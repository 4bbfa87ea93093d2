import * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { happeningsOfSet } from '../issue-events/changes.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { IssueLabelsOption } from '../labels/label.option.ts'
import { Label, printLabel } from '../labels/label.shape.ts'
import { replaceLabels } from '../labels/label-store.ts'
import { resolveLabels } from '../labels/labelling.ts'
import { numberIn, numberParam, onIssue } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { issuesSeen, issueWriter } from '../repos/issue-access.ts'
import { route } from '../route.ts'
import { emitIssueEvents, type TrackerContext } from './events.ts'
import { issueByNumber, lockIssue, type StoredIssue, touchIssue } from './issue-store.ts'
import { issueIn, viewOf } from './issue-view.ts'

export const issueGetLabels = route('GET /repos/{owner}/{repo}/issues/{index}/labels', {
  summary: 'Labels of an issue',
  access: issuesSeen(),
  params: onIssue,
  returns: json(200, v.array(Label)),
  handler: async (context) => printed(await issueIn(context), context.caller, context.from.host),
})

const adding = {
  access: issueWriter(),
  params: onIssue,
  body: IssueLabelsOption,
  returns: json(200, v.array(Label)),
} as const

export const issueAddLabel = route('POST /repos/{owner}/{repo}/issues/{index}/labels', {
  summary: 'Add labels to an issue, by their ids or names',
  ...adding,
  handler: (context) => setLabels(context, (old) => old.labels),
})

export const issueReplaceLabels = route('PUT /repos/{owner}/{repo}/issues/{index}/labels', {
  summary: 'Replace the labels of an issue, by their ids or names',
  ...adding,
  handler: (context) => setLabels(context, () => []),
})

export const issueClearLabels = route('DELETE /repos/{owner}/{repo}/issues/{index}/labels', {
  summary: 'Remove all labels from an issue',
  access: issueWriter(),
  params: onIssue,
  returns: noBody(204),
  handler: async (context) => changeLabels(context, context.params.index, async () => []),
})

export const issueRemoveLabel = route('DELETE /repos/{owner}/{repo}/issues/{index}/labels/{id}', {
  summary: 'Remove a label from an issue',
  access: issueWriter(),
  params: { ...onIssue, id: numberParam },
  returns: noBody(204),
  handler: async (context) =>
    changeLabels(context, context.params.index, async (_, { labels }) => {
      const removed = numberIn(context.params.id)
      if (!labels.some(({ id }) => id === removed)) throw notFound()
      return labels.flatMap(({ id }) => (id === removed ? [] : id))
    }),
})

/** Sets the labels of an issue: those of the request, and those that `retained` returns. @throws Problem 404, 422 */
async function setLabels(
  context: TrackerContext & { params: { index: string }; body: v.InferOutput<typeof IssueLabelsOption> },
  retained: (old: StoredIssue) => StoredIssue['labels'],
): Promise<Label[]> {
  const { body, caller, params, from } = context
  const issue = await changeLabels(context, params.index, (tx, old) =>
    resolveLabels(tx, caller.repo.id, body.labels, retained(old)),
  )
  return printed(issue, caller, from.host)
}

/** Locks an issue and sets its labels to those that `choose` returns. @throws Problem 404 */
function changeLabels(
  context: TrackerContext,
  index: string,
  choose: (tx: Tx, old: StoredIssue) => Promise<readonly number[]>,
): Promise<StoredIssue> {
  const { id: repository } = context.caller.repo
  return context.begin(async (tx) => {
    const old = found(await lockIssue(tx, repository, numberIn(index)))
    const labels = await choose(tx, old)
    const current = new Set(old.labels.map(({ id }) => id))
    if (labels.length === current.size && labels.every((id) => current.has(id))) return old
    await replaceLabels(tx, old, labels)
    const by = { issue: old.id, actor: context.caller.me.id }
    await recordHappenings(tx, by, happeningsOfSet('label', [...current], labels))
    await touchIssue(tx, old.id)
    const issue = found(await issueByNumber(tx, repository, old.number))
    await emitIssueEvents(tx, context, issue, [
      { action: labels.length > 0 ? 'label_updated' : 'label_cleared' },
    ])
    return issue
  })
}

function printed({ labels }: StoredIssue, caller: OnRepository, host: string): Label[] {
  return labels.map((label) => printLabel(label, viewOf(caller, host)))
}

import * as v from 'valibot'
import type { Begin, Tx } from '../../db/sql.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { nameParam, numberIn, onIssue } from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { issuesSeen, issueWriter } from './access.ts'
import { type TrackerContext, tellOfIssue } from './events.ts'
import { IssueLabelsOption } from './issue.option.ts'
import { Label, printLabel } from './issue.shape.ts'
import { issueByNumber, lockIssue, replaceLabels, type StoredIssue, touchIssue } from './issue-store.ts'
import { sightOf } from './issues.ts'
import { keepWanted } from './labelling.ts'

const list = route(
  'GET /repos/{owner}/{repo}/issues/{index}/labels',
  {
    summary: 'Labels of an issue',
    access: issuesSeen(),
    params: onIssue,
    returns: [200, v.array(Label)],
  },
  async ({ caller, params, sql, from }) =>
    printed(found(await issueByNumber(sql, caller.repo.id, numberIn(params.index))), caller, from.host),
)

const add = route(
  'POST /repos/{owner}/{repo}/issues/{index}/labels',
  {
    summary: 'Give an issue more labels, by their ids or names',
    access: issueWriter(),
    params: onIssue,
    body: IssueLabelsOption,
    returns: [200, v.array(Label)],
  },
  async (ask) => {
    const { body, caller, params, from } = ask
    const issue = await labelling(ask, params.index, (tx, old) =>
      keepWanted(tx, caller.repo.id, body.labels, old.labels),
    )
    return printed(issue, caller, from.host)
  },
)

const replace = route(
  'PUT /repos/{owner}/{repo}/issues/{index}/labels',
  {
    summary: 'Give an issue these labels and no others, by their ids or names',
    access: issueWriter(),
    params: onIssue,
    body: IssueLabelsOption,
    returns: [200, v.array(Label)],
  },
  async (ask) => {
    const { body, caller, params, from } = ask
    const issue = await labelling(ask, params.index, (tx) => keepWanted(tx, caller.repo.id, body.labels))
    return printed(issue, caller, from.host)
  },
)

const clear = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/labels',
  {
    summary: 'Take all labels from an issue',
    access: issueWriter(),
    params: onIssue,
    returns: [204],
  },
  async (ask) => labelling(ask, ask.params.index, async () => []),
)

const remove = route(
  'DELETE /repos/{owner}/{repo}/issues/{index}/labels/{id}',
  {
    summary: 'Take a label from an issue',
    access: issueWriter(),
    params: { ...onIssue, id: nameParam },
    returns: [204],
  },
  async (ask) =>
    labelling(ask, ask.params.index, async (_, { labels }) => {
      const gone = numberIn(ask.params.id)
      if (!labels.some(({ id }) => id === gone)) throw notFound()
      return labels.flatMap(({ id }) => (id === gone ? [] : id))
    }),
)

export const issueLabelRoutes = [list, add, replace, clear, remove]

/** Gives an issue the labels that are chosen while it is locked. @throws Problem 404 */
function labelling(
  ask: TrackerContext & { begin: Begin },
  index: string,
  choose: (tx: Tx, old: StoredIssue) => Promise<readonly number[]>,
): Promise<StoredIssue> {
  const { id: repository } = ask.caller.repo
  return ask.begin(async (tx) => {
    const old = found(await lockIssue(tx, repository, numberIn(index)))
    const labels = await choose(tx, old)
    const had = new Set(old.labels.map(({ id }) => id))
    if (labels.length === had.size && labels.every((id) => had.has(id))) return old
    await replaceLabels(tx, old, labels)
    await touchIssue(tx, old.id)
    const issue = found(await issueByNumber(tx, repository, old.number))
    await tellOfIssue(tx, ask, issue, [{ action: labels.length > 0 ? 'label_updated' : 'label_cleared' }])
    return issue
  })
}

function printed({ labels }: StoredIssue, caller: OnRepository, host: string): Label[] {
  return labels.map((label) => printLabel(label, sightOf(caller, host)))
}

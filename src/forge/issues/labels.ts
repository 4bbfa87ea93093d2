import { mapPage } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { numberIn, numberParam, queryWord } from '../protocol/query.ts'
import { route } from '../route.ts'
import { issuesSeen, issueWriter } from './access.ts'
import { CreateLabelOption, EditLabelOption } from './issue.option.ts'
import { Label, printLabel } from './issue.shape.ts'
import { viewOf } from './issue-view.ts'
import { deleteLabel, insertLabel, LABEL_SORTS, labelById, pageOfLabels, updateLabel } from './label-store.ts'

const onLabel = { id: numberParam }

export const issueListLabels = route('GET /repos/{owner}/{repo}/labels', {
  summary: 'Labels that issues of a repository may have, by name unless `sort` says otherwise',
  access: issuesSeen(),
  ...pagesOf(Label),
  query: { sort: queryWord(...LABEL_SORTS), ...pageQuery() },
  handler: async ({ caller, query, sql, from }) => {
    const sort = LABEL_SORTS.find((each) => each === query.sort) ?? 'alphabetically'
    return mapPage(await pageOfLabels(sql, caller.repo.id, sort, query), (label) =>
      printLabel(label, viewOf(caller, from.host)),
    )
  },
})

export const issueGetLabel = route('GET /repos/{owner}/{repo}/labels/{id}', {
  summary: 'A label',
  access: issuesSeen(),
  params: onLabel,
  returns: [200, Label],
  handler: async ({ caller, params, sql, from }) => {
    const label = found(await labelById(sql, caller.repo.id, numberIn(params.id)))
    return printLabel(label, viewOf(caller, from.host))
  },
})

export const issueCreateLabel = route('POST /repos/{owner}/{repo}/labels', {
  summary: 'Make a label',
  access: issueWriter(),
  body: CreateLabelOption,
  returns: [201, Label],
  handler: async ({ caller, body, begin, from }) => {
    const draft = { ...body, color: colorOf(body.color), exclusive_order: body.exclusive_order ?? 0 }
    const label = await begin((tx) => insertLabel(tx, caller.repo.id, draft))
    return printLabel(label, viewOf(caller, from.host))
  },
})

export const issueEditLabel = route('PATCH /repos/{owner}/{repo}/labels/{id}', {
  summary: 'Change a label; what is not given stays',
  access: issueWriter(),
  params: onLabel,
  body: EditLabelOption,
  returns: [200, Label],
  handler: async ({ caller, params, body, begin, from }) => {
    const input = { ...body, color: body.color === undefined ? undefined : colorOf(body.color) }
    const label = found(await begin((tx) => updateLabel(tx, caller.repo.id, numberIn(params.id), input)))
    return printLabel(label, viewOf(caller, from.host))
  },
})

export const issueDeleteLabel = route('DELETE /repos/{owner}/{repo}/labels/{id}', {
  summary: 'Delete a label; issues that have it lose it. 204 also when there is no such label',
  access: issueWriter(),
  params: onLabel,
  returns: [204],
  handler: ({ caller, params, begin }) => begin((tx) => deleteLabel(tx, caller.repo.id, numberIn(params.id))),
})

/** Converts three or six hex digits, with or without `#`, to six in lower case. @throws Problem 422 */
function colorOf(input: string): string {
  const hex = input.trim().replace(/^#/, '').toLowerCase()
  if (/^[0-9a-f]{6}$/.test(hex)) return hex
  if (/^[0-9a-f]{3}$/.test(hex)) return hex.replaceAll(/./g, '$&$&')
  throw unprocessable(`bad color code: ${input}`)
}

import { mapPage } from '../../db/page.ts'
import type { Tx } from '../../db/sql.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { OnSubject, SignedInOnSubject } from '../auth/access.ts'
import { orgOwner, orgSeen, signedInOrgSeen } from '../auth/org-access.ts'
import { nameParam, numberIn, numberParam, queryWord } from '../protocol/query.ts'
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

const onLabel = { id: numberParam }
const ownerIn = ({ subject }: OnSubject) => ({ organization: subject.id })

export const orgListLabels = route('GET /orgs/{org}/labels', {
  summary:
    'Labels for the issues of all repositories of an organization, by name unless `sort` says otherwise',
  access: orgSeen(),
  ...pagesOf(Label),
  query: { sort: queryWord(...LABEL_SORTS), ...pageQuery() },
  handler: async ({ caller, query, sql, from: { host } }) =>
    mapPage(await pageOfLabels(sql, ownerIn(caller), query.sort || 'alphabetically', query), (label) =>
      printLabel(label, { owner: caller.subject, host }),
    ),
})

export const orgGetLabel = route('GET /orgs/{org}/labels/{id}', {
  summary: 'A label of an organization, by its id or its name',
  access: signedInOrgSeen(),
  params: { id: nameParam },
  returns: json(200, Label),
  handler: async ({ caller, params, sql, from: { host } }) => {
    const label = await labelNamed(sql, ownerIn(caller), params.id)
    return printLabel(found(label), { owner: caller.subject, host })
  },
})

export const orgCreateLabel = route('POST /orgs/{org}/labels', {
  summary: 'Create a label for the issues of all repositories of an organization',
  access: orgOwner(),
  body: CreateLabelOption,
  returns: json(201, Label),
  handler: async (context) => {
    const { caller, body, begin, from } = context
    const draft = draftOf(body)
    const label = await begin(async (tx) => {
      const inserted = await insertLabel(tx, ownerIn(caller), draft)
      await recordLabel(tx, context, 'created', inserted)
      return inserted
    })
    return printLabel(label, { owner: caller.subject, host: from.host })
  },
})

export const orgEditLabel = route('PATCH /orgs/{org}/labels/{id}', {
  summary: 'Change a label of an organization; omitted members keep their values',
  access: orgOwner(),
  params: onLabel,
  body: EditLabelOption,
  returns: json(200, Label),
  handler: async (context) => {
    const { caller, params, body, begin, from } = context
    const edit = editOf(body)
    const label = await begin(async (tx) => {
      const edited = found(await updateLabel(tx, ownerIn(caller), numberIn(params.id), edit))
      await recordLabel(tx, context, 'edited', edited)
      return edited
    })
    return printLabel(label, { owner: caller.subject, host: from.host })
  },
})

export const orgDeleteLabel = route('DELETE /orgs/{org}/labels/{id}', {
  summary: 'Delete a label of an organization; its issues lose it. 204 also if there is no such label',
  access: orgOwner(),
  params: onLabel,
  returns: noBody(204),
  handler: (context) => {
    const { caller, params, begin } = context
    return begin(async (tx) => {
      const deleted = await deleteLabel(tx, ownerIn(caller), numberIn(params.id))
      if (deleted) await recordLabel(tx, context, 'deleted', deleted)
    })
  },
})

const recordLabel = (
  tx: Tx,
  context: ForgeContext<SignedInOnSubject>,
  change: 'created' | 'edited' | 'deleted',
  { name }: { name: string },
) =>
  record(tx, context, {
    action: `label.${change}`,
    target: accountTarget(context.caller.subject),
    details: { name },
  })

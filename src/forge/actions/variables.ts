import type * as v from 'valibot'
import {
  deleteVariable,
  insertVariable,
  pageOfVariables,
  updateVariable,
  type VariableDraft,
  variableByName,
} from '../../actions/secrets/variable-store.ts'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pagesOf } from '../../http/route/page.ts'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { record } from '../audit/audit-trail.ts'
import { maxSize } from '../protocol/rules.ts'
import { type ForgeContext, route } from '../route.ts'
import { CreateVariableOption, UpdateVariableOption } from './actions.option.ts'
import { cutDescription, nameIn, validName } from './names.ts'
import {
  type ActionsOwnerOrSite,
  type OnOwner,
  ownedByOrganization,
  ownedByRepository,
  ownedBySite,
  ownedByUser,
  scopeOf,
} from './scopes.ts'
import { ActionVariable, printVariable } from './variable.shape.ts'

/** Variables of jobs: like secrets, but the API returns their values. */

const conflicts = { action_variable_name_unique: [409, 'a variable of that name exists'] } as const

const listing = { ...pagesOf(ActionVariable), handler: listVariables } as const
const showing = { fails: [404], returns: json(200, ActionVariable), handler: showVariable } as const
const creating = {
  body: CreateVariableOption,
  fails: [400, 404],
  conflicts,
  returns: noBody(201),
  handler: addVariable,
} as const
const changing = {
  body: UpdateVariableOption,
  fails: [400, 404],
  conflicts,
  returns: noBody(204),
  handler: changeVariable,
} as const
const removing = { fails: [404], returns: noBody(204), handler: dropVariable } as const

export const getOrgVariablesList = route('GET /orgs/{org}/actions/variables', {
  ...listing,
  summary: 'Variables of an organization, the oldest first',
  access: ownedByOrganization,
})

export const getRepoVariablesList = route('GET /repos/{owner}/{repo}/actions/variables', {
  ...listing,
  summary: 'Variables of a repository, the oldest first',
  access: ownedByRepository,
})

export const getUserVariablesList = route('GET /user/actions/variables', {
  ...listing,
  summary: 'Variables of the caller, the oldest first',
  access: ownedByUser,
})

export const getAdminVariablesList = route('GET /admin/actions/variables', {
  ...listing,
  extension: true,
  summary: 'Variables for the jobs of all repositories, the oldest first',
  access: ownedBySite,
})

export const getOrgVariable = route('GET /orgs/{org}/actions/variables/{variablename}', {
  ...showing,
  summary: 'A variable of an organization',
  access: ownedByOrganization,
})

export const getRepoVariable = route('GET /repos/{owner}/{repo}/actions/variables/{variablename}', {
  ...showing,
  summary: 'A variable of a repository',
  access: ownedByRepository,
})

export const getUserVariable = route('GET /user/actions/variables/{variablename}', {
  ...showing,
  summary: 'A variable of the caller',
  access: ownedByUser,
})

export const getAdminVariable = route('GET /admin/actions/variables/{variablename}', {
  ...showing,
  extension: true,
  summary: 'A variable for the jobs of all repositories',
  access: ownedBySite,
})

export const createOrgVariable = route('POST /orgs/{org}/actions/variables/{variablename}', {
  ...creating,
  summary: 'Create a variable of an organization',
  access: ownedByOrganization,
})

export const createRepoVariable = route('POST /repos/{owner}/{repo}/actions/variables/{variablename}', {
  ...creating,
  summary: 'Create a variable of a repository',
  access: ownedByRepository,
})

export const createUserVariable = route('POST /user/actions/variables/{variablename}', {
  ...creating,
  summary: 'Create a variable of the caller',
  access: ownedByUser,
})

export const createAdminVariable = route('POST /admin/actions/variables/{variablename}', {
  ...creating,
  extension: true,
  summary: 'Create a variable for the jobs of all repositories',
  access: ownedBySite,
})

export const updateOrgVariable = route('PUT /orgs/{org}/actions/variables/{variablename}', {
  ...changing,
  summary: 'Change the value of a variable of an organization and, if given, its name',
  access: ownedByOrganization,
})

export const updateRepoVariable = route('PUT /repos/{owner}/{repo}/actions/variables/{variablename}', {
  ...changing,
  summary: 'Change the value of a variable of a repository and, if given, its name',
  access: ownedByRepository,
})

export const updateUserVariable = route('PUT /user/actions/variables/{variablename}', {
  ...changing,
  summary: 'Change the value of a variable of the caller and, if given, its name',
  access: ownedByUser,
})

export const updateAdminVariable = route('PUT /admin/actions/variables/{variablename}', {
  ...changing,
  extension: true,
  summary: 'Change the value of a variable for the jobs of all repositories and, if given, its name',
  access: ownedBySite,
})

export const deleteOrgVariable = route('DELETE /orgs/{org}/actions/variables/{variablename}', {
  ...removing,
  summary: 'Delete a variable of an organization',
  access: ownedByOrganization,
})

export const deleteRepoVariable = route('DELETE /repos/{owner}/{repo}/actions/variables/{variablename}', {
  ...removing,
  summary: 'Delete a variable of a repository',
  access: ownedByRepository,
})

export const deleteUserVariable = route('DELETE /user/actions/variables/{variablename}', {
  ...removing,
  summary: 'Delete a variable of the caller',
  access: ownedByUser,
})

export const deleteAdminVariable = route('DELETE /admin/actions/variables/{variablename}', {
  ...removing,
  extension: true,
  summary: 'Delete a variable for the jobs of all repositories',
  access: ownedBySite,
})

/** Maximum length of a value, in characters. */
const maxLength = maxSize(65_536)

async function listVariables({
  sql,
  query,
  caller,
}: ForgeContext<OnAnyOwner, { query: Paging }>): Promise<Page<ActionVariable>> {
  return mapPage(await pageOfVariables(sql, scopeOf(caller.owner), query), printVariable)
}

type OnAnyOwner = OnOwner<ActionsOwnerOrSite>
type Context = ForgeContext<OnAnyOwner, { params: { variablename: string } }>

/** @throws Problem 404 */
async function showVariable({ params, sql, caller }: Context): Promise<ActionVariable> {
  const name = nameIn(params.variablename)
  return printVariable(found(await variableByName(sql, scopeOf(caller.owner), name)))
}

/** @throws Problem 400 */
async function addVariable({
  begin,
  params,
  body,
  ...actor
}: Context & { body: v.InferOutput<typeof CreateVariableOption> }): Promise<void> {
  const { owner } = actor.caller
  const draft = draftOf(params.variablename, body)
  await begin(async (tx) => {
    await insertVariable(tx, scopeOf(owner), draft)
    await record(tx, actor, { action: 'variable.created', target: owner, details: { name: draft.name } })
  })
}

/** @throws Problem 400, 404 */
async function changeVariable({
  begin,
  params,
  body,
  ...actor
}: Context & { body: v.InferOutput<typeof UpdateVariableOption> }): Promise<void> {
  const { owner } = actor.caller
  const old = nameIn(params.variablename)
  const draft = draftOf(body.name || old, body)
  await begin(async (tx) => {
    if (!(await updateVariable(tx, scopeOf(owner), old, draft))) throw notFound()
    const details = { name: draft.name, ...(draft.name !== old && { from: old }) }
    await record(tx, actor, { action: 'variable.updated', target: owner, details })
  })
}

/** @throws Problem 404 */
async function dropVariable({ begin, params, ...actor }: Context): Promise<void> {
  const { owner } = actor.caller
  const name = nameIn(params.variablename)
  await begin(async (tx) => {
    if (!(await deleteVariable(tx, scopeOf(owner), name))) throw notFound()
    await record(tx, actor, { action: 'variable.removed', target: owner, details: { name } })
  })
}

/** @throws Problem 400 */
function draftOf(
  name: string,
  { value, description }: { value: string; description?: string | undefined },
): VariableDraft {
  const draft = { name: validName(name), value, description: cutDescription(description) }
  if (!maxLength.holds(value)) throw badRequest('data too long')
  return draft
}

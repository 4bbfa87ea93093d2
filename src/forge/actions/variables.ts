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
import { record } from '../admin/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { maxSize } from '../protocol/rules.ts'
import type { ForgeContext } from '../route.ts'
import { scoped } from '../scoped.ts'
import { actionName, cutDescription, validName } from './names.ts'
import { type ActionsOwnerOrSite, organization, repository, scopeOf, siteFor, user } from './scopes.ts'
import {
  ActionVariable,
  CreateVariableOption,
  printVariable,
  UpdateVariableOption,
} from './variable.shape.ts'

/** Variables of jobs: like secrets, but the API returns their values. */

const conflicts = { action_variable_name_unique: [409, 'there is a variable of that name'] } as const

export const variableRoutes = scoped<ActionsOwnerOrSite>(
  [organization, repository, user, siteFor('for the jobs of everybody')],
  (route, { whose, name, Name }) => [
    route('GET /actions/variables', {
      operationId: `get${Name}VariablesList`,
      extension: name === 'admin',
      summary: `Variables ${whose}, the oldest first`,
      ...pagesOf(ActionVariable),
      handler: listVariables,
    }),
    route('GET /actions/variables/{variablename}', {
      operationId: `get${Name}Variable`,
      extension: name === 'admin',
      summary: `A variable ${whose}`,
      fails: [404],
      returns: [200, ActionVariable],
      handler: showVariable,
    }),
    route('POST /actions/variables/{variablename}', {
      operationId: `create${Name}Variable`,
      extension: name === 'admin',
      summary: `Create a variable ${whose}`,
      body: CreateVariableOption,
      fails: [400, 404],
      conflicts,
      returns: [201],
      handler: addVariable,
    }),
    route('PUT /actions/variables/{variablename}', {
      operationId: `update${Name}Variable`,
      extension: name === 'admin',
      summary: `Change the value of a variable ${whose}, and perhaps its name`,
      body: UpdateVariableOption,
      fails: [400, 404],
      conflicts,
      returns: [204],
      handler: changeVariable,
    }),
    route('DELETE /actions/variables/{variablename}', {
      operationId: `delete${Name}Variable`,
      extension: name === 'admin',
      summary: `Delete a variable ${whose}`,
      fails: [404],
      returns: [204],
      handler: dropVariable,
    }),
  ],
)

/** Maximum length of a value, in characters. */
const maxLength = maxSize(65_536)

async function listVariables(
  { sql, query }: ForgeContext<SignedIn, { query: Paging }>,
  owner: ActionsOwnerOrSite,
): Promise<Page<ActionVariable>> {
  return mapPage(await pageOfVariables(sql, scopeOf(owner), query), printVariable)
}

type Context = ForgeContext<SignedIn, { params: { variablename: string } }>

/** @throws Problem 404 */
async function showVariable({ params, sql }: Context, owner: ActionsOwnerOrSite): Promise<ActionVariable> {
  const name = nameIn(params)
  return printVariable(found(await variableByName(sql, scopeOf(owner), name)))
}

/** @throws Problem 400 */
async function addVariable(
  { begin, params, body, ...actor }: Context & { body: v.InferOutput<typeof CreateVariableOption> },
  owner: ActionsOwnerOrSite,
): Promise<void> {
  const draft = draftOf(params.variablename, body)
  await begin(async (tx) => {
    await insertVariable(tx, scopeOf(owner), draft)
    await record(tx, actor, { action: 'variable.created', target: owner, details: { name: draft.name } })
  })
}

/** @throws Problem 400, 404 */
async function changeVariable(
  { begin, params, body, ...actor }: Context & { body: v.InferOutput<typeof UpdateVariableOption> },
  owner: ActionsOwnerOrSite,
): Promise<void> {
  const old = nameIn(params)
  const draft = draftOf(body.name || old, body)
  await begin(async (tx) => {
    if (!(await updateVariable(tx, scopeOf(owner), old, draft))) throw notFound()
    const details = { name: draft.name, ...(draft.name !== old && { from: old }) }
    await record(tx, actor, { action: 'variable.updated', target: owner, details })
  })
}

/** @throws Problem 404 */
async function dropVariable({ begin, params, ...actor }: Context, owner: ActionsOwnerOrSite): Promise<void> {
  const name = nameIn(params)
  await begin(async (tx) => {
    if (!(await deleteVariable(tx, scopeOf(owner), name))) throw notFound()
    await record(tx, actor, { action: 'variable.removed', target: owner, details: { name } })
  })
}

/** An invalid name matches no variable. @throws Problem 404 */
function nameIn({ variablename }: Context['params']): string {
  const name = actionName(variablename)
  if (!name.ok) throw notFound()
  return name.value
}

/** @throws Problem 400 */
function draftOf(
  name: string,
  { value, description }: { value: string; description: string },
): VariableDraft {
  const draft = { name: validName(name), value, description: cutDescription(description) }
  if (!maxLength.holds(value)) throw badRequest('data too long')
  return draft
}

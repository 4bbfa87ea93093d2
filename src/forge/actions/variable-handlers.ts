import type * as v from 'valibot'
import {
  deleteVariable,
  insertVariable,
  pageOfVariables,
  updateVariable,
  type VariableDraft,
  variableByName,
} from '../../actions/secrets/variable-store.ts'
import type { Page, Paging } from '../../db/page.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import { maxSize } from '../protocol/rules.ts'
import { actionName, cutDescription, validName } from './names.ts'
import { type ActionsOwnerOrSite, scopeOf } from './owner.ts'
import {
  type ActionVariable,
  type CreateVariableOption,
  printVariable,
  type UpdateVariableOption,
} from './variable.shape.ts'

/** Handlers of the variable routes, for all kinds of owners. */

/** Maximum length of a value, in characters. */
const maxLength = maxSize(65_536)

export async function listVariables(
  sql: Sql,
  owner: ActionsOwnerOrSite,
  paging: Paging,
): Promise<Page<ActionVariable>> {
  const page = await pageOfVariables(sql, scopeOf(owner), paging)
  return { ...page, rows: page.rows.map(printVariable) }
}

type Named = { params: { variablename: string } }
/** The context of a handler that changes a variable. */
type Context<Body> = Exclude<Actor, string> & Named & { begin: Begin; body: Body }

/** @throws Problem 404 */
export async function showVariable(
  { params, sql }: Named & { sql: Sql },
  owner: ActionsOwnerOrSite,
): Promise<ActionVariable> {
  const name = nameIn(params)
  return printVariable(found(await variableByName(sql, scopeOf(owner), name)))
}

/** @throws Problem 400 */
export async function addVariable(
  { begin, params, body, ...actor }: Context<v.InferOutput<typeof CreateVariableOption>>,
  owner: ActionsOwnerOrSite,
): Promise<void> {
  const draft = draftOf(params.variablename, body)
  await begin(async (tx) => {
    await insertVariable(tx, scopeOf(owner), draft)
    await record(tx, actor, { action: 'variable.created', target: owner, details: { name: draft.name } })
  })
}

/** @throws Problem 400, 404 */
export async function changeVariable(
  { begin, params, body, ...actor }: Context<v.InferOutput<typeof UpdateVariableOption>>,
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
export async function dropVariable(
  { begin, params, ...actor }: Omit<Context<unknown>, 'body'>,
  owner: ActionsOwnerOrSite,
): Promise<void> {
  const name = nameIn(params)
  await begin(async (tx) => {
    if (!(await deleteVariable(tx, scopeOf(owner), name))) throw notFound()
    await record(tx, actor, { action: 'variable.removed', target: owner, details: { name } })
  })
}

/** An invalid name matches no variable. @throws Problem 404 */
function nameIn({ variablename }: Named['params']): string {
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

import type * as v from 'valibot'
import {
  deleteVariable,
  insertVariable,
  pageOfVariables,
  updateVariable,
  type VariableDraft,
  variableByName,
} from '../../actions/secrets/variable-store.ts'
import type { Begin, Sql } from '../../db/sql.ts'
import type { Page, Paging } from '../../http/route/page.ts'
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

/** What is done with variables, whosever they are. */

/** The longest value, in characters. */
const longest = maxSize(65_536)

export async function listVariables(
  sql: Sql,
  holder: ActionsOwnerOrSite,
  paging: Paging,
): Promise<Page<ActionVariable>> {
  const page = await pageOfVariables(sql, scopeOf(holder), paging)
  return { ...page, rows: page.rows.map(printVariable) }
}

type Named = { params: { variablename: string } }
/** What a handler is given that changes a variable. */
type Context<Body> = Exclude<Actor, string> & Named & { begin: Begin; body: Body }

/** @throws Problem 404 */
export async function showVariable(
  { params, sql }: Named & { sql: Sql },
  holder: ActionsOwnerOrSite,
): Promise<ActionVariable> {
  const name = nameIn(params)
  return printVariable(found(await variableByName(sql, scopeOf(holder), name)))
}

/** @throws Problem 400 */
export async function addVariable(
  { begin, params, body, ...by }: Context<v.InferOutput<typeof CreateVariableOption>>,
  holder: ActionsOwnerOrSite,
): Promise<void> {
  const draft = draftOf(params.variablename, body)
  await begin(async (tx) => {
    await insertVariable(tx, scopeOf(holder), draft)
    await record(tx, by, { action: 'variable.created', target: holder, details: { name: draft.name } })
  })
}

/** @throws Problem 400, 404 */
export async function changeVariable(
  { begin, params, body, ...by }: Context<v.InferOutput<typeof UpdateVariableOption>>,
  holder: ActionsOwnerOrSite,
): Promise<void> {
  const old = nameIn(params)
  const draft = draftOf(body.name || old, body)
  await begin(async (tx) => {
    if (!(await updateVariable(tx, scopeOf(holder), old, draft))) throw notFound()
    const details = { name: draft.name, ...(draft.name !== old && { from: old }) }
    await record(tx, by, { action: 'variable.updated', target: holder, details })
  })
}

/** @throws Problem 404 */
export async function dropVariable(
  { begin, params, ...by }: Omit<Context<unknown>, 'body'>,
  holder: ActionsOwnerOrSite,
): Promise<void> {
  const name = nameIn(params)
  await begin(async (tx) => {
    if (!(await deleteVariable(tx, scopeOf(holder), name))) throw notFound()
    await record(tx, by, { action: 'variable.removed', target: holder, details: { name } })
  })
}

/** What cannot be a name names nothing. @throws Problem 404 */
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
  if (!longest.holds(value)) throw badRequest('data too long')
  return draft
}

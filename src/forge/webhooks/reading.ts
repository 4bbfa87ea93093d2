import type * as v from 'valibot'
import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import type { ForgeTools } from '../route.ts'
import { attemptsOfDelivery, deliveryOfHook, pageOfDeliveries } from './delivery/delivery-history.ts'
import type { HookOwner } from './editing.ts'
import {
  type Hook,
  type HookDelivery,
  type HookDeliveryDetails,
  printAttempt,
  printDelivery,
  printHook,
} from './hook.shape.ts'
import { hookById, pageOfHooks } from './hook-store.ts'

/** Reads hooks and deliveries as replies show them, for all scopes. */

/** What the handlers that read hooks are given. */
type Context<Params = unknown> = { sql: Sql; tools: Pick<ForgeTools, 'secrets'>; params: Params }
/** Whose hooks they read. */
type Owner = Pick<HookOwner, 'filter'>

export async function listHooks(
  { sql, tools, query }: Context & { query: Paging },
  { filter }: Owner,
): Promise<Page<Hook>> {
  const page = await pageOfHooks(sql, tools.secrets, filter, query)
  return { ...page, rows: page.rows.map(printHook) }
}

/** @throws Problem 404 */
export async function showHook(
  { sql, tools, params }: Context<{ id: number }>,
  { filter }: Owner,
): Promise<Hook> {
  return printHook(found(await hookById(sql, tools.secrets, filter, params.id)))
}

/** @throws Problem 404 */
export async function listDeliveries(
  { sql, tools, params, query }: Context<{ id: number }> & { query: Paging },
  { filter }: Owner,
): Promise<Page<HookDelivery>> {
  found(await hookById(sql, tools.secrets, filter, params.id))
  const page = await pageOfDeliveries(sql, params.id, query)
  return { ...page, rows: page.rows.map(printDelivery) }
}

/** @throws Problem 404 */
export async function showDelivery(
  { sql, tools, params }: Context<{ id: number; delivery: number }>,
  { filter }: Owner,
): Promise<v.InferOutput<typeof HookDeliveryDetails>> {
  const { id, delivery } = params
  found(await hookById(sql, tools.secrets, filter, id))
  const row = found(await deliveryOfHook(sql, id, delivery))
  const history = (await attemptsOfDelivery(sql, tools.secrets, delivery)).map(printAttempt)
  return { ...printDelivery(row), payload: row.body, history }
}

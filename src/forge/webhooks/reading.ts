import type * as v from 'valibot'
import type { Page, Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import type { ForgeTools } from '../route.ts'
import { attemptsOfDelivery, deliveryOfHook, pageOfDeliveries } from './delivery/delivery-history.ts'
import {
  type Hook,
  type HookDelivery,
  type HookDeliveryDetails,
  printAttempt,
  printDelivery,
  printHook,
} from './hook.shape.ts'
import { type HookFilter, hookById, pageOfHooks } from './hook-store.ts'

/** Reads hooks and deliveries as replies show them, for all scopes. */

/** What the handlers that read hooks are given. */
type Context = { sql: Sql; tools: Pick<ForgeTools, 'secrets'> }

export async function listHooks(
  { sql, tools }: Context,
  filter: HookFilter,
  paging: Paging,
): Promise<Page<Hook>> {
  const page = await pageOfHooks(sql, tools.secrets, filter, paging)
  return { ...page, rows: page.rows.map(printHook) }
}

/** @throws Problem 404 */
export async function showHook({ sql, tools }: Context, filter: HookFilter, id: number): Promise<Hook> {
  return printHook(found(await hookById(sql, tools.secrets, filter, id)))
}

/** @throws Problem 404 */
export async function listDeliveries(
  { sql, tools }: Context,
  filter: HookFilter,
  id: number,
  paging: Paging,
): Promise<Page<HookDelivery>> {
  found(await hookById(sql, tools.secrets, filter, id))
  const page = await pageOfDeliveries(sql, id, paging)
  return { ...page, rows: page.rows.map(printDelivery) }
}

/** @throws Problem 404 */
export async function showDelivery(
  { sql, tools }: Context,
  filter: HookFilter,
  { id, delivery }: { id: number; delivery: number },
): Promise<v.InferOutput<typeof HookDeliveryDetails>> {
  found(await hookById(sql, tools.secrets, filter, id))
  const row = found(await deliveryOfHook(sql, id, delivery))
  const history = (await attemptsOfDelivery(sql, tools.secrets, delivery)).map(printAttempt)
  return { ...printDelivery(row), payload: row.body, history }
}

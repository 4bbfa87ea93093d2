import type * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import type { Sql } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import type { ForgeContext } from '../route.ts'
import {
  attemptsOfDelivery,
  deliveryOfHook,
  pageOfDeliveries,
} from '../webhooks/delivery/delivery-history-store.ts'
import { type HookFilter, hookById, pageOfHooks, type StoredHook } from '../webhooks/hook-store.ts'
import type { OnHooks } from './access.ts'
import {
  type Hook,
  type HookDelivery,
  type HookDeliveryDetails,
  printAttempt,
  printDelivery,
  printHook,
} from './hook.shape.ts'

/** Reads hooks and deliveries as replies show them, for all scopes. */

type Context<Declared> = ForgeContext<OnHooks, Declared>
type OnHook = Context<{ params: { id: number } }>

/** The hook that the path names. @throws Problem 404 */
export const hookIn = async (
  { tools, caller, params }: Pick<OnHook, 'tools' | 'caller' | 'params'>,
  sql: Sql,
): Promise<StoredHook> => found(await hookById(sql, tools.secrets, caller.owner.filter, params.id))

export const listHooks = (context: Context<{ query: Paging }>): Promise<Page<Hook>> =>
  listHooksIn(context, context.caller.owner.filter)

/** The hooks that a filter selects. */
export async function listHooksIn(
  { sql, tools, query }: Context<{ query: Paging }>,
  filter: HookFilter,
): Promise<Page<Hook>> {
  return mapPage(await pageOfHooks(sql, tools.secrets, filter, query), printHook)
}

/** @throws Problem 404 */
export const showHook = async (context: OnHook): Promise<Hook> =>
  printHook(await hookIn(context, context.sql))

/** @throws Problem 404 */
export async function listDeliveries(context: OnHook & { query: Paging }): Promise<Page<HookDelivery>> {
  const { sql, params, query } = context
  await hookIn(context, sql)
  return mapPage(await pageOfDeliveries(sql, params.id, query), printDelivery)
}

/** @throws Problem 404 */
export async function showDelivery(
  context: Context<{ params: { id: number; delivery: number } }>,
): Promise<v.InferOutput<typeof HookDeliveryDetails>> {
  const { sql, tools, params } = context
  const { id } = await hookIn(context, sql)
  const row = found(await deliveryOfHook(sql, id, params.delivery))
  const history = (await attemptsOfDelivery(sql, tools.secrets, row.id)).map(printAttempt)
  return { ...printDelivery(row), payload: row.body, history }
}

import type * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { found } from '../../http/route/problem.ts'
import type { ForgeContext } from '../route.ts'
import { attemptsOfDelivery, deliveryOfHook, pageOfDeliveries } from './delivery/delivery-history-store.ts'
import type { OnHooks } from './editing.ts'
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

type Context<Declared> = ForgeContext<OnHooks, Declared>

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
export async function showHook({
  sql,
  tools,
  params,
  caller,
}: Context<{ params: { id: number } }>): Promise<Hook> {
  const { filter } = caller.owner
  return printHook(found(await hookById(sql, tools.secrets, filter, params.id)))
}

/** @throws Problem 404 */
export async function listDeliveries({
  sql,
  tools,
  params,
  query,
  caller,
}: Context<{ params: { id: number }; query: Paging }>): Promise<Page<HookDelivery>> {
  const { filter } = caller.owner
  found(await hookById(sql, tools.secrets, filter, params.id))
  return mapPage(await pageOfDeliveries(sql, params.id, query), printDelivery)
}

/** @throws Problem 404 */
export async function showDelivery({
  sql,
  tools,
  params,
  caller,
}: Context<{ params: { id: number; delivery: number } }>): Promise<
  v.InferOutput<typeof HookDeliveryDetails>
> {
  const { filter } = caller.owner
  const { id, delivery } = params
  found(await hookById(sql, tools.secrets, filter, id))
  const row = found(await deliveryOfHook(sql, id, delivery))
  const history = (await attemptsOfDelivery(sql, tools.secrets, delivery)).map(printAttempt)
  return { ...printDelivery(row), payload: row.body, history }
}

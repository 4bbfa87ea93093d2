import type * as v from 'valibot'
import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { found } from '../../http/route/problem.ts'
import type { SignedIn } from '../auth/access.ts'
import type { ForgeContext } from '../route.ts'
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

type Context<Declared> = ForgeContext<SignedIn, Declared>
/** Whose hooks they read. */
type Owner = Pick<HookOwner, 'filter'>

export async function listHooks(
  { sql, tools, query }: Context<{ query: Paging }>,
  { filter }: Owner,
): Promise<Page<Hook>> {
  return mapPage(await pageOfHooks(sql, tools.secrets, filter, query), printHook)
}

/** @throws Problem 404 */
export async function showHook(
  { sql, tools, params }: Context<{ params: { id: number } }>,
  { filter }: Owner,
): Promise<Hook> {
  return printHook(found(await hookById(sql, tools.secrets, filter, params.id)))
}

/** @throws Problem 404 */
export async function listDeliveries(
  { sql, tools, params, query }: Context<{ params: { id: number }; query: Paging }>,
  { filter }: Owner,
): Promise<Page<HookDelivery>> {
  found(await hookById(sql, tools.secrets, filter, params.id))
  return mapPage(await pageOfDeliveries(sql, params.id, query), printDelivery)
}

/** @throws Problem 404 */
export async function showDelivery(
  { sql, tools, params }: Context<{ params: { id: number; delivery: number } }>,
  { filter }: Owner,
): Promise<v.InferOutput<typeof HookDeliveryDetails>> {
  const { id, delivery } = params
  found(await hookById(sql, tools.secrets, filter, id))
  const row = found(await deliveryOfHook(sql, id, delivery))
  const history = (await attemptsOfDelivery(sql, tools.secrets, delivery)).map(printAttempt)
  return { ...printDelivery(row), payload: row.body, history }
}

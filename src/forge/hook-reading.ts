import type * as v from 'valibot'
import { attemptsOfDelivery, deliveryOfHook, pageOfDeliveries } from '../background/delivery-history.ts'
import type { Sql } from '../db/sql.ts'
import type { Page, Place } from '../http/page.ts'
import { found } from '../http/problem.ts'
import {
  type Hook,
  type HookDelivery,
  type HookDeliveryDetails,
  printAttempt,
  printDelivery,
  printHook,
} from './hook.shape.ts'
import { type HookShelf, hookById, pageOfHooks } from './hook-store.ts'

/** Hooks and their deliveries as replies show them, wherever they hang. */

export async function listHooks(sql: Sql, shelf: HookShelf, place: Place): Promise<Page<Hook>> {
  const page = await pageOfHooks(sql, shelf, place)
  return { ...page, rows: page.rows.map(printHook) }
}

/** @throws Problem 404 */
export async function showHook(sql: Sql, shelf: HookShelf, id: number): Promise<Hook> {
  return printHook(found(await hookById(sql, shelf, id)))
}

/** @throws Problem 404 */
export async function listDeliveries(
  sql: Sql,
  shelf: HookShelf,
  id: number,
  place: Place,
): Promise<Page<HookDelivery>> {
  found(await hookById(sql, shelf, id))
  const page = await pageOfDeliveries(sql, id, place)
  return { ...page, rows: page.rows.map(printDelivery) }
}

/** @throws Problem 404 */
export async function showDelivery(
  sql: Sql,
  shelf: HookShelf,
  { id, delivery }: { id: number; delivery: number },
): Promise<v.InferOutput<typeof HookDeliveryDetails>> {
  found(await hookById(sql, shelf, id))
  const row = found(await deliveryOfHook(sql, id, delivery))
  const history = (await attemptsOfDelivery(sql, delivery)).map(printAttempt)
  return { ...printDelivery(row), payload: row.body, history }
}

import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { record } from '../audit/audit-trail.ts'
import type { ForgeContext } from '../route.ts'
import { deliveryOfHook, redeliver } from '../webhooks/delivery/delivery-history-store.ts'
import {
  deleteHook,
  type HookScope,
  hasRoomForHook,
  insertHook,
  lockHook,
  type StoredHook,
  updateHook,
} from '../webhooks/hook-store.ts'
import { type EventName, normalizeEvents, requestableEvents } from '../webhooks/payload/events.ts'
import type { HookOwner, OnHooks } from './access.ts'
import { type CreateHookOption, type EditHookOption, readConfig, readEdit } from './hook.option.ts'
import { type Hook, type HookDelivery, printDelivery, printHook } from './hook.shape.ts'
import { hookIn } from './reading.ts'

type Context = ForgeContext<OnHooks>

/** Maximum number of webhooks of one repository, account or kind of the site: each of them gets a copy of an event. */
const maxHooks = 100

/** @throws Problem 400 channel, 422 also where there are too many */
export async function createHook(
  context: Context & { body: v.InferOutput<typeof CreateHookOption> },
): Promise<Hook> {
  const { body } = context
  const { owner } = context.caller
  const { system, ...target } = readConfig(body)
  const scope = scopeIn(owner, system ?? false)
  return context.begin(async (tx) => {
    await needRoom(tx, scope)
    const hook = await insertHook(tx, context.tools.secrets, {
      ...target,
      scope,
      name: body.name.trim(),
      all_events: false,
      events: eventsNamed(body.events),
      branch_filter: body.branch_filter,
      active: body.active,
      authorization: body.authorization_header,
    })
    await record(tx, context, {
      action: 'hook.created',
      target: targetOf(owner, hook),
      details: detailsOf(hook),
    })
    return printHook(hook)
  })
}

/** @throws Problem 400 channel, 404, 422 */
export async function editHook(
  context: Context & { params: { id: number }; body: v.InferOutput<typeof EditHookOption> },
): Promise<Hook> {
  const { body, params } = context
  const { owner } = context.caller
  const { secrets } = context.tools
  return context.begin(async (tx) => {
    const old = found(await lockHook(tx, secrets, owner.filter, params.id))
    const { target, secret, system } = readEdit(old, body.config ?? {})
    const scope = system === undefined ? undefined : scopeIn(owner, system)
    if (scope && scope.kind !== old.scope) await needRoom(tx, scope)
    const next: StoredHook = {
      ...old,
      ...target,
      scope: scope?.kind ?? old.scope,
      name: body.name === undefined ? old.name : body.name.trim(),
      ...(body.events && { all_events: false, events: eventsNamed(body.events) }),
      branch_filter: body.branch_filter ?? old.branch_filter,
      active: body.active ?? old.active,
    }
    const hook = await updateHook(tx, secrets, next, { secret, authorization: body.authorization_header })
    await record(tx, context, {
      action: 'hook.edited',
      target: targetOf(owner, hook),
      details: detailsOf(hook),
    })
    return printHook(hook)
  })
}

/** @throws Problem 422 a system hook of something else than the site */
function scopeIn(owner: HookOwner, system: boolean): HookScope {
  const scope = owner.scopeOf(system)
  if (system && scope.kind !== 'system') throw unprocessable('is_system_webhook is for webhooks of the site')
  return scope
}

/** @throws Problem 422 */
function eventsNamed(names: readonly string[] | undefined): EventName[] {
  const events = normalizeEvents(names)
  if (events.ok) return events.value
  throw unprocessable(`unknown event "${events.fault}"; known are ${requestableEvents.join(', ')}`)
}

/** @throws Problem 422 */
async function needRoom(tx: Tx, scope: HookScope): Promise<void> {
  if (!(await hasRoomForHook(tx, scope, maxHooks)))
    throw unprocessable(`there are ${maxHooks} webhooks here already; delete one first`)
}

/** Deletes a hook with its delivery history; its pending deliveries are not sent. @throws Problem 404 */
export async function removeHook(context: Context & { params: { id: number } }): Promise<void> {
  const { owner } = context.caller
  await context.begin(async (tx) => {
    const hook = found(await deleteHook(tx, context.tools.secrets, owner.filter, context.params.id))
    await record(tx, context, {
      action: 'hook.deleted',
      target: targetOf(owner, hook),
      details: detailsOf(hook),
    })
  })
}

/** Queues a copy of a delivery with a new uuid. @throws Problem 404, 422 */
export async function repeatDelivery(
  context: Context & { params: { id: number; delivery: number } },
): Promise<HookDelivery> {
  const { owner } = context.caller
  const { id, delivery } = context.params
  return context.begin(async (tx) => {
    const hook = await hookIn(context, tx)
    const repeatedId = found(await redeliver(tx, id, delivery))
    if (!hook.active) throw unprocessable('the webhook is not active')
    await record(tx, context, {
      action: 'hook.redelivered',
      target: targetOf(owner, hook),
      details: { delivery },
    })
    return printDelivery(found(await deliveryOfHook(tx, id, repeatedId)))
  })
}

const targetOf = ({ name }: HookOwner, { id }: StoredHook) => ({ kind: 'hook', id, name })

/** Only the host of the address is recorded, because the rest of a chat's address is a secret. */
function detailsOf({ scope, type, url, all_events, events, branch_filter, active }: StoredHook) {
  const host = url === '' ? '' : new URL(url).host
  return { scope, type, host, events: all_events ? '*' : events, branch_filter, active }
}

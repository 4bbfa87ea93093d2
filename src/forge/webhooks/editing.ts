import type * as v from 'valibot'
import type { Begin } from '../../db/sql.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { type Actor, record } from '../admin/audit-trail.ts'
import type { ForgeTools } from '../route.ts'
import { deliveryOfHook, redeliver, type StoredDelivery } from './delivery/delivery-history.ts'
import {
  deleteHook,
  type HookFilter,
  type HookScope,
  hookById,
  insertHook,
  lockHook,
  type StoredHook,
  updateHook,
} from './hook-store.ts'
import { type CreateHookOption, changedTarget, type EditHookOption, readConfig } from './options.ts'
import { normalizeEvents } from './payload/events.ts'

/** Whose hooks a path is about. */
export interface HookOwner {
  /** Where they are looked for. */
  shelf: HookFilter
  /** What a new one hears of; `system` is what its `config` wishes, which matters to those of the site only. */
  scopeOf: (system: boolean) => HookScope
  /** What the audit trail calls the place. */
  name: string
}

/** What a handler is given that changes hooks. */
type Context = Exclude<Actor, string> & { begin: Begin; tools: Pick<ForgeTools, 'secrets'> }

/** @throws Problem 400 channel, 422 */
export async function createHook(
  context: Context,
  keeper: HookOwner,
  body: v.InferOutput<typeof CreateHookOption>,
): Promise<StoredHook> {
  const { system, ...target } = readConfig(body)
  return context.begin(async (tx) => {
    const hook = await insertHook(tx, context.tools.secrets, {
      ...target,
      scope: keeper.scopeOf(system),
      name: body.name.trim(),
      method: 'POST',
      subscription: { everything: false, events: normalizeEvents(body.events) },
      branchFilter: body.branch_filter,
      active: body.active,
      authorization: body.authorization_header,
    })
    await record(tx, context, {
      action: 'hook.created',
      target: targetOf(keeper, hook),
      details: detailsOf(hook),
    })
    return hook
  })
}

/** @throws Problem 400 channel, 404, 422 */
export async function editHook(
  context: Context,
  { keeper, id }: { keeper: HookOwner; id: number },
  body: v.InferOutput<typeof EditHookOption>,
): Promise<StoredHook> {
  const { secrets } = context.tools
  return context.begin(async (tx) => {
    const old = found(await lockHook(tx, secrets, keeper.shelf, id))
    const changed = changedTarget({ ...old, contentType: old.content_type }, body.config ?? {})
    const next: StoredHook = {
      ...old,
      url: changed.url,
      content_type: changed.contentType,
      options: changed.options,
      name: body.name === undefined ? old.name : body.name.trim(),
      all_events: false,
      events: normalizeEvents(body.events),
      branch_filter: body.branch_filter,
      active: body.active ?? old.active,
    }
    const hook = await updateHook(tx, secrets, next, body.authorization_header)
    await record(tx, context, {
      action: 'hook.edited',
      target: targetOf(keeper, hook),
      details: detailsOf(hook),
    })
    return hook
  })
}

/** Deletes a hook with its history; what it still had to deliver is not delivered. @throws Problem 404 */
export async function removeHook(context: Context, keeper: HookOwner, id: number): Promise<void> {
  await context.begin(async (tx) => {
    const hook = found(await deleteHook(tx, context.tools.secrets, keeper.shelf, id))
    await record(tx, context, {
      action: 'hook.deleted',
      target: targetOf(keeper, hook),
      details: detailsOf(hook),
    })
  })
}

/** Queues a delivery of a hook once more, under a uuid of its own. @throws Problem 404, 422 */
export async function sendAgain(
  context: Context,
  keeper: HookOwner,
  { id, delivery }: { id: number; delivery: number },
): Promise<StoredDelivery> {
  return context.begin(async (tx) => {
    const hook = found(await hookById(tx, context.tools.secrets, keeper.shelf, id))
    const again = found(await redeliver(tx, id, delivery))
    if (!hook.active) throw unprocessable('the webhook is not active')
    await record(tx, context, {
      action: 'hook.redelivered',
      target: targetOf(keeper, hook),
      details: { delivery },
    })
    return found(await deliveryOfHook(tx, id, again))
  })
}

const targetOf = ({ name }: HookOwner, { id }: StoredHook) => ({ kind: 'hook', id, name })

/** Of the address only the host: with chats the rest of it is a password. */
function detailsOf({ scope, type, url, all_events, events, branch_filter, active }: StoredHook) {
  const host = url === '' ? '' : new URL(url).host
  return { scope, type, host, events: all_events ? '*' : events, branch_filter, active }
}

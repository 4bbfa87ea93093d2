import { id } from '../../http/route/values.ts'
import { type SignedIn, signedInFully } from '../auth/access.ts'
import { route } from '../route.ts'
import { createHook, editHook, type HookOwner, removeHook, repeatDelivery } from './editing.ts'
import { printDelivery, printHook } from './hook.shape.ts'
import {
  creates,
  edits,
  lists,
  listsDeliveries,
  removes,
  repeats,
  shows,
  showsDelivery,
} from './operations.ts'
import { listDeliveries, listHooks, showDelivery, showHook } from './reading.ts'

/** Webhooks that receive the events of all repositories of the signed-in user. */

const hookOwnerOf = ({ me }: SignedIn): HookOwner => ({
  filter: { owner: me.id },
  scopeOf: () => ({ kind: 'user', owner: me.id }),
  name: me.name,
})

const list = route(
  'GET /user/hooks',
  {
    operationId: 'userListHooks',
    ...lists,
    summary: 'Webhooks of the user who asks',
    access: signedInFully('user'),
  },
  (context) => listHooks(context, hookOwnerOf(context.caller).filter, context.query),
)

const create = route(
  'POST /user/hooks',
  {
    operationId: 'userCreateHook',
    ...creates,
    summary: 'Create a webhook of the user who asks',
    access: signedInFully('user'),
    fails: [400, 404],
  },
  async (context) => printHook(await createHook(context, hookOwnerOf(context.caller), context.body)),
)

const show = route(
  'GET /user/hooks/{id}',
  {
    operationId: 'userGetHook',
    ...shows,
    summary: 'A webhook of the user who asks',
    access: signedInFully('user'),
    params: { id },
  },
  (context) => showHook(context, hookOwnerOf(context.caller).filter, context.params.id),
)

const edit = route(
  'PATCH /user/hooks/{id}',
  {
    operationId: 'userEditHook',
    ...edits,
    summary:
      'Change a webhook of the user who asks; events, branch_filter and authorization_header not given are reset',
    access: signedInFully('user'),
    params: { id },
  },
  async (context) =>
    printHook(
      await editHook(context, { owner: hookOwnerOf(context.caller), id: context.params.id }, context.body),
    ),
)

const remove = route(
  'DELETE /user/hooks/{id}',
  {
    operationId: 'userDeleteHook',
    ...removes,
    summary: 'Delete a webhook of the user who asks and its deliveries',
    access: signedInFully('user'),
    params: { id },
  },
  async (context) => removeHook(context, hookOwnerOf(context.caller), context.params.id),
)

const deliveries = route(
  'GET /user/hooks/{id}/deliveries',
  {
    operationId: 'userListHookDeliveries',
    extension: true,
    ...listsDeliveries,
    summary: 'Deliveries of a webhook of the user who asks, newest first',
    access: signedInFully('user'),
    params: { id },
  },
  (context) => listDeliveries(context, hookOwnerOf(context.caller).filter, context.params.id, context.query),
)

const delivery = route(
  'GET /user/hooks/{id}/deliveries/{delivery}',
  {
    operationId: 'userGetHookDelivery',
    extension: true,
    ...showsDelivery,
    summary: 'A delivery of a webhook of the user who asks: what was sent, and what came of each attempt',
    access: signedInFully('user'),
    params: { id, delivery: id },
  },
  (context) => showDelivery(context, hookOwnerOf(context.caller).filter, context.params),
)

const again = route(
  'POST /user/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    operationId: 'userRedeliverHook',
    extension: true,
    ...repeats,
    summary: 'Deliver once more, as a new delivery of the same text',
    access: signedInFully('user'),
    params: { id, delivery: id },
  },
  async (context) =>
    printDelivery(await repeatDelivery(context, hookOwnerOf(context.caller), context.params)),
)

export const userHookRoutes = [list, create, show, edit, remove, deliveries, delivery, again]

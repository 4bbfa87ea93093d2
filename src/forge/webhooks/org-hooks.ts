import { id } from '../../http/route/values.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { nameParam } from '../protocol/query.ts'
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

/** Webhooks that receive the events of all repositories of an organization. Only its owners manage them. */

const hookOwnerOf = ({ subject }: SignedInOnSubject): HookOwner => ({
  filter: { owner: subject.id },
  scopeOf: () => ({ kind: 'organization', owner: subject.id }),
  name: subject.name,
})
const inOrg = { org: nameParam }

const list = route(
  'GET /orgs/{org}/hooks',
  {
    operationId: 'orgListHooks',
    ...lists,
    summary: 'Webhooks of an organization',
    access: orgOwner('org', 'organization'),
    params: inOrg,
  },
  (context) => listHooks(context, hookOwnerOf(context.caller).filter, context.query),
)

const create = route(
  'POST /orgs/{org}/hooks',
  {
    operationId: 'orgCreateHook',
    ...creates,
    summary: 'Create a webhook of an organization',
    access: orgOwner('org', 'organization'),
    params: inOrg,
  },
  async (context) => printHook(await createHook(context, hookOwnerOf(context.caller), context.body)),
)

const show = route(
  'GET /orgs/{org}/hooks/{id}',
  {
    operationId: 'orgGetHook',
    ...shows,
    summary: 'A webhook of an organization',
    access: orgOwner('org', 'organization'),
    params: { ...inOrg, id },
  },
  (context) => showHook(context, hookOwnerOf(context.caller).filter, context.params.id),
)

const edit = route(
  'PATCH /orgs/{org}/hooks/{id}',
  {
    operationId: 'orgEditHook',
    ...edits,
    summary:
      'Change a webhook of an organization; events, branch_filter and authorization_header not given are reset',
    access: orgOwner('org', 'organization'),
    params: { ...inOrg, id },
  },
  async (context) =>
    printHook(
      await editHook(context, { owner: hookOwnerOf(context.caller), id: context.params.id }, context.body),
    ),
)

const remove = route(
  'DELETE /orgs/{org}/hooks/{id}',
  {
    operationId: 'orgDeleteHook',
    ...removes,
    summary: 'Delete a webhook of an organization and its deliveries',
    access: orgOwner('org', 'organization'),
    params: { ...inOrg, id },
  },
  async (context) => removeHook(context, hookOwnerOf(context.caller), context.params.id),
)

const deliveries = route(
  'GET /orgs/{org}/hooks/{id}/deliveries',
  {
    operationId: 'orgListHookDeliveries',
    extension: true,
    ...listsDeliveries,
    summary: 'Deliveries of a webhook of an organization, newest first',
    access: orgOwner('org', 'organization'),
    params: { ...inOrg, id },
  },
  (context) => listDeliveries(context, hookOwnerOf(context.caller).filter, context.params.id, context.query),
)

const delivery = route(
  'GET /orgs/{org}/hooks/{id}/deliveries/{delivery}',
  {
    operationId: 'orgGetHookDelivery',
    extension: true,
    ...showsDelivery,
    summary: 'A delivery of a webhook of an organization: what was sent, and what came of each attempt',
    access: orgOwner('org', 'organization'),
    params: { ...inOrg, id, delivery: id },
  },
  (context) => showDelivery(context, hookOwnerOf(context.caller).filter, context.params),
)

const again = route(
  'POST /orgs/{org}/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    operationId: 'orgRedeliverHook',
    extension: true,
    ...repeats,
    summary: 'Deliver once more, as a new delivery of the same text',
    access: orgOwner('org', 'organization'),
    params: { ...inOrg, id, delivery: id },
  },
  async (context) =>
    printDelivery(await repeatDelivery(context, hookOwnerOf(context.caller), context.params)),
)

export const orgHookRoutes = [list, create, show, edit, remove, deliveries, delivery, again]

import { pageQuery } from '../../http/route/page.ts'
import { id } from '../../http/route/values.ts'
import { siteAdmin } from '../auth/access.ts'
import { queryText } from '../protocol/query.ts'
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

/** Webhooks of the site: system hooks receive all events, default hooks are copied into new repositories. */

const siteFilter = { site: 'all' } as const
const siteOwner: HookOwner = {
  filter: siteFilter,
  scopeOf: (system) => ({ kind: system ? 'system' : 'default' }),
  name: 'site',
}

const list = route(
  'GET /admin/hooks',
  {
    operationId: 'adminListHooks',
    ...lists,
    summary: 'Webhooks of the site: the system ones, the default ones, or all',
    access: siteAdmin(),
    query: { type: queryText, ...pageQuery() },
  },
  (context) => {
    const { type } = context.query
    return listHooks(context, { site: type === 'default' || type === 'all' ? type : 'system' }, context.query)
  },
)

const create = route(
  'POST /admin/hooks',
  {
    operationId: 'adminCreateHook',
    ...creates,
    summary: 'Create a system webhook (config.is_system_webhook) or a default one',
    access: siteAdmin(),
  },
  async (context) => printHook(await createHook(context, siteOwner, context.body)),
)

const show = route(
  'GET /admin/hooks/{id}',
  {
    operationId: 'adminGetHook',
    ...shows,
    summary: 'A webhook of the site',
    access: siteAdmin(),
    params: { id },
  },
  (context) => showHook(context, siteFilter, context.params.id),
)

const edit = route(
  'PATCH /admin/hooks/{id}',
  {
    operationId: 'adminEditHook',
    ...edits,
    summary:
      'Change a webhook of the site; events, branch_filter and authorization_header not given are reset',
    access: siteAdmin(),
    params: { id },
  },
  async (context) =>
    printHook(await editHook(context, { owner: siteOwner, id: context.params.id }, context.body)),
)

const remove = route(
  'DELETE /admin/hooks/{id}',
  {
    operationId: 'adminDeleteHook',
    ...removes,
    summary: 'Delete a webhook of the site and its deliveries; copies in repositories stay',
    access: siteAdmin(),
    params: { id },
  },
  async (context) => removeHook(context, siteOwner, context.params.id),
)

const deliveries = route(
  'GET /admin/hooks/{id}/deliveries',
  {
    operationId: 'adminListHookDeliveries',
    extension: true,
    ...listsDeliveries,
    summary: 'Deliveries of a webhook of the site, newest first',
    access: siteAdmin(),
    params: { id },
  },
  (context) => listDeliveries(context, siteFilter, context.params.id, context.query),
)

const delivery = route(
  'GET /admin/hooks/{id}/deliveries/{delivery}',
  {
    operationId: 'adminGetHookDelivery',
    extension: true,
    ...showsDelivery,
    summary: 'A delivery of a webhook of the site: what was sent, and what came of each attempt',
    access: siteAdmin(),
    params: { id, delivery: id },
  },
  (context) => showDelivery(context, siteFilter, context.params),
)

const again = route(
  'POST /admin/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    operationId: 'adminRedeliverHook',
    extension: true,
    ...repeats,
    summary: 'Deliver once more, as a new delivery of the same text',
    access: siteAdmin(),
    params: { id, delivery: id },
  },
  async (context) => printDelivery(await repeatDelivery(context, siteOwner, context.params)),
)

export const hookRoutes = [list, create, show, edit, remove, deliveries, delivery, again]

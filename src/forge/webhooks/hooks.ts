import { pageQuery } from '../../http/route/page.ts'
import { id } from '../../http/route/values.ts'
import { siteAdmin } from '../auth/access.ts'
import { queryText } from '../protocol/query.ts'
import { route } from '../route.ts'
import { createHook, editHook, type HookKeeper, removeHook, sendAgain } from './editing.ts'
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

/** Webhooks of the site: system ones hear everything, default ones are copied into new repositories. */

const site = { site: 'all' } as const
const keeper: HookKeeper = {
  shelf: site,
  scopeOf: (system) => ({ kind: system ? 'system' : 'default' }),
  name: 'site',
}

const list = route(
  'GET /admin/hooks',
  {
    ...lists,
    summary: 'Webhooks of the site: the system ones, the default ones, or all',
    access: siteAdmin(),
    query: { type: queryText, ...pageQuery() },
  },
  (ask) => {
    const { type } = ask.query
    return listHooks(ask, { site: type === 'default' || type === 'all' ? type : 'system' }, ask.query)
  },
)

const create = route(
  'POST /admin/hooks',
  {
    ...creates,
    summary: 'Create a system webhook (config.is_system_webhook) or a default one',
    access: siteAdmin(),
  },
  async (ask) => printHook(await createHook(ask, keeper, ask.body)),
)

const show = route(
  'GET /admin/hooks/{id}',
  {
    ...shows,
    summary: 'A webhook of the site',
    access: siteAdmin(),
    params: { id },
  },
  (ask) => showHook(ask, site, ask.params.id),
)

const edit = route(
  'PATCH /admin/hooks/{id}',
  {
    ...edits,
    summary:
      'Change a webhook of the site; events, branch_filter and authorization_header not given are reset',
    access: siteAdmin(),
    params: { id },
  },
  async (ask) => printHook(await editHook(ask, { keeper, id: ask.params.id }, ask.body)),
)

const remove = route(
  'DELETE /admin/hooks/{id}',
  {
    ...removes,
    summary: 'Delete a webhook of the site and its deliveries; copies in repositories stay',
    access: siteAdmin(),
    params: { id },
  },
  async (ask) => removeHook(ask, keeper, ask.params.id),
)

const deliveries = route(
  'GET /admin/hooks/{id}/deliveries',
  {
    ...listsDeliveries,
    summary: 'Deliveries of a webhook of the site, newest first',
    access: siteAdmin(),
    params: { id },
  },
  (ask) => listDeliveries(ask, site, ask.params.id, ask.query),
)

const delivery = route(
  'GET /admin/hooks/{id}/deliveries/{delivery}',
  {
    ...showsDelivery,
    summary: 'A delivery of a webhook of the site: what was sent, and what came of each attempt',
    access: siteAdmin(),
    params: { id, delivery: id },
  },
  (ask) => showDelivery(ask, site, ask.params),
)

const again = route(
  'POST /admin/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    ...repeats,
    summary: 'Deliver once more, as a new delivery of the same text',
    access: siteAdmin(),
    params: { id, delivery: id },
  },
  async (ask) => printDelivery(await sendAgain(ask, keeper, ask.params)),
)

export const hookRoutes = [list, create, show, edit, remove, deliveries, delivery, again]

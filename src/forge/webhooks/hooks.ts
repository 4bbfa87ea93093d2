import * as v from 'valibot'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { id } from '../../http/route/values.ts'
import { signedInFully, siteAdmin } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { queryText, queryWord } from '../protocol/query.ts'
import { repoAdmin, type SignedInOnRepository } from '../repos/access.ts'
import { type ForgeRoute, route } from '../route.ts'
import {
  ofOrganization,
  ofRepository,
  ofSite,
  ofUser,
  type Scope,
  type ScopedRoute,
  scope,
  scoped,
} from '../scoped.ts'
import { createHook, editHook, type HookOwner, removeHook, repeatDelivery } from './editing.ts'
import { Hook, HookDelivery, HookDeliveryDetails } from './hook.shape.ts'
import { testHook } from './hook-test.ts'
import { CreateHookOption, EditHookOption } from './options.ts'
import { listDeliveries, listHooks, showDelivery, showHook } from './reading.ts'

/**
 * Webhooks receive the events of one repository, or of all repositories of their owner. Those of the site are system
 * hooks, which receive all events, or default hooks, which are copied into new repositories.
 */

const ownerOfSite: HookOwner = {
  filter: { site: 'all' },
  scopeOf: (system) => ({ kind: system ? 'system' : 'default' }),
  name: 'site',
}

const ownerOfRepository = ({ repo, subject }: SignedInOnRepository): HookOwner => ({
  filter: { repository: repo.id },
  scopeOf: () => ({ kind: 'repository', repository: repo.id }),
  name: `${subject.name}/${repo.name}`,
})

const site = scope({ ...ofSite, whose: 'of the site', access: siteAdmin(), ownerOf: () => ownerOfSite })
const repository = scope({
  ...ofRepository,
  access: repoAdmin(),
  ownerOf: ownerOfRepository,
})
const organization = scope({
  ...ofOrganization,
  access: orgOwner(),
  ownerOf: ({ subject }): HookOwner => ({
    filter: { owner: subject.id },
    scopeOf: () => ({ kind: 'organization', owner: subject.id }),
    name: subject.name,
  }),
})
const user = scope({
  ...ofUser,
  access: signedInFully(ofUser.category),
  ownerOf: ({ me }): HookOwner => ({
    filter: { owner: me.id },
    scopeOf: () => ({ kind: 'user', owner: me.id }),
    name: me.name,
  }),
})

const lists = { returns: [200, v.array(Hook)], sends: 'page', shared: 'until written' } as const

const listOfSite = route('GET /admin/hooks', {
  ...lists,
  operationId: 'adminListHooks',
  summary: 'Webhooks of the site: the system ones, the default ones, or all',
  access: siteAdmin(),
  query: { type: queryWord('system', 'default', 'all'), ...pageQuery() },
  handler: (context) => {
    const { type } = context.query
    return listHooks(context, { filter: { site: type === 'default' || type === 'all' ? type : 'system' } })
  },
})

const createOfSite = route('POST /admin/hooks', {
  operationId: 'adminCreateHook',
  summary: 'Create a system webhook (config.is_system_webhook) or a default one',
  access: siteAdmin(),
  body: CreateHookOption,
  fails: [400],
  returns: [201, Hook],
  handler: (context) => createHook(context, ownerOfSite),
})

const listAndCreate = (route: ScopedRoute<HookOwner>, { whose, name }: Scope<HookOwner>): ForgeRoute[] => [
  route('GET /hooks', {
    ...lists,
    operationId: `${name}ListHooks`,
    summary: `Webhooks ${whose}`,
    query: pageQuery(),
    handler: listHooks,
  }),
  route('POST /hooks', {
    operationId: `${name}CreateHook`,
    summary: `Create a webhook ${whose}`,
    body: CreateHookOption,
    fails: [400, 404],
    returns: [201, Hook],
    handler: createHook,
  }),
]

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of declarations
const onHook = (route: ScopedRoute<HookOwner>, { whose, name }: Scope<HookOwner>): ForgeRoute[] => [
  route('GET /hooks/{id}', {
    operationId: `${name}GetHook`,
    summary: `A webhook ${whose}`,
    params: { id },
    fails: [404],
    returns: [200, Hook],
    handler: showHook,
  }),
  route('PATCH /hooks/{id}', {
    operationId: `${name}EditHook`,
    summary: `Change a webhook ${whose}; events, branch_filter and authorization_header not given are reset`,
    params: { id },
    body: EditHookOption,
    fails: [400, 404],
    returns: [200, Hook],
    handler: editHook,
  }),
  route('DELETE /hooks/{id}', {
    operationId: `${name}DeleteHook`,
    summary: `Delete a webhook ${whose} and its deliveries${name === 'admin' ? '; copies in repositories stay' : ''}`,
    params: { id },
    fails: [404],
    returns: [204],
    handler: removeHook,
  }),
  route('GET /hooks/{id}/deliveries', {
    operationId: `${name}ListHookDeliveries`,
    extension: true,
    summary: `Deliveries of a webhook ${whose}, newest first`,
    params: { id },
    ...pagesOf(HookDelivery),
    fails: [404],
    handler: listDeliveries,
  }),
  route('GET /hooks/{id}/deliveries/{delivery}', {
    operationId: `${name}GetHookDelivery`,
    extension: true,
    summary: `A delivery of a webhook ${whose}: what was sent, and what came of each attempt`,
    params: { id, delivery: id },
    fails: [404],
    returns: [200, HookDeliveryDetails],
    handler: showDelivery,
  }),
  route('POST /hooks/{id}/deliveries/{delivery}/redeliver', {
    operationId: `${name}RedeliverHook`,
    extension: true,
    summary: 'Deliver once more, as a new delivery of the same text',
    params: { id, delivery: id },
    fails: [404, 422],
    returns: [202, HookDelivery],
    handler: repeatDelivery,
  }),
]

const testOfRepository = route('POST /repos/{owner}/{repo}/hooks/{id}/tests', {
  operationId: 'repoTestHook',
  summary:
    'Send the newest commit of a branch to a webhook as if it had just been pushed; nothing where there is none',
  access: repoAdmin(),
  params: { id },
  query: { ref: queryText },
  fails: [404, 422],
  returns: [204],
  handler: (context) => testHook(context, ownerOfRepository(context.caller)),
})

const all: typeof onHook = (route, scope) => [...listAndCreate(route, scope), ...onHook(route, scope)]

export const hookRoutes = [
  listOfSite,
  createOfSite,
  ...scoped([site], onHook),
  ...scoped([repository], all),
  testOfRepository,
  ...scoped([organization, user], all),
]

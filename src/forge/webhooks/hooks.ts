import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { signedInFully, siteAdmin } from '../auth/access.ts'
import { extendCaller } from '../auth/extend-caller.ts'
import { orgOwner } from '../orgs/access.ts'
import { queryText, queryWord } from '../protocol/query.ts'
import { repoAdmin, type SignedInOnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { createHook, editHook, type HookOwner, removeHook, repeatDelivery } from './editing.ts'
import { CreateHookOption, EditHookOption } from './hook.option.ts'
import { Hook, HookDelivery, HookDeliveryDetails } from './hook.shape.ts'
import { testHook } from './hook-test.ts'
import { listDeliveries, listHooks, listHooksIn, showDelivery, showHook } from './reading.ts'

/**
 * Webhooks receive the events of one repository, or of all repositories of their owner. Those of the site are system
 * hooks, which receive all events, or default hooks, which are copied into new repositories.
 */

/** The callers of operations on hooks, each with whose hooks the path names. */
const hooksOf = {
  site: (): HookOwner => ({
    filter: { site: 'all' },
    scopeOf: (system) => ({ kind: system ? 'system' : 'default' }),
    name: 'site',
  }),
  repository: ({ repo, subject }: SignedInOnRepository): HookOwner => ({
    filter: { repository: repo.id },
    scopeOf: () => ({ kind: 'repository', repository: repo.id }),
    name: `${subject.name}/${repo.name}`,
  }),
  account: (kind: 'organization' | 'user', { id, name }: { id: number; name: string }): HookOwner => ({
    filter: { owner: id },
    scopeOf: () => ({ kind, owner: id }),
    name,
  }),
}

const hooksOfSite = extendCaller(siteAdmin(), () => ({ owner: hooksOf.site() }))
const hooksOfRepository = extendCaller(repoAdmin(), (caller) => ({ owner: hooksOf.repository(caller) }))
const hooksOfOrganization = extendCaller(orgOwner(), ({ subject }) => ({
  owner: hooksOf.account('organization', subject),
}))
const hooksOfUser = extendCaller(signedInFully('user'), ({ me }) => ({ owner: hooksOf.account('user', me) }))

const lists = { returns: paged(Hook), shared: 'until written' } as const
const listing = { ...lists, query: pageQuery(), handler: listHooks } as const
const creating = {
  body: CreateHookOption,
  fails: [400, 404],
  returns: json(201, Hook),
  handler: createHook,
} as const
const onHook = { params: { id }, fails: [404] } as const
const showing = { ...onHook, returns: json(200, Hook), handler: showHook } as const
const editing = {
  ...onHook,
  body: EditHookOption,
  fails: [400, 404],
  returns: json(200, Hook),
  handler: editHook,
} as const
const removing = { ...onHook, returns: noBody(204), handler: removeHook } as const
const listingDeliveries = {
  ...onHook,
  ...pagesOf(HookDelivery),
  extension: true,
  handler: listDeliveries,
} as const
const onDelivery = { params: { id, delivery: id }, extension: true } as const
const showingDelivery = {
  ...onDelivery,
  fails: [404],
  returns: json(200, HookDeliveryDetails),
  handler: showDelivery,
} as const
const redelivering = {
  ...onDelivery,
  fails: [404, 422],
  returns: json(202, HookDelivery),
  handler: repeatDelivery,
} as const

export const adminListHooks = route('GET /admin/hooks', {
  ...lists,
  summary: 'Webhooks of the site: the system ones, the default ones, or all',
  access: hooksOfSite,
  query: { type: queryWord('system', 'default', 'all'), ...pageQuery() },
  handler: (context) => {
    const { type } = context.query
    return listHooksIn(context, { site: type === 'default' || type === 'all' ? type : 'system' })
  },
})

export const orgListHooks = route('GET /orgs/{org}/hooks', {
  ...listing,
  summary: 'Webhooks of an organization',
  access: hooksOfOrganization,
})

export const repoListHooks = route('GET /repos/{owner}/{repo}/hooks', {
  ...listing,
  summary: 'Webhooks of a repository',
  access: hooksOfRepository,
})

export const userListHooks = route('GET /user/hooks', {
  ...listing,
  summary: 'Webhooks of the caller',
  access: hooksOfUser,
})

export const adminCreateHook = route('POST /admin/hooks', {
  summary: 'Create a system webhook (config.is_system_webhook) or a default one',
  access: hooksOfSite,
  body: CreateHookOption,
  fails: [400],
  returns: json(201, Hook),
  handler: createHook,
})

export const orgCreateHook = route('POST /orgs/{org}/hooks', {
  ...creating,
  summary: 'Create a webhook of an organization',
  access: hooksOfOrganization,
})

export const repoCreateHook = route('POST /repos/{owner}/{repo}/hooks', {
  ...creating,
  summary: 'Create a webhook of a repository',
  access: hooksOfRepository,
})

export const userCreateHook = route('POST /user/hooks', {
  ...creating,
  summary: 'Create a webhook of the caller',
  access: hooksOfUser,
})

export const adminGetHook = route('GET /admin/hooks/{id}', {
  ...showing,
  summary: 'A webhook of the site',
  access: hooksOfSite,
})

export const orgGetHook = route('GET /orgs/{org}/hooks/{id}', {
  ...showing,
  summary: 'A webhook of an organization',
  access: hooksOfOrganization,
})

export const repoGetHook = route('GET /repos/{owner}/{repo}/hooks/{id}', {
  ...showing,
  summary: 'A webhook of a repository',
  access: hooksOfRepository,
})

export const userGetHook = route('GET /user/hooks/{id}', {
  ...showing,
  summary: 'A webhook of the caller',
  access: hooksOfUser,
})

export const adminEditHook = route('PATCH /admin/hooks/{id}', {
  ...editing,
  summary: 'Change a webhook of the site; events, branch_filter and authorization_header not given are reset',
  access: hooksOfSite,
})

export const orgEditHook = route('PATCH /orgs/{org}/hooks/{id}', {
  ...editing,
  summary:
    'Change a webhook of an organization; events, branch_filter and authorization_header not given are reset',
  access: hooksOfOrganization,
})

export const repoEditHook = route('PATCH /repos/{owner}/{repo}/hooks/{id}', {
  ...editing,
  summary:
    'Change a webhook of a repository; events, branch_filter and authorization_header not given are reset',
  access: hooksOfRepository,
})

export const userEditHook = route('PATCH /user/hooks/{id}', {
  ...editing,
  summary:
    'Change a webhook of the caller; events, branch_filter and authorization_header not given are reset',
  access: hooksOfUser,
})

export const adminDeleteHook = route('DELETE /admin/hooks/{id}', {
  ...removing,
  summary: 'Delete a webhook of the site and its deliveries; copies in repositories stay',
  access: hooksOfSite,
})

export const orgDeleteHook = route('DELETE /orgs/{org}/hooks/{id}', {
  ...removing,
  summary: 'Delete a webhook of an organization and its deliveries',
  access: hooksOfOrganization,
})

export const repoDeleteHook = route('DELETE /repos/{owner}/{repo}/hooks/{id}', {
  ...removing,
  summary: 'Delete a webhook of a repository and its deliveries',
  access: hooksOfRepository,
})

export const userDeleteHook = route('DELETE /user/hooks/{id}', {
  ...removing,
  summary: 'Delete a webhook of the caller and its deliveries',
  access: hooksOfUser,
})

export const adminListHookDeliveries = route('GET /admin/hooks/{id}/deliveries', {
  ...listingDeliveries,
  summary: 'Deliveries of a webhook of the site, newest first',
  access: hooksOfSite,
})

export const orgListHookDeliveries = route('GET /orgs/{org}/hooks/{id}/deliveries', {
  ...listingDeliveries,
  summary: 'Deliveries of a webhook of an organization, newest first',
  access: hooksOfOrganization,
})

export const repoListHookDeliveries = route('GET /repos/{owner}/{repo}/hooks/{id}/deliveries', {
  ...listingDeliveries,
  summary: 'Deliveries of a webhook of a repository, newest first',
  access: hooksOfRepository,
})

export const userListHookDeliveries = route('GET /user/hooks/{id}/deliveries', {
  ...listingDeliveries,
  summary: 'Deliveries of a webhook of the caller, newest first',
  access: hooksOfUser,
})

export const adminGetHookDelivery = route('GET /admin/hooks/{id}/deliveries/{delivery}', {
  ...showingDelivery,
  summary: 'A delivery of a webhook of the site: its payload and the result of each attempt',
  access: hooksOfSite,
})

export const orgGetHookDelivery = route('GET /orgs/{org}/hooks/{id}/deliveries/{delivery}', {
  ...showingDelivery,
  summary: 'A delivery of a webhook of an organization: its payload and the result of each attempt',
  access: hooksOfOrganization,
})

export const repoGetHookDelivery = route('GET /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}', {
  ...showingDelivery,
  summary: 'A delivery of a webhook of a repository: its payload and the result of each attempt',
  access: hooksOfRepository,
})

export const userGetHookDelivery = route('GET /user/hooks/{id}/deliveries/{delivery}', {
  ...showingDelivery,
  summary: 'A delivery of a webhook of the caller: its payload and the result of each attempt',
  access: hooksOfUser,
})

export const adminRedeliverHook = route('POST /admin/hooks/{id}/deliveries/{delivery}/redeliver', {
  ...redelivering,
  summary: 'Send the payload of a delivery again, as a new delivery',
  access: hooksOfSite,
})

export const orgRedeliverHook = route('POST /orgs/{org}/hooks/{id}/deliveries/{delivery}/redeliver', {
  ...redelivering,
  summary: 'Send the payload of a delivery again, as a new delivery',
  access: hooksOfOrganization,
})

export const repoRedeliverHook = route(
  'POST /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    ...redelivering,
    summary: 'Send the payload of a delivery again, as a new delivery',
    access: hooksOfRepository,
  },
)

export const userRedeliverHook = route('POST /user/hooks/{id}/deliveries/{delivery}/redeliver', {
  ...redelivering,
  summary: 'Send the payload of a delivery again, as a new delivery',
  access: hooksOfUser,
})

export const repoTestHook = route('POST /repos/{owner}/{repo}/hooks/{id}/tests', {
  summary:
    'Send a push event with the newest commit of a branch to a webhook; nothing if the branch does not exist',
  access: hooksOfRepository,
  params: { id },
  query: { ref: queryText },
  fails: [404, 422],
  returns: noBody(204),
  handler: testHook,
})

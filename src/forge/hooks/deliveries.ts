import { pagesOf } from '../../http/route/page.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { described, id } from '../../http/route/values.ts'
import { queryText } from '../protocol/query.ts'
import { route } from '../route.ts'
import { hooksOfOrganization, hooksOfRepository, hooksOfSite, hooksOfUser } from './access.ts'
import { repeatDelivery } from './editing.ts'
import { HookDelivery, HookDeliveryDetails } from './hook.shape.ts'
import { testHook, testSiteHook } from './hook-test.ts'
import { listDeliveries, showDelivery } from './reading.ts'

/** What webhooks have been sent, and sending it again or sending a test. */

const listing = {
  ...pagesOf(HookDelivery),
  params: { id },
  extension: true,
  fails: [404],
  handler: listDeliveries,
} as const
const onDelivery = { params: { id, delivery: id }, extension: true } as const
const showing = {
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

export const adminListHookDeliveries = route('GET /admin/hooks/{id}/deliveries', {
  ...listing,
  summary: 'Deliveries of a webhook of the site, newest first',
  access: hooksOfSite,
})

export const orgListHookDeliveries = route('GET /orgs/{org}/hooks/{id}/deliveries', {
  ...listing,
  summary: 'Deliveries of a webhook of an organization, newest first',
  access: hooksOfOrganization,
})

export const repoListHookDeliveries = route('GET /repos/{owner}/{repo}/hooks/{id}/deliveries', {
  ...listing,
  summary: 'Deliveries of a webhook of a repository, newest first',
  access: hooksOfRepository,
})

export const userListHookDeliveries = route('GET /user/hooks/{id}/deliveries', {
  ...listing,
  summary: 'Deliveries of a webhook of the caller, newest first',
  access: hooksOfUser,
})

export const adminGetHookDelivery = route('GET /admin/hooks/{id}/deliveries/{delivery}', {
  ...showing,
  summary: 'A delivery of a webhook of the site: its payload and the result of each attempt',
  access: hooksOfSite,
})

export const orgGetHookDelivery = route('GET /orgs/{org}/hooks/{id}/deliveries/{delivery}', {
  ...showing,
  summary: 'A delivery of a webhook of an organization: its payload and the result of each attempt',
  access: hooksOfOrganization,
})

export const repoGetHookDelivery = route('GET /repos/{owner}/{repo}/hooks/{id}/deliveries/{delivery}', {
  ...showing,
  summary: 'A delivery of a webhook of a repository: its payload and the result of each attempt',
  access: hooksOfRepository,
})

export const userGetHookDelivery = route('GET /user/hooks/{id}/deliveries/{delivery}', {
  ...showing,
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

const testing = { params: { id }, fails: [404, 422], returns: noBody(204) } as const

export const repoTestHook = route('POST /repos/{owner}/{repo}/hooks/{id}/tests', {
  ...testing,
  summary: 'Send the newest commit of a branch to a webhook as a push; nothing if the repository is empty',
  access: hooksOfRepository,
  query: { ref: queryText },
  handler: testHook,
})

export const adminTestHook = route('POST /admin/hooks/{id}/tests', {
  ...testing,
  summary:
    'Send the newest commit of a repository to a webhook of the site as a push; nothing if it is empty',
  extension: true,
  access: hooksOfSite,
  query: {
    repository: described(queryText, '`owner/name`'),
    ref: described(queryText, 'A branch; absent: the default branch'),
  },
  handler: testSiteHook,
})

import {
  orgGetHookDelivery,
  orgListHookDeliveries,
  orgRedeliverHook,
  repoGetHookDelivery,
  repoListHookDeliveries,
  repoRedeliverHook,
  repoTestHook,
  userGetHookDelivery,
  userListHookDeliveries,
  userRedeliverHook,
} from '../../forge/hooks/deliveries.ts'
import {
  orgCreateHook,
  orgDeleteHook,
  orgEditHook,
  orgGetHook,
  orgListHooks,
  repoCreateHook,
  repoDeleteHook,
  repoEditHook,
  repoGetHook,
  repoListHooks,
  userCreateHook,
  userDeleteHook,
  userEditHook,
  userGetHook,
  userListHooks,
} from '../../forge/hooks/hooks.ts'
import { route } from '../route.ts'
import { deliveryOf, hookOf, newHookOf } from './hook-declarations.ts'
import { hooksOf } from './hooks.ts'
import { formOf, pageOf } from './noun-page.ts'
import { administeredRepository, oneself, ownedOrganization } from './owners.ts'

const repository = {
  owner: administeredRepository,
  operations: {
    list: repoListHooks,
    show: repoGetHook,
    create: repoCreateHook,
    edit: repoEditHook,
    remove: repoDeleteHook,
    deliveries: repoListHookDeliveries,
    delivery: repoGetHookDelivery,
    redeliver: repoRedeliverHook,
    test: repoTestHook,
  },
}
const repositoryHooks = hooksOf(repository.operations, 'this repository')
const newRepositoryHook = newHookOf(repository)
const repositoryHook = hookOf(repository)
const repositoryDelivery = deliveryOf(repository)

export const getRepositoryHooksPage = route('GET /{owner}/{repo}/settings/hooks', {
  ...pageOf(administeredRepository, repositoryHooks),
  summary: 'Webhooks of a repository, as a page',
})

export const changeRepositoryHooks = route('POST /{owner}/{repo}/settings/hooks', {
  ...formOf(administeredRepository, repositoryHooks),
  summary: 'Delete a webhook of a repository',
})

export const getNewRepositoryHookPage = route('GET /{owner}/{repo}/settings/hooks/new', {
  ...newRepositoryHook.page,
  summary: 'The form that adds a webhook of a repository',
})

export const createRepositoryHookByPage = route('POST /{owner}/{repo}/settings/hooks/new', {
  ...newRepositoryHook.form,
  summary: 'Add a webhook of a repository',
})

export const getRepositoryHookPage = route('GET /{owner}/{repo}/settings/hooks/{id}', {
  ...repositoryHook.page,
  summary: 'A webhook of a repository with its deliveries, and the forms that change and try it, as a page',
})

export const changeRepositoryHookByPage = route('POST /{owner}/{repo}/settings/hooks/{id}', {
  ...repositoryHook.form,
  summary: 'Change or try a webhook of a repository',
})

export const getRepositoryDeliveryPage = route(
  'GET /{owner}/{repo}/settings/hooks/{id}/deliveries/{delivery}',
  {
    ...repositoryDelivery.page,
    summary: 'A delivery of a webhook of a repository, as a page',
  },
)

export const redeliverRepositoryHookByPage = route(
  'POST /{owner}/{repo}/settings/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    ...repositoryDelivery.form,
    summary: 'Send the payload of a delivery of a repository again, as a new delivery',
  },
)

const organization = {
  owner: ownedOrganization,
  operations: {
    list: orgListHooks,
    show: orgGetHook,
    create: orgCreateHook,
    edit: orgEditHook,
    remove: orgDeleteHook,
    deliveries: orgListHookDeliveries,
    delivery: orgGetHookDelivery,
    redeliver: orgRedeliverHook,
  },
}
const organizationHooks = hooksOf(organization.operations, 'all repositories of this organization')
const newOrganizationHook = newHookOf(organization)
const organizationHook = hookOf(organization)
const organizationDelivery = deliveryOf(organization)

export const getOrganizationHooksPage = route('GET /org/{org}/settings/hooks', {
  ...pageOf(ownedOrganization, organizationHooks),
  summary: 'Webhooks of an organization, as a page',
})

export const changeOrganizationHooks = route('POST /org/{org}/settings/hooks', {
  ...formOf(ownedOrganization, organizationHooks),
  summary: 'Delete a webhook of an organization',
})

export const getNewOrganizationHookPage = route('GET /org/{org}/settings/hooks/new', {
  ...newOrganizationHook.page,
  summary: 'The form that adds a webhook of an organization',
})

export const createOrganizationHookByPage = route('POST /org/{org}/settings/hooks/new', {
  ...newOrganizationHook.form,
  summary: 'Add a webhook of an organization',
})

export const getOrganizationHookPage = route('GET /org/{org}/settings/hooks/{id}', {
  ...organizationHook.page,
  summary:
    'A webhook of an organization with its deliveries, and the forms that change and try it, as a page',
})

export const changeOrganizationHookByPage = route('POST /org/{org}/settings/hooks/{id}', {
  ...organizationHook.form,
  summary: 'Change or try a webhook of an organization',
})

export const getOrganizationDeliveryPage = route('GET /org/{org}/settings/hooks/{id}/deliveries/{delivery}', {
  ...organizationDelivery.page,
  summary: 'A delivery of a webhook of an organization, as a page',
})

export const redeliverOrganizationHookByPage = route(
  'POST /org/{org}/settings/hooks/{id}/deliveries/{delivery}/redeliver',
  {
    ...organizationDelivery.form,
    summary: 'Send the payload of a delivery of an organization again, as a new delivery',
  },
)

const own = {
  owner: oneself,
  operations: {
    list: userListHooks,
    show: userGetHook,
    create: userCreateHook,
    edit: userEditHook,
    remove: userDeleteHook,
    deliveries: userListHookDeliveries,
    delivery: userGetHookDelivery,
    redeliver: userRedeliverHook,
  },
}
const ownHooks = hooksOf(own.operations, 'all your repositories')
const newOwnHook = newHookOf(own)
const ownHook = hookOf(own)
const ownDelivery = deliveryOf(own)

export const getOwnHooksPage = route('GET /settings/hooks', {
  ...pageOf(oneself, ownHooks),
  summary: 'Webhooks of one’s own, as a page',
})

export const changeOwnHooks = route('POST /settings/hooks', {
  ...formOf(oneself, ownHooks),
  summary: 'Delete a webhook of one’s own',
})

export const getNewOwnHookPage = route('GET /settings/hooks/new', {
  ...newOwnHook.page,
  summary: 'The form that adds a webhook of one’s own',
})

export const createOwnHookByPage = route('POST /settings/hooks/new', {
  ...newOwnHook.form,
  summary: 'Add a webhook of one’s own',
})

export const getOwnHookPage = route('GET /settings/hooks/{id}', {
  ...ownHook.page,
  summary: 'A webhook of one’s own with its deliveries, and the forms that change and try it, as a page',
})

export const changeOwnHookByPage = route('POST /settings/hooks/{id}', {
  ...ownHook.form,
  summary: 'Change or try a webhook of one’s own',
})

export const getOwnDeliveryPage = route('GET /settings/hooks/{id}/deliveries/{delivery}', {
  ...ownDelivery.page,
  summary: 'A delivery of a webhook of one’s own, as a page',
})

export const redeliverOwnHookByPage = route('POST /settings/hooks/{id}/deliveries/{delivery}/redeliver', {
  ...ownDelivery.form,
  summary: 'Send the payload of a delivery of one’s own again, as a new delivery',
})

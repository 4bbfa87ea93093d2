import { pageQuery } from '../../http/route/page.ts'
import { json, noBody, paged } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { queryWord } from '../protocol/query.ts'
import { route } from '../route.ts'
import { hooksOfOrganization, hooksOfRepository, hooksOfSite, hooksOfUser } from './access.ts'
import { createHook, editHook, removeHook } from './editing.ts'
import { CreateHookOption, EditHookOption } from './hook.option.ts'
import { Hook } from './hook.shape.ts'
import { listHooks, listHooksIn, showHook } from './reading.ts'

/**
 * Webhooks receive the events of one repository, or of all repositories of their owner. Those of the site are system
 * hooks, which receive all events, or default hooks, which are copied into new repositories.
 */

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

export const adminListHooks = route('GET /admin/hooks', {
  ...lists,
  summary: 'Webhooks of the site: the system ones, the default ones, or all',
  access: hooksOfSite,
  query: { type: queryWord('system', 'default', 'all'), ...pageQuery() },
  handler: (context) => listHooksIn(context, { site: context.query.type || 'system' }),
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
  ...creating,
  summary: 'Create a system webhook (config.is_system_webhook) or a default one',
  access: hooksOfSite,
  fails: [400],
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
  summary: 'Change a webhook of the site',
  access: hooksOfSite,
})

export const orgEditHook = route('PATCH /orgs/{org}/hooks/{id}', {
  ...editing,
  summary: 'Change a webhook of an organization',
  access: hooksOfOrganization,
})

export const repoEditHook = route('PATCH /repos/{owner}/{repo}/hooks/{id}', {
  ...editing,
  summary: 'Change a webhook of a repository',
  access: hooksOfRepository,
})

export const userEditHook = route('PATCH /user/hooks/{id}', {
  ...editing,
  summary: 'Change a webhook of the caller',
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

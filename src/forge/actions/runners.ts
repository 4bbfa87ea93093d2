import { pageQuery } from '../../http/route/page.ts'
import { siteAdmin } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { nameParam, queryFilter } from '../protocol/query.ts'
import { route } from '../route.ts'
import { ownerOf, site } from './owner.ts'
import { EditActionRunnerOption, RegistrationToken, Runner, RunnerList } from './runner.shape.ts'
import {
  deleteRunner,
  editRunner,
  listRunners,
  requireWriteScope,
  showRunner,
  tokenFor,
} from './runner-handlers.ts'

/** Routes for runners of the site and of organizations. */

export const listing = {
  query: { disabled: queryFilter, ...pageQuery() },
  returns: [200, RunnerList],
  shared: true,
} as const

export const token = {
  fails: [404],
  returns: [200, RegistrationToken],
} as const

export const showing = { fails: [404], returns: [200, Runner], shared: true } as const
export const editing = { body: EditActionRunnerOption, fails: [404, 422], returns: [200, Runner] } as const
export const deleting = { fails: [404], returns: [204] } as const

const listSite = route(
  'GET /admin/actions/runners',
  {
    operationId: 'getAdminRunners',
    ...listing,
    summary: 'Runners of the whole site, last seen first',
    access: siteAdmin(),
  },
  (context) => listRunners(context, 'all', context.query),
)

const tokenSite = route(
  'POST /admin/actions/runners/registration-token',
  {
    operationId: 'adminCreateRunnerRegistrationToken',
    ...token,
    summary: 'What runners for everybody register themselves with',
    access: siteAdmin(),
  },
  (context) => tokenFor(context, site),
)

const oldTokenSite = route(
  'GET /admin/actions/runners/registration-token',
  {
    operationId: 'adminGetActionsRunnerRegistrationToken',
    extension: true,
    ...token,
    summary: 'The same, as clients of old ask for it',
    access: siteAdmin(),
    deprecated: true,
  },
  (context) => {
    requireWriteScope(context.caller, 'admin')
    return tokenFor(context, site)
  },
)

const showSite = route(
  'GET /admin/actions/runners/{runner_id}',
  {
    operationId: 'getAdminRunner',
    ...showing,
    summary: 'A runner of the whole site',
    access: siteAdmin(),
    params: { runner_id: nameParam },
  },
  (context) => showRunner(context, 'all', context.params.runner_id),
)

const editSite = route(
  'PATCH /admin/actions/runners/{runner_id}',
  {
    operationId: 'updateAdminRunner',
    ...editing,
    summary: 'Switch a runner of the whole site off or on',
    access: siteAdmin(),
    params: { runner_id: nameParam },
  },
  (context) => editRunner(context, 'all', { id: context.params.runner_id, disabled: context.body.disabled }),
)

const deleteSite = route(
  'DELETE /admin/actions/runners/{runner_id}',
  {
    operationId: 'deleteAdminRunner',
    ...deleting,
    summary: 'Delete a runner of the whole site; what it works on fails',
    access: siteAdmin(),
    params: { runner_id: nameParam },
  },
  (context) => deleteRunner(context, 'all', context.params.runner_id),
)

const listOrg = route(
  'GET /orgs/{org}/actions/runners',
  {
    operationId: 'getOrgRunners',
    ...listing,
    summary: 'Runners of an organization, last seen first',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  (context) => listRunners(context, ownerOf(context.caller.subject), context.query),
)

const tokenOrg = route(
  'POST /orgs/{org}/actions/runners/registration-token',
  {
    operationId: 'orgCreateRunnerRegistrationToken',
    ...token,
    summary: 'What runners of an organization register themselves with',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  (context) => tokenFor(context, ownerOf(context.caller.subject)),
)

const oldTokenOrg = route(
  'GET /orgs/{org}/actions/runners/registration-token',
  {
    operationId: 'orgGetRunnerRegistrationToken',
    ...token,
    summary: 'The same, as clients of old ask for it',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
    deprecated: true,
  },
  (context) => {
    requireWriteScope(context.caller, 'organization')
    return tokenFor(context, ownerOf(context.caller.subject))
  },
)

const showOrg = route(
  'GET /orgs/{org}/actions/runners/{runner_id}',
  {
    operationId: 'getOrgRunner',
    ...showing,
    summary: 'A runner of an organization',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, runner_id: nameParam },
  },
  (context) => showRunner(context, ownerOf(context.caller.subject), context.params.runner_id),
)

const editOrg = route(
  'PATCH /orgs/{org}/actions/runners/{runner_id}',
  {
    operationId: 'updateOrgRunner',
    ...editing,
    summary: 'Switch a runner of an organization off or on',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, runner_id: nameParam },
  },
  (context) =>
    editRunner(context, ownerOf(context.caller.subject), {
      id: context.params.runner_id,
      disabled: context.body.disabled,
    }),
)

const deleteOrg = route(
  'DELETE /orgs/{org}/actions/runners/{runner_id}',
  {
    operationId: 'deleteOrgRunner',
    ...deleting,
    summary: 'Delete a runner of an organization; what it works on fails',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, runner_id: nameParam },
  },
  (context) => deleteRunner(context, ownerOf(context.caller.subject), context.params.runner_id),
)

const oldestTokenSite = route(
  'GET /admin/runners/registration-token',
  {
    operationId: 'adminGetRunnerRegistrationToken',
    ...token,
    summary: 'The same under the oldest path',
    access: siteAdmin(),
    deprecated: true,
  },
  (context) => {
    requireWriteScope(context.caller, 'admin')
    return tokenFor(context, site)
  },
)

export const runnerRoutes = [
  ...[listSite, tokenSite, oldTokenSite, showSite, editSite, deleteSite, oldestTokenSite],
  ...[listOrg, tokenOrg, oldTokenOrg, showOrg, editOrg, deleteOrg],
]

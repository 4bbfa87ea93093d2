import { pageQuery } from '../../http/route/page.ts'
import { siteAdmin } from '../auth/access.ts'
import { orgOwner } from '../orgs/access.ts'
import { nameParam, queryFilter } from '../protocol/query.ts'
import { route } from '../route.ts'
import { everybody, holderOf } from './owner.ts'
import { EditActionRunnerOption, RegistrationToken, Runner, RunnerList } from './runner.shape.ts'
import { deleteRunner, editRunner, listRunners, mustWrite, showRunner, tokenFor } from './runner-handlers.ts'

/** Programs that work on jobs: those of the site and those of organizations. */

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
    ...listing,
    summary: 'Runners of the whole site, last seen first',
    access: siteAdmin(),
  },
  (ask) => listRunners(ask, 'all', ask.query),
)

const tokenSite = route(
  'POST /admin/actions/runners/registration-token',
  {
    ...token,
    summary: 'What runners for everybody register themselves with',
    access: siteAdmin(),
  },
  (ask) => tokenFor(ask, everybody),
)

const formerTokenSite = route(
  'GET /admin/actions/runners/registration-token',
  {
    ...token,
    summary: 'The same, as clients of old ask for it',
    access: siteAdmin(),
    deprecated: true,
  },
  (ask) => {
    mustWrite(ask.caller, 'admin')
    return tokenFor(ask, everybody)
  },
)

const showSite = route(
  'GET /admin/actions/runners/{runner_id}',
  {
    ...showing,
    summary: 'A runner of the whole site',
    access: siteAdmin(),
    params: { runner_id: nameParam },
  },
  (ask) => showRunner(ask, 'all', ask.params.runner_id),
)

const editSite = route(
  'PATCH /admin/actions/runners/{runner_id}',
  {
    ...editing,
    summary: 'Switch a runner of the whole site off or on',
    access: siteAdmin(),
    params: { runner_id: nameParam },
  },
  (ask) => editRunner(ask, 'all', { id: ask.params.runner_id, disabled: ask.body.disabled }),
)

const deleteSite = route(
  'DELETE /admin/actions/runners/{runner_id}',
  {
    ...deleting,
    summary: 'Delete a runner of the whole site; what it works on fails',
    access: siteAdmin(),
    params: { runner_id: nameParam },
  },
  (ask) => deleteRunner(ask, 'all', ask.params.runner_id),
)

const listOrg = route(
  'GET /orgs/{org}/actions/runners',
  {
    ...listing,
    summary: 'Runners of an organization, last seen first',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  (ask) => listRunners(ask, holderOf(ask.caller.subject), ask.query),
)

const tokenOrg = route(
  'POST /orgs/{org}/actions/runners/registration-token',
  {
    ...token,
    summary: 'What runners of an organization register themselves with',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
  },
  (ask) => tokenFor(ask, holderOf(ask.caller.subject)),
)

const formerTokenOrg = route(
  'GET /orgs/{org}/actions/runners/registration-token',
  {
    ...token,
    summary: 'The same, as clients of old ask for it',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam },
    deprecated: true,
  },
  (ask) => {
    mustWrite(ask.caller, 'organization')
    return tokenFor(ask, holderOf(ask.caller.subject))
  },
)

const showOrg = route(
  'GET /orgs/{org}/actions/runners/{runner_id}',
  {
    ...showing,
    summary: 'A runner of an organization',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, runner_id: nameParam },
  },
  (ask) => showRunner(ask, holderOf(ask.caller.subject), ask.params.runner_id),
)

const editOrg = route(
  'PATCH /orgs/{org}/actions/runners/{runner_id}',
  {
    ...editing,
    summary: 'Switch a runner of an organization off or on',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, runner_id: nameParam },
  },
  (ask) =>
    editRunner(ask, holderOf(ask.caller.subject), { id: ask.params.runner_id, disabled: ask.body.disabled }),
)

const deleteOrg = route(
  'DELETE /orgs/{org}/actions/runners/{runner_id}',
  {
    ...deleting,
    summary: 'Delete a runner of an organization; what it works on fails',
    access: orgOwner('org', 'organization'),
    params: { org: nameParam, runner_id: nameParam },
  },
  (ask) => deleteRunner(ask, holderOf(ask.caller.subject), ask.params.runner_id),
)

const formerTokenAdmin = route(
  'GET /admin/runners/registration-token',
  {
    ...token,
    summary: 'The same under the oldest path',
    access: siteAdmin(),
    deprecated: true,
  },
  (ask) => {
    mustWrite(ask.caller, 'admin')
    return tokenFor(ask, everybody)
  },
)

export const runnerRoutes = [
  ...[listSite, tokenSite, formerTokenSite, showSite, editSite, deleteSite, formerTokenAdmin],
  ...[listOrg, tokenOrg, formerTokenOrg, showOrg, editOrg, deleteOrg],
]

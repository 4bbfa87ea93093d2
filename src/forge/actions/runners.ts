import { pageQuery } from '../../http/route/page.ts'
import { counted, json, noBody } from '../../http/route/sends.ts'
import { extendCaller, siteAdmin } from '../auth/access.ts'
import { queryFilter } from '../protocol/query.ts'
import { route } from '../route.ts'
import { EditActionRunnerOption } from './actions.option.ts'
import { RegistrationToken, Runner, RunnerList } from './runner.shape.ts'
import {
  deleteRunner,
  editRunner,
  listRunners,
  replaceToken,
  showRunner,
  tokenByGet,
  tokenFor,
} from './runner-handlers.ts'
import { ownedByOrganization, ownedByRepository, ownedByUser } from './scopes.ts'

/** Routes for runners. Site administrators see those of all scopes. */

const allRunners = extendCaller(siteAdmin(), () => ({ owner: 'all' as const }))

const listing = {
  query: { disabled: queryFilter, ...pageQuery() },
  fails: [400, 404],
  returns: counted(RunnerList),
  shared: true,
  handler: listRunners,
} as const
const tokenReply = { fails: [404], returns: json(200, RegistrationToken) } as const
const token = { ...tokenReply, handler: tokenFor } as const
const formerToken = { ...tokenReply, deprecated: true } as const
const replacing = { extension: true, returns: noBody(204), handler: replaceToken } as const
const showing = { fails: [400, 404], returns: json(200, Runner), shared: true, handler: showRunner } as const
const changing = {
  body: EditActionRunnerOption,
  fails: [400, 404, 422],
  returns: json(200, Runner),
  handler: editRunner,
} as const
const removing = { fails: [400, 404], returns: noBody(204), handler: deleteRunner } as const

export const getAdminRunners = route('GET /admin/actions/runners', {
  ...listing,
  summary: 'Runners of the whole site, last seen first',
  access: allRunners,
})

export const getOrgRunners = route('GET /orgs/{org}/actions/runners', {
  ...listing,
  summary: 'Runners of an organization, last seen first',
  access: ownedByOrganization,
})

export const getRepoRunners = route('GET /repos/{owner}/{repo}/actions/runners', {
  ...listing,
  summary: 'Runners of a repository, last seen first',
  access: ownedByRepository,
})

export const getUserRunners = route('GET /user/actions/runners', {
  ...listing,
  summary: 'Runners of the caller, last seen first',
  access: ownedByUser,
})

export const adminCreateRunnerRegistrationToken = route('POST /admin/actions/runners/registration-token', {
  ...token,
  summary: 'The registration token for runners of the whole site',
  access: allRunners,
})

export const orgCreateRunnerRegistrationToken = route('POST /orgs/{org}/actions/runners/registration-token', {
  ...token,
  summary: 'The registration token for runners of an organization',
  access: ownedByOrganization,
})

export const repoCreateRunnerRegistrationToken = route(
  'POST /repos/{owner}/{repo}/actions/runners/registration-token',
  {
    ...token,
    summary: 'The registration token for runners of a repository',
    access: ownedByRepository,
  },
)

export const userCreateRunnerRegistrationToken = route('POST /user/actions/runners/registration-token', {
  ...token,
  summary: 'The registration token for runners of the caller',
  access: ownedByUser,
})

export const adminGetActionsRunnerRegistrationToken = route('GET /admin/actions/runners/registration-token', {
  ...formerToken,
  extension: true,
  summary: 'The same registration token, for clients that use GET',
  access: allRunners,
  handler: tokenByGet('admin'),
})

export const orgGetRunnerRegistrationToken = route('GET /orgs/{org}/actions/runners/registration-token', {
  ...formerToken,
  summary: 'The same registration token, for clients that use GET',
  access: ownedByOrganization,
  handler: tokenByGet('organization'),
})

export const repoGetRunnerRegistrationToken = route(
  'GET /repos/{owner}/{repo}/actions/runners/registration-token',
  {
    ...formerToken,
    summary: 'The same registration token, for clients that use GET',
    access: ownedByRepository,
    handler: tokenByGet('repository'),
  },
)

export const userGetRunnerRegistrationToken = route('GET /user/actions/runners/registration-token', {
  ...formerToken,
  summary: 'The same registration token, for clients that use GET',
  access: ownedByUser,
  handler: tokenByGet('user'),
})

export const adminReplaceRunnerRegistrationToken = route('DELETE /admin/actions/runners/registration-token', {
  ...replacing,
  summary: 'Replace the registration token for runners of the whole site',
  access: allRunners,
})

export const orgReplaceRunnerRegistrationToken = route(
  'DELETE /orgs/{org}/actions/runners/registration-token',
  {
    ...replacing,
    summary: 'Replace the registration token for runners of an organization',
    access: ownedByOrganization,
  },
)

export const repoReplaceRunnerRegistrationToken = route(
  'DELETE /repos/{owner}/{repo}/actions/runners/registration-token',
  {
    ...replacing,
    summary: 'Replace the registration token for runners of a repository',
    access: ownedByRepository,
  },
)

export const userReplaceRunnerRegistrationToken = route('DELETE /user/actions/runners/registration-token', {
  ...replacing,
  summary: 'Replace the registration token for runners of the caller',
  access: ownedByUser,
})

export const getAdminRunner = route('GET /admin/actions/runners/{runner_id}', {
  ...showing,
  summary: 'A runner of the whole site',
  access: allRunners,
})

export const getOrgRunner = route('GET /orgs/{org}/actions/runners/{runner_id}', {
  ...showing,
  summary: 'A runner of an organization',
  access: ownedByOrganization,
})

export const getRepoRunner = route('GET /repos/{owner}/{repo}/actions/runners/{runner_id}', {
  ...showing,
  summary: 'A runner of a repository',
  access: ownedByRepository,
})

export const getUserRunner = route('GET /user/actions/runners/{runner_id}', {
  ...showing,
  summary: 'A runner of the caller',
  access: ownedByUser,
})

export const updateAdminRunner = route('PATCH /admin/actions/runners/{runner_id}', {
  ...changing,
  summary: 'Disable or enable a runner of the whole site',
  access: allRunners,
})

export const updateOrgRunner = route('PATCH /orgs/{org}/actions/runners/{runner_id}', {
  ...changing,
  summary: 'Disable or enable a runner of an organization',
  access: ownedByOrganization,
})

export const updateRepoRunner = route('PATCH /repos/{owner}/{repo}/actions/runners/{runner_id}', {
  ...changing,
  summary: 'Disable or enable a runner of a repository',
  access: ownedByRepository,
})

export const updateUserRunner = route('PATCH /user/actions/runners/{runner_id}', {
  ...changing,
  summary: 'Disable or enable a runner of the caller',
  access: ownedByUser,
})

export const deleteAdminRunner = route('DELETE /admin/actions/runners/{runner_id}', {
  ...removing,
  summary: 'Delete a runner of the whole site; its running jobs fail',
  access: allRunners,
})

export const deleteOrgRunner = route('DELETE /orgs/{org}/actions/runners/{runner_id}', {
  ...removing,
  summary: 'Delete a runner of an organization; its running jobs fail',
  access: ownedByOrganization,
})

export const deleteRepoRunner = route('DELETE /repos/{owner}/{repo}/actions/runners/{runner_id}', {
  ...removing,
  summary: 'Delete a runner of a repository; its running jobs fail',
  access: ownedByRepository,
})

export const deleteUserRunner = route('DELETE /user/actions/runners/{runner_id}', {
  ...removing,
  summary: 'Delete a runner of the caller; its running jobs fail',
  access: ownedByUser,
})

export const adminGetRunnerRegistrationToken = route('GET /admin/runners/registration-token', {
  ...formerToken,
  summary: 'The same registration token, under an older path',
  access: allRunners,
  handler: tokenByGet('admin'),
})

import { signedInFully } from '../auth/access.ts'
import { inRepo, nameParam } from '../protocol/query.ts'
import { repoOwner } from '../repos/access.ts'
import { route } from '../route.ts'
import { ownerOf, repoOwnerOf } from './owner.ts'
import {
  deleteRunner,
  editRunner,
  listRunners,
  requireWriteScope,
  showRunner,
  tokenFor,
} from './runner-handlers.ts'
import { deleting, editing, listing, showing, token } from './runners.ts'

/** Routes for runners of a repository, and for runners of a user's repositories. */

const listRepo = route(
  'GET /repos/{owner}/{repo}/actions/runners',
  {
    operationId: 'getRepoRunners',
    ...listing,
    summary: 'Runners of a repository, last seen first',
    access: repoOwner('repository'),
    params: inRepo,
  },
  (context) => listRunners(context, repoOwnerOf(context.caller), context.query),
)

const tokenRepo = route(
  'POST /repos/{owner}/{repo}/actions/runners/registration-token',
  {
    operationId: 'repoCreateRunnerRegistrationToken',
    ...token,
    summary: 'What runners of a repository register themselves with',
    access: repoOwner('repository'),
    params: inRepo,
  },
  (context) => tokenFor(context, repoOwnerOf(context.caller)),
)

const oldTokenRepo = route(
  'GET /repos/{owner}/{repo}/actions/runners/registration-token',
  {
    operationId: 'repoGetRunnerRegistrationToken',
    ...token,
    summary: 'The same, as clients of old ask for it',
    access: repoOwner('repository'),
    params: inRepo,
    deprecated: true,
  },
  (context) => {
    requireWriteScope(context.caller, 'repository')
    return tokenFor(context, repoOwnerOf(context.caller))
  },
)

const showRepo = route(
  'GET /repos/{owner}/{repo}/actions/runners/{runner_id}',
  {
    operationId: 'getRepoRunner',
    ...showing,
    summary: 'A runner of a repository',
    access: repoOwner('repository'),
    params: { ...inRepo, runner_id: nameParam },
  },
  (context) => showRunner(context, repoOwnerOf(context.caller), context.params.runner_id),
)

const editRepo = route(
  'PATCH /repos/{owner}/{repo}/actions/runners/{runner_id}',
  {
    operationId: 'updateRepoRunner',
    ...editing,
    summary: 'Switch a runner of a repository off or on',
    access: repoOwner('repository'),
    params: { ...inRepo, runner_id: nameParam },
  },
  (context) =>
    editRunner(context, repoOwnerOf(context.caller), {
      id: context.params.runner_id,
      disabled: context.body.disabled,
    }),
)

const deleteRepo = route(
  'DELETE /repos/{owner}/{repo}/actions/runners/{runner_id}',
  {
    operationId: 'deleteRepoRunner',
    ...deleting,
    summary: 'Delete a runner of a repository; what it works on fails',
    access: repoOwner('repository'),
    params: { ...inRepo, runner_id: nameParam },
  },
  (context) => deleteRunner(context, repoOwnerOf(context.caller), context.params.runner_id),
)

const listOwn = route(
  'GET /user/actions/runners',
  {
    operationId: 'getUserRunners',
    ...listing,
    summary: 'Runners of the user who asks, last seen first',
    access: signedInFully('user'),
  },
  (context) => listRunners(context, ownerOf(context.caller.me), context.query),
)

const tokenOwn = route(
  'POST /user/actions/runners/registration-token',
  {
    operationId: 'userCreateRunnerRegistrationToken',
    ...token,
    summary: 'What runners of the user who asks register themselves with',
    access: signedInFully('user'),
  },
  (context) => tokenFor(context, ownerOf(context.caller.me)),
)

const oldTokenOwn = route(
  'GET /user/actions/runners/registration-token',
  {
    operationId: 'userGetRunnerRegistrationToken',
    ...token,
    summary: 'The same, as clients of old ask for it',
    access: signedInFully('user'),
    deprecated: true,
  },
  (context) => {
    requireWriteScope(context.caller, 'user')
    return tokenFor(context, ownerOf(context.caller.me))
  },
)

const showOwn = route(
  'GET /user/actions/runners/{runner_id}',
  {
    operationId: 'getUserRunner',
    ...showing,
    summary: 'A runner of the user who asks',
    access: signedInFully('user'),
    params: { runner_id: nameParam },
  },
  (context) => showRunner(context, ownerOf(context.caller.me), context.params.runner_id),
)

const editOwn = route(
  'PATCH /user/actions/runners/{runner_id}',
  {
    operationId: 'updateUserRunner',
    ...editing,
    summary: 'Switch a runner of the user who asks off or on',
    access: signedInFully('user'),
    params: { runner_id: nameParam },
  },
  (context) =>
    editRunner(context, ownerOf(context.caller.me), {
      id: context.params.runner_id,
      disabled: context.body.disabled,
    }),
)

const deleteOwn = route(
  'DELETE /user/actions/runners/{runner_id}',
  {
    operationId: 'deleteUserRunner',
    ...deleting,
    summary: 'Delete a runner of the user who asks; what it works on fails',
    access: signedInFully('user'),
    params: { runner_id: nameParam },
  },
  (context) => deleteRunner(context, ownerOf(context.caller.me), context.params.runner_id),
)

export const repoRunnerRoutes = [
  ...[listRepo, tokenRepo, oldTokenRepo, showRepo, editRepo, deleteRepo],
  ...[listOwn, tokenOwn, oldTokenOwn, showOwn, editOwn, deleteOwn],
]

import type { Tx } from '../../db/sql.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { noBody } from '../../http/route/sends.ts'
import { type Account, updateAccount } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record, repositoryTarget } from '../audit/audit-trail.ts'
import { type SignedIn, signedInFully } from '../auth/access.ts'
import { orgOwner } from '../auth/org-access.ts'
import { repoAdmin, type SignedInOnRepository } from '../repos/access.ts'
import { updateRepositoryAvatar } from '../repos/repo-store.ts'
import { type ForgeContext, route } from '../route.ts'
import { UpdateRepoAvatarOption, UpdateUserAvatarOption } from './avatar.option.ts'
import { type Avatar, keepImage } from './keep-image.ts'

/** Pictures of users, organizations and repositories. */

const setting = {
  fails: [400, 404, 422, 503, 507],
  returns: noBody(204),
  // The largest image in base64, and the rest of the body.
  largestBody: 2 * 1024 * 1024,
} as const
const removing = { fails: [404], returns: noBody(204) } as const

export const userUpdateAvatar = route('POST /user/avatar', {
  ...setting,
  summary: 'Set the picture of the caller',
  access: signedInFully('user'),
  body: UpdateUserAvatarOption,
  handler: async (context) => setAccountAvatar(context, context.caller.me),
})

export const userDeleteAvatar = route('DELETE /user/avatar', {
  ...removing,
  summary: 'Remove the picture of the caller; the server draws one instead',
  access: signedInFully('user'),
  handler: (context) => context.begin((tx) => writeToAccount(tx, context, context.caller.me)),
})

export const orgUpdateAvatar = route('POST /orgs/{org}/avatar', {
  ...setting,
  summary: 'Set the picture of an organization',
  access: orgOwner(),
  body: UpdateUserAvatarOption,
  handler: (context) => setAccountAvatar(context, context.caller.subject),
})

export const orgDeleteAvatar = route('DELETE /orgs/{org}/avatar', {
  ...removing,
  summary: 'Remove the picture of an organization; the server draws one instead',
  access: orgOwner(),
  handler: (context) => context.begin((tx) => writeToAccount(tx, context, context.caller.subject)),
})

export const repoUpdateAvatar = route('POST /repos/{owner}/{repo}/avatar', {
  ...setting,
  summary: 'Set the picture of a repository',
  access: repoAdmin(),
  body: UpdateRepoAvatarOption,
  handler: (context) =>
    keepImage(context, context.body.image, (tx, avatar) => writeToRepository(tx, context, avatar)),
})

export const repoDeleteAvatar = route('DELETE /repos/{owner}/{repo}/avatar', {
  ...removing,
  summary: 'Remove the picture of a repository',
  access: repoAdmin(),
  handler: (context) => context.begin((tx) => writeToRepository(tx, context)),
})

async function setAccountAvatar(
  context: ForgeContext<SignedIn, { body: { image: string } }>,
  account: Account,
): Promise<void> {
  await keepImage(context, context.body.image, (tx, avatar) => writeToAccount(tx, context, account, avatar))
}

/** @throws Problem 404, 422 an account of the server itself */
async function writeToAccount(
  tx: Tx,
  context: ForgeContext<SignedIn>,
  account: Account,
  avatar?: Avatar,
): Promise<void> {
  refuseSystem(account)
  const edit = { avatar: avatar?.sha256 ?? null, avatar_type: avatar?.type ?? null }
  const changed = found(await updateAccount(tx, account.id, edit))
  const action = changed.kind === 'organization' ? 'organization.edited' : 'user.edited'
  await record(tx, context, { action, target: accountTarget(changed), details: { avatar: edit.avatar } })
}

/** @throws Problem 404 */
async function writeToRepository(
  tx: Tx,
  context: ForgeContext<SignedInOnRepository>,
  avatar?: Avatar,
): Promise<void> {
  const { repo, subject } = context.caller
  if (!(await updateRepositoryAvatar(tx, repo.id, avatar))) throw notFound()
  const details = { avatar: avatar?.sha256 ?? null }
  await record(tx, context, {
    action: 'repository.edited',
    target: repositoryTarget(repo, subject),
    details,
  })
}

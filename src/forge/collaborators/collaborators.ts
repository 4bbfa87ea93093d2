import type { Sql } from '../../db/sql.ts'
import { pagesOf } from '../../http/route/page.ts'
import { forbidden, notFound, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import type { Account } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { printUser, printUsers, User } from '../accounts/user.shape.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { visibleUser, visibleUserNamed } from '../auth/user-visibility.ts'
import { membershipOf } from '../orgs/membership-store.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { PERMISSIONS } from '../permissions/units.ts'
import { repoAdmin, repoAdminOrSelf, type SignedInOnRepository, signedInRepoSeen } from '../repos/access.ts'
import {
  COLLABORATOR_PERMISSIONS,
  deleteCollaborator,
  isCollaborator,
  levelOfAccount,
  pageOfCollaborators,
  putCollaborator,
  sharesRepository,
} from '../repos/collaborator-store.ts'
import { AddCollaboratorOption } from '../repos/repo.option.ts'
import { RepoCollaboratorPermission } from '../repos/repo.shape.ts'
import { type ForgeContext, route } from '../route.ts'
import { endUnreadableWatches } from '../watching/watch-store.ts'

export const repoListCollaborators = route('GET /repos/{owner}/{repo}/collaborators', {
  summary: 'Collaborators of a repository',
  access: signedInRepoSeen(),
  ...pagesOf(User),
  handler: async (context) =>
    printUsers(await pageOfCollaborators(context.sql, context.caller.repo.id, context.query), context),
})

export const repoCheckCollaborator = route('GET /repos/{owner}/{repo}/collaborators/{collaborator}', {
  summary: 'Whether a user is a collaborator: 204, or 404',
  access: signedInRepoSeen(),
  fails: [404, 422],
  returns: noBody(204),
  handler: async (context) => {
    const { caller, sql } = context
    const user = await collaboratorNamed(context)
    if (!(await isCollaborator(sql, caller.repo.id, user.id))) throw notFound()
  },
})

export const repoAddCollaborator = route('PUT /repos/{owner}/{repo}/collaborators/{collaborator}', {
  summary: 'Give a user a permission in a repository: read, write (the default) or admin',
  access: repoAdmin(),
  body: AddCollaboratorOption,
  returns: noBody(204),
  handler: async (context) => {
    const { caller, body, begin } = context
    const user = await collaboratorNamed(context, isKnownToAdmin)
    if (user.id === caller.subject.id) throw unprocessable('the owner of a repository is no collaborator')
    refuseSystem(user)
    const permission = COLLABORATOR_PERMISSIONS.find((each) => each === body.permission) ?? 'write'
    await begin(async (tx) => {
      // Repeating the request succeeds, but only a change is audited.
      if (!(await putCollaborator(tx, caller.repo.id, user.id, permission))) return
      const details = { collaborator: user.name, permission }
      await record(tx, context, {
        action: 'repository.collaborator_set',
        target: repositoryTarget(caller.repo, caller.subject),
        details,
      })
    })
  },
})

export const repoDeleteCollaborator = route('DELETE /repos/{owner}/{repo}/collaborators/{collaborator}', {
  summary: 'Remove a collaborator, or nothing if the user is none; collaborators may remove themselves',
  access: repoAdminOrSelf(),
  fails: [422],
  returns: noBody(204),
  handler: async (context) => {
    const { caller, begin } = context
    const user = await collaboratorNamed(context)
    await begin(async (tx) => {
      if (!(await deleteCollaborator(tx, caller.repo.id, user.id))) return
      await endUnreadableWatches(tx, { repository: caller.repo.id, accounts: [user.id] })
      const details = { collaborator: user.name }
      await record(tx, context, {
        action: 'repository.collaborator_removed',
        target: repositoryTarget(caller.repo, caller.subject),
        details,
      })
    })
  },
})

export const repoGetRepoPermissions = route(
  'GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission',
  {
    summary:
      'The permission of a user in a repository; callers who do not administer it may only query their own',
    access: signedInRepoSeen(),
    fails: [404],
    returns: json(200, RepoCollaboratorPermission),
    handler: async ({ caller, params, sql, from }) => {
      const { me, repo } = caller
      const isSelf = params.collaborator.toLowerCase() === me.name.toLowerCase()
      if (!isSelf && repo.level < LEVELS.admin) {
        const admins = 'Only admins can query all permissions, repo admins can query all repo permissions, '
        throw forbidden(`${admins}collaborators can query only their own`)
      }
      const user = await visibleUserNamed(sql, caller, params.collaborator, ({ id }) =>
        isKnownToAdmin(sql, caller, id),
      )
      const level = await levelOfAccount(sql, repo.id, user.id)
      const name = PERMISSIONS[level] ?? 'none'
      return { permission: name, role_name: name, user: printUser(user, me, from.host) }
    },
  },
)

/** The user of the path; the caller must see the user or have it in a list (`isListed`). @throws Problem 422 */
async function collaboratorNamed(
  {
    caller,
    params: { collaborator: name },
    sql,
  }: ForgeContext<SignedInOnRepository, { params: { collaborator: string } }>,
  isListed: typeof isKnownToAdmin = (sql, { repo }, user) => isCollaborator(sql, repo.id, user),
): Promise<Account> {
  const user = await visibleUser(sql, caller, name, ({ id }) => isListed(sql, caller, id))
  if (!user) throw unprocessable(`user does not exist [name: ${name}]`)
  return user
}

/**
 * Administrators of a repository know its collaborators and team members and, if they are members of its organization,
 * the other members too.
 */
async function isKnownToAdmin(
  sql: Sql,
  { repo, subject, is_member }: SignedInOnRepository,
  user: number,
): Promise<boolean> {
  if (await sharesRepository(sql, repo.id, user)) return true
  return is_member && (await membershipOf(sql, subject.id, user)) !== undefined
}

import * as v from 'valibot'
import type { Sql } from '../db/sql.ts'
import { pageQuery } from '../http/page.ts'
import { forbidden, found, notFound, unprocessable } from '../http/problem.ts'
import { type Account, accountByName } from './account.ts'
import { record } from './audit.ts'
import {
  COLLABORATOR_PERMISSIONS,
  deleteCollaborator,
  isCollaborator,
  levelOfAccount,
  pageOfCollaborators,
  putCollaborator,
} from './collaborator-store.ts'
import { nameUnknown } from './names.ts'
import { option, text } from './option.ts'
import { inRepo, nameParam } from './query.ts'
import { repoAdmin, repoAdminOrSelf, type SignedInOnRepository, signedInRepoSeen } from './repo-access.ts'
import { LEVELS } from './repo-level.ts'
import { route } from './route.ts'
import { oneOf } from './rules.ts'
import { refuseSystem } from './system-account.ts'
import { PERMISSIONS } from './units.ts'
import { printUser, printUsers, User } from './user.shape.ts'

const about = { ...inRepo, collaborator: nameParam }

/** AddCollaboratorOption; "" is `write`. */
export const AddCollaboratorOption = option({
  permission: text(oneOf(['', ...COLLABORATOR_PERMISSIONS])),
})

/** RepoCollaboratorPermission: all that somebody may do, whatever gives it. */
export const RepoCollaboratorPermission = v.object({
  permission: v.picklist(PERMISSIONS),
  role_name: v.picklist(PERMISSIONS),
  user: User,
})

const list = route(
  'GET /repos/{owner}/{repo}/collaborators',
  {
    summary: 'Who may use a repository by name, beside its owner and its teams',
    access: signedInRepoSeen('repository'),
    params: inRepo,
    query: pageQuery(),
    returns: [200, v.array(User)],
    sends: 'page',
    shared: 'until written',
  },
  async ({ caller, query, sql, from }) => {
    const page = await pageOfCollaborators(sql, caller.repo.id, query)
    return printUsers(page, caller.me, from.host)
  },
)

const check = route(
  'GET /repos/{owner}/{repo}/collaborators/{collaborator}',
  {
    summary: 'Whether a user is a collaborator: 204, or 404',
    access: signedInRepoSeen('repository'),
    params: about,
    fails: [404, 422],
    returns: [204],
  },
  async ({ caller, params, sql }) => {
    const user = await collaboratorNamed(sql, params.collaborator)
    if (!(await isCollaborator(sql, caller.repo.id, user.id))) throw notFound()
  },
)

const put = route(
  'PUT /repos/{owner}/{repo}/collaborators/{collaborator}',
  {
    summary: 'Give a user a permission in a repository: read, write (unless said otherwise) or admin',
    access: repoAdmin('repository'),
    params: about,
    body: AddCollaboratorOption,
    returns: [204],
  },
  async (ask) => {
    const { caller, params, body, sql, begin } = ask
    const user = await collaboratorNamed(sql, params.collaborator)
    if (user.id === caller.subject.id) throw unprocessable('the owner of a repository is no collaborator')
    refuseSystem(user)
    const permission = COLLABORATOR_PERMISSIONS.find((each) => each === body.permission) ?? 'write'
    await begin(async (tx) => {
      // Twice is as good as once, and leaves one trace.
      if (!(await putCollaborator(tx, caller.repo.id, user.id, permission))) return
      const details = { collaborator: user.name, permission }
      await record(tx, ask, { action: 'repository.collaborator_set', target: targetOf(caller), details })
    })
  },
)

const remove = route(
  'DELETE /repos/{owner}/{repo}/collaborators/{collaborator}',
  {
    summary:
      'Take the permission of a collaborator away; collaborators may leave. One who is none stays none',
    access: repoAdminOrSelf('collaborator', 'repository'),
    params: about,
    fails: [422],
    returns: [204],
  },
  async (ask) => {
    const { caller, params, sql, begin } = ask
    const user = await collaboratorNamed(sql, params.collaborator)
    await begin(async (tx) => {
      if (!(await deleteCollaborator(tx, caller.repo.id, user.id))) return
      const details = { collaborator: user.name }
      await record(tx, ask, { action: 'repository.collaborator_removed', target: targetOf(caller), details })
    })
  },
)

const permission = route(
  'GET /repos/{owner}/{repo}/collaborators/{collaborator}/permission',
  {
    summary: 'All that a user may do in a repository; who does not administer it asks about itself',
    access: signedInRepoSeen('repository'),
    params: about,
    fails: [404],
    returns: [200, RepoCollaboratorPermission],
  },
  async ({ caller, params, sql, from }) => {
    const { me, repo } = caller
    const isSelf = params.collaborator.toLowerCase() === me.name.toLowerCase()
    if (!isSelf && repo.level < LEVELS.admin) {
      const words = 'Only admins can query all permissions, repo admins can query all repo permissions, '
      throw forbidden(`${words}collaborators can query only their own`)
    }
    const user = found(await personNamed(sql, params.collaborator), nameUnknown(params.collaborator))
    const level = await levelOfAccount(sql, repo.id, user.id)
    const name = PERMISSIONS[level] ?? 'none'
    return { permission: name, role_name: name, user: printUser(user, me, from.host) }
  },
)

export const collaboratorRoutes = [list, check, put, remove, permission]

const targetOf = ({ repo, subject }: SignedInOnRepository) => ({
  kind: 'repository',
  id: repo.id,
  name: `${subject.name}/${repo.name}`,
})

/** Organizations are given to through their teams. */
async function personNamed(sql: Sql, name: string): Promise<Account | undefined> {
  const account = await accountByName(sql, name)
  return account?.kind === 'organization' ? undefined : account
}

/** @throws Problem 422 */
async function collaboratorNamed(sql: Sql, name: string): Promise<Account> {
  const user = await personNamed(sql, name)
  if (!user) throw unprocessable(`user does not exist [name: ${name}]`)
  return user
}

import type * as v from 'valibot'
import type { Tx } from '../../../db/sql.ts'
import { conflict, forbidden, found, notFound } from '../../../http/route/problem.ts'
import { type Account, accountByName } from '../../accounts/account-store.ts'
import { isPublicOnly, maySee } from '../../auth/access.ts'
import { PUBLIC_ONLY_REFUSALS } from '../../auth/scopes.ts'
import { membershipOf, ownsOrganization } from '../../orgs/membership-store.ts'
import type { SignedInOnRepository } from '../../repos/access.ts'
import { forkOf, isRepositoryName } from '../../repos/repo-query-store.ts'
import { folderOf, lockRepository, type Repository, repositoryById } from '../../repos/repo-store.ts'
import type { ForgeContext } from '../../route.ts'
import { folderFor, type Plan } from '../creation/creation.ts'
import { createsIn } from '../transfer-store.ts'
import type { CreateForkOption } from './fork.option.ts'

type ForkContext = ForgeContext<SignedInOnRepository, { body: v.InferOutput<typeof CreateForkOption> }>

/**
 * A fork of the repository of the path: its branches, tags and objects, description and licences. It is private if the
 * repository or its owner is.
 * @throws Problem 403 may not create there, 404 no such organization, 409 forked already or name taken, 422 name
 */
export async function planOfFork(context: ForkContext): Promise<Plan> {
  const { body, caller, sql } = context
  const parent = found(await repositoryById(sql, caller.repo.id))
  const owner = body.organization ? await organizationNamed(context, body.organization) : caller.me
  const name = body.name || parent.name
  const folder = folderFor(context, owner, name)
  const path = `${caller.repo.owner.name}/${parent.name}`
  const fork = await forkOf(sql, parent.id, owner.id)
  if (fork) throw alreadyForked(owner, path, fork.name)
  if (await isRepositoryName(sql, owner.id, folder.name))
    throw conflict(`repository already exists [uname: ${owner.name}, name: ${name}]`)
  const isPrivate = parent.is_private || caller.subject.visibility === 'private'
  return {
    owner,
    ownsAll: owner.id === caller.me.id || (await ownsOrganization(sql, owner.id, caller.me.id)),
    draft: {
      owner_id: owner.id,
      name,
      folder,
      description: parent.description,
      is_private: isPrivate,
      is_template: false,
      is_empty: parent.is_empty,
      default_branch: parent.default_branch,
      object_format: parent.object_format,
      branch_count: parent.branch_count,
      licenses: parent.licenses,
      topics: [],
      parent_id: parent.id,
    },
    make: (repositories, at) => {
      const source = found(repositories.open(folderOf(parent)))
      return repositories.createCopy(
        { ...at, branch: parent.default_branch, format: parent.object_format },
        source,
      )
    },
    furnish: async (tx, made) => {
      if (owner.id !== caller.me.id) await requireCreator(tx, context, owner)
      await lockParent(tx, { parent, owner, made, path, isPrivate })
    },
    details: { fork_of: path },
  }
}

const alreadyForked = (owner: Account, path: string, fork: string) =>
  conflict(
    `repository is already forked by user [uname: ${owner.name}, repo path: ${path}, fork path: ${owner.name}/${fork}]`,
  )

/**
 * Locks the parent, so that forks of it are made one after another: each owner has one.
 * @throws Problem 404 deleted; 409 forked meanwhile, or made private meanwhile
 */
async function lockParent(
  tx: Tx,
  facts: { parent: Repository; owner: Account; made: number; path: string; isPrivate: boolean },
): Promise<void> {
  const { parent, owner, made, path, isPrivate } = facts
  const current = found(await lockRepository(tx, parent.id))
  const fork = await forkOf(tx, parent.id, owner.id)
  if (fork && fork.id !== made) throw alreadyForked(owner, path, fork.name)
  if (current.is_private && !isPrivate)
    throw conflict('the repository has been made private meanwhile; try again')
}

/** @throws Problem 403, 404 */
async function organizationNamed(context: ForkContext, name: string): Promise<Account> {
  const { caller, sql } = context
  const owner = found(await accountByName(sql, name))
  if (owner.kind !== 'organization') throw notFound()
  const is_member = (await membershipOf(sql, owner.id, caller.me.id)) !== undefined
  if (!maySee(owner, { me: caller.me, is_member })) throw notFound()
  if (isPublicOnly(caller) && owner.visibility !== 'public')
    throw forbidden(PUBLIC_ONLY_REFUSALS.organization)
  await requireCreator(sql, context, owner)
  return owner
}

/** @throws Problem 403 */
async function requireCreator(
  sql: ForkContext['sql'],
  { caller }: ForkContext,
  owner: Account,
): Promise<void> {
  if (caller.me.is_admin || (await createsIn(sql, owner.id, caller.me.id))) return
  throw forbidden('User is not allowed to create repositories in this organization.')
}

import { beginFor } from '../../../db/begin.ts'
import type { Sql, Tx } from '../../../db/sql.ts'
import type { GitOutcome } from '../../../git/program/outcome.ts'
import type { Repositories, RepositoryPath } from '../../../git/repository/repositories.ts'
import { mapConstraints } from '../../../http/database-errors.ts'
import { conflict, forbidden, type Problem, unavailable, unprocessable } from '../../../http/route/problem.ts'
import { type Account, lockAccount } from '../../accounts/account-store.ts'
import { repositoryNameFault } from '../../accounts/names.ts'
import { refuseSystem } from '../../accounts/system-account.ts'
import { record, repositoryTarget } from '../../audit/audit-trail.ts'
import type { SignedIn } from '../../auth/access.ts'
import { problemOf } from '../../git-service.ts'
import { gitValue } from '../../repos/code.ts'
import { putCollaborator } from '../../repos/collaborator-store.ts'
import { freeDirectory } from '../../repos/directory.ts'
import { emitRepositoryEvent } from '../../repos/events.ts'
import { countOwned, isRepositoryName } from '../../repos/repo-query-store.ts'
import {
  deleteUnmade,
  finishRepository,
  insertRepository,
  type Repository,
  type RepositoryDraft,
} from '../../repos/repo-store.ts'
import type { ForgeContext } from '../../route.ts'
import { insertWatch, watchThroughTeams } from '../../watching/watch-store.ts'

/** The content of a new repository, checked before the server writes anything. */
export interface Plan {
  owner: Account
  /** Whether the caller has full access to all repositories of the owner: as that user, or as an owner. */
  ownsAll: boolean
  draft: RepositoryDraft
  /** Creates the directory. */
  make: (repositories: Repositories, at: RepositoryPath) => Promise<GitOutcome<unknown>>
  /** Writes the rows that belong to the reserved row, so that the repository has them even if the server ends too early. */
  furnish: (tx: Tx, repository: number) => Promise<void>
  /** Details for the audit trail. */
  details: Readonly<Record<string, unknown>>
}

/** A repository whose name and directory are reserved. */
interface Reserved extends Plan {
  row: Repository
}

type RepoContext = ForgeContext<SignedIn>

/** The message (409) for a name that the owner uses already. */
const REPOSITORY_EXISTS = 'The repository with the same name already exists.'

/**
 * Creates a repository: reserves the name, creates the directory, makes the repository visible. The reservation is
 * committed first, so that `repair` finds it after a crash. A failure leaves nothing behind.
 * @throws Problem 403 too many, 409 taken, 503 git, 507 disk
 */
export async function createRepository(context: RepoContext, plan: Plan): Promise<Repository> {
  const reserved = await reserve(context, plan)
  try {
    await createDirectory(context, reserved)
  } catch (error) {
    // The row of a directory stays, so that the directory does not block the name: `repair` completes the creation.
    await deleteUnmade(context.sql, reserved.row.id)
    throw error
  }
  return finish(context, reserved)
}

/** The directory for a repository of an account. @throws Problem 422 account or name cannot have one */
export function folderFor(
  { tools }: Pick<RepoContext, 'tools'>,
  owner: Account,
  name: string,
): RepositoryPath {
  refuseSystem(owner)
  const fault = repositoryNameFault(name)
  if (fault !== undefined) throw unprocessable(fault)
  const folder = { owner: owner.name.toLowerCase(), name: name.toLowerCase() }
  if (tools.gitService.repositories.path(folder)) return folder
  throw problemOf({ kind: 'name', log: `${folder.owner}/${folder.name}` })
}

/** @throws Problem 403 too many, 409 taken */
async function reserve(context: RepoContext, plan: Plan): Promise<Reserved> {
  const { sql, begin, tools, caller, from } = context
  const { repositories } = tools.gitService.forRequest(from)
  const { draft, owner } = plan
  // A move of another directory is no change by the caller; the reservation confirms the rights of the caller.
  const moving = { ...context, begin: beginFor(null, begin) }
  // Check before reserving the name: an existing directory belongs to another repository, so a later failure must not
  // delete it.
  if ((await repositories.exists(draft.folder)) && !(await freeDirectory(moving, draft.folder)))
    throw await occupiedProblem(sql, owner, draft.folder)
  const reserving = begin(async (tx) => {
    await enforceLimit(tx, caller.me, owner)
    const reserved = await insertRepository(tx, draft)
    await insertWatch(tx, reserved.id, caller.me.id)
    if (owner.kind === 'organization') await watchThroughTeams(tx, { repository: reserved.id })
    // In the same transaction, so that nothing later depends on whether the caller's account still exists.
    if (!plan.ownsAll) await putCollaborator(tx, reserved.id, caller.me.id, 'admin')
    await plan.furnish(tx, reserved.id)
    return reserved
  })
  // If the caller has been deleted since, the request is no longer authenticated.
  const callerGone = owner.id === caller.me.id ? 'repository_owner_known' : 'repository_watch_account_known'
  const row = await mapConstraints(reserving, { ...nameConflicts, [callerGone]: [401, 'token is required'] })
  return { ...plan, row }
}

/** @throws Problem 503 git, 507 disk */
async function createDirectory({ tools, from }: RepoContext, { draft, make }: Reserved): Promise<void> {
  gitValue(await make(tools.gitService.forRequest(from).repositories, draft.folder))
}

/** Makes a repository visible whose directory exists. @throws Problem 503 */
async function finish(context: RepoContext, { owner, row, draft, details }: Reserved): Promise<Repository> {
  const { begin, tools, caller, from } = context
  const bytes = await tools.gitService.repositories.bytes(draft.folder)
  return begin(async (tx) => {
    const ready = await finishRepository(tx, row.id, bytes)
    // After some minutes, the repair task takes a creation for dead and removes it.
    if (!ready) throw unavailable('the repository took too long to make')
    const facts = { action: 'created', row: ready, owner, sender: caller.me, host: from.host } as const
    await emitRepositoryEvent(tx, tools, facts)
    await record(tx, context, {
      action: 'repository.created',
      target: repositoryTarget(row, owner),
      details: { private: row.is_private, ...details },
    })
    return ready
  })
}

/** The conflict to report for an existing directory: a repository of that name, or files that no repository owns. */
async function occupiedProblem(sql: Sql, owner: Account, folder: RepositoryPath): Promise<Problem> {
  if (await isRepositoryName(sql, owner.id, folder.name)) return conflict(REPOSITORY_EXISTS)
  return problemOf({ kind: 'taken', log: 'the directory exists' })
}

/** The answers for names that are taken. */
export const nameConflicts = {
  repository_name_unique: [409, REPOSITORY_EXISTS],
  // The directory of a former repository is still being moved or deleted.
  repository_folder_unique: [
    409,
    'The files of a former repository of that name are still in use; try again in a moment.',
  ],
} as const

/**
 * Counts under a lock on the owner, so that concurrent creations cannot exceed the limit. Administrators are not
 * limited.
 * @throws Problem 403
 */
export async function enforceLimit(tx: Tx, me: Account, owner: Account): Promise<void> {
  if (me.is_admin || owner.max_repo_creation < 0) return
  const limit = (await lockAccount(tx, owner.id))?.max_repo_creation ?? -1
  if (limit >= 0 && (await countOwned(tx, owner.id)) >= limit)
    throw forbidden(`user has reached maximum limit of repositories [limit: ${limit}]`)
}

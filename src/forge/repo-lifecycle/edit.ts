import type * as v from 'valibot'
import type { Tx } from '../../db/sql.ts'
import { setHeadBranch } from '../../git/repository/refs.ts'
import { resolveRef } from '../../git/repository/revisions.ts'
import { mapConstraints } from '../../http/database-errors.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { repositoryNameFault } from '../accounts/names.ts'
import { record, repositoryTarget } from '../audit/audit-trail.ts'
import { problemOf } from '../git-service.ts'
import type { SignedInOnRepository } from '../repos/access.ts'
import { gitValue } from '../repos/code.ts'
import { moveMisplaced, removeReleased } from '../repos/directory.ts'
import { emitRepositoryEvent } from '../repos/events.ts'
import { licensesAt } from '../repos/licenses/license-files.ts'
import type { EditRepoOption } from '../repos/repo.option.ts'
import { forksBelow } from '../repos/repo-query-store.ts'
import {
  folderOf,
  lockRepository,
  type Repository,
  type RepositoryEdit,
  releaseRepositories,
  repositoryById,
  updateRepository,
} from '../repos/repo-store.ts'
import type { ForgeContext } from '../route.ts'
import { endUnreadableWatches } from '../watching/watch-store.ts'
import { nameConflicts } from './creation/creation.ts'

type Input = v.InferOutput<typeof EditRepoOption>

type RepoContext = ForgeContext<SignedInOnRepository>

/**
 * Changes a repository; absent members stay unchanged. After a rename the directory is moved too, now or later by a
 * task.
 * @throws Problem 404 gone, 409 name taken, 422 name or branch, 503, 507
 */
export async function editRepository(context: RepoContext & { body: Input }): Promise<Repository> {
  const { body, begin, caller } = context
  const { repositories } = context.tools.gitService
  const { name, default_branch: branch, description, website, template, archived, ...rest } = body
  const { private: isPrivate, ...settings } = rest
  if (name) checkName(context, name)
  const licenses = branch ? await licensesOnBranch(context, branch) : undefined
  const editing = begin(async (tx) => {
    const old = found(await lockRepository(tx, caller.repo.id))
    const edit: RepositoryEdit = {
      name: name || undefined,
      default_branch: branch || undefined,
      licenses,
      description,
      website,
      is_private: isPrivate,
      is_template: template,
      is_archived: archived,
      settings: { ...old.settings, ...changedSettings(settings) },
    }
    if (isPrivate === false && old.is_private) await requirePublicParent(tx, old)
    const row = await updateRepository(tx, old, edit)
    const hidden = row.is_private && !old.is_private ? [row.id, ...(await forksBelow(tx, row.id))] : []
    for (const repository of hidden) await endUnreadableWatches(tx, { repository })
    const target = repositoryTarget(row, caller.subject)
    await record(tx, context, { action: 'repository.edited', target, details: { ...body } })
    // Last, so that HEAD does not change if the transaction fails before.
    if (branch) gitValue(await setHeadBranch(found(repositories.path(folderOf(row))), branch))
    return row
  })
  const row = await mapConstraints(editing, nameConflicts)
  if (row.name.toLowerCase() !== row.folder_name) await moveMisplaced(context, row.owner_id)
  return row
}

/** What was private in a repository stays so in its forks. @throws Problem 422 */
async function requirePublicParent(tx: Tx, { parent_id }: Repository): Promise<void> {
  const parent = parent_id === null ? undefined : await lockRepository(tx, parent_id)
  if (parent?.is_private) throw unprocessable('a fork of a private repository is private')
}

/** Refuses names that are invalid for a repository or a directory. @throws Problem 422 */
function checkName({ caller, tools }: RepoContext, name: string): void {
  const fault = repositoryNameFault(name)
  if (fault !== undefined) throw unprocessable(fault)
  if (tools.gitService.repositories.path({ owner: caller.subject.name, name }) === undefined)
    throw problemOf({ kind: 'name', log: name })
}

/**
 * The licences in the files of a branch, which must exist; an empty repository may name any branch.
 * @throws Problem 404, 422, 503
 */
async function licensesOnBranch(
  { sql, caller, tools, from }: RepoContext,
  branch: string,
): Promise<string[]> {
  const { repositories } = tools.gitService.forRequest(from)
  const row = found(await repositoryById(sql, caller.repo.id))
  const repository = found(repositories.open(folderOf(row)))
  if (row.is_empty) return []
  const commit = gitValue(await resolveRef(repository, `refs/heads/${branch}`))
  if (commit === undefined) throw unprocessable(`branch does not exist [name: ${branch}]`)
  return gitValue(await licensesAt(repository, commit, tools.licenseDetector))
}

/** Deletes a repository: it disappears at once, then its directory is deleted. @throws Problem 404 gone */
export async function deleteRepository(context: RepoContext): Promise<void> {
  const { begin, caller, tools, from } = context
  const released = await begin(async (tx) => {
    const row = found(await lockRepository(tx, caller.repo.id))
    const released = await releaseRepositories(tx, { id: row.id })
    const { subject: owner, me: sender } = caller
    await emitRepositoryEvent(tx, tools, { action: 'deleted', row, owner, sender, host: from.host })
    const target = repositoryTarget(row, owner)
    await record(tx, context, { action: 'repository.deleted', target })
    return released
  })
  await removeReleased(context, released)
}

/** The settings that a request changes; "" means unchanged. */
function changedSettings(
  settings: Readonly<Record<string, boolean | string | undefined>>,
): Record<string, boolean | string> {
  const changed: Record<string, boolean | string> = {}
  for (const [name, value] of Object.entries(settings))
    if (value !== undefined && value !== '') changed[name] = value
  return changed
}

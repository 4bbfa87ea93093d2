import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import { done } from '../../common/outcome.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import type { GitFault, GitOutcome } from '../../git/program/outcome.ts'
import { packRepository, verifyRepository } from '../../git/repository/maintenance.ts'
import { listRefs } from '../../git/repository/refs.ts'
import { type DirectoryDeps, moveMisplaced, repair } from './directory.ts'
import { licensesAt } from './licenses/license-files.ts'
import { allRepositories, drawLook } from './repo-query-store.ts'
import { folderOf, type Repository, updateMeasured } from './repo-store.ts'

/** Scheduled tasks over all repositories and their directories. */

type Tools = DirectoryDeps['tools']

/** A younger creation may still be running, in milliseconds. */
const minCreationAge = 10 * 60_000

/** A younger unfinished file may still be in use, in milliseconds. */
const minUnfinishedAge = 24 * 3_600_000

/** Maximum number of repository names in the result of a task. */
const maxNames = 10

/** Verifies all objects of all repositories. Reports damage and changes nothing. */
export const repoHealthCheck = (tools: Tools): CronTask => ({
  name: 'repo_health_check',
  summary: 'Reads every object of every repository and reports damaged ones; changes nothing.',
  schedule: '@midnight',
  run: async (run) => {
    const { count, failed } = await visitAll(tools, run, async (_, repository) => {
      const verified = await verifyRepository(repository, run.signal)
      return verified.ok ? done(false) : verified
    })
    if (failed.length > 0) throw new Error(`${failed.length} of ${count} damaged: ${summary(failed)}`)
    return count > 0 ? `${count} sound` : undefined
  },
})

/** Corrects stored sizes, branch counts and licences from the disk. */
export const checkRepoStats = (tools: Tools): CronTask => ({
  name: 'check_repo_stats',
  summary: 'Updates sizes and branch counts of repositories from the disk.',
  schedule: '@midnight',
  run: async (run) => {
    const { changed, failed } = await visitAll(tools, run, (row, repository) =>
      remeasure(tools, run, row, repository),
    )
    if (failed.length > 0) throw new Error(`${changed} corrected; cannot be read: ${summary(failed)}`)
    return changed > 0 ? `${changed} corrected` : undefined
  },
})

/** Deletes unfinished directories of processes that crashed before putting them in place. */
export const archiveCleanup = ({ gitService }: Tools): CronTask => ({
  name: 'archive_cleanup',
  summary: 'Removes unfinished work that a crash left more than a day ago.',
  schedule: '@midnight',
  runAtStart: true,
  run: async ({ now }) => {
    const removed = await gitService.repositories.tidy(new Date(now.getTime() - minUnfinishedAge))
    return removed > 0 ? `${removed} removed` : undefined
  },
})

/** Packs loose objects. Enabled by default, unlike in the original, because pushes do not wait for git to pack. */
export const gitGcRepos = (tools: Tools): CronTask => ({
  name: 'git_gc_repos',
  summary: 'Packs repositories.',
  schedule: '@every 72h',
  run: async (run) => {
    const { changed, failed } = await visitAll(tools, run, async (row, repository) => {
      const packed = await packRepository(repository, run.signal)
      if (packed.ok && packed.value) await remeasure(tools, run, row, repository)
      return packed
    })
    if (failed.length > 0) throw new Error(`${changed} packed; failed: ${summary(failed)}`)
    return changed > 0 ? `${changed} packed` : undefined
  },
})

/** Completes creations and deletions that a crash interrupted. */
export const repairRepos = (tools: Tools): CronTask => ({
  name: 'repair_repos',
  summary: 'Completes changes to repositories that a crash interrupted.',
  schedule: '@every 10m',
  runAtStart: true,
  run: async (run) => {
    const repaired = await repair({ ...run, tools }, new Date(run.now.getTime() - minCreationAge))
    return repaired > 0 ? `${repaired} repaired` : undefined
  },
})

/**
 * Moves directories that still have a former name, after a crash or because another repository occupied the target.
 * Until then the repository works from the old directory.
 */
export const settleRepos = (tools: Tools): CronTask => ({
  name: 'settle_repos',
  summary: 'Moves repository directories that a crash left under a former name.',
  schedule: '@midnight',
  runAtStart: true,
  run: async (run) => {
    const { moved, left } = await moveMisplaced({ ...run, tools }, null)
    if (left > 0)
      run.log.warn(
        'repositories still have their former directory, because another one occupies the new path',
        { count: left },
      )
    return moved > 0 ? `${moved} moved` : undefined
  },
})

async function remeasure(
  { gitService, licenseDetector }: Tools,
  { sql }: CronRun,
  row: Repository,
  repository: OpenRepository,
): Promise<GitOutcome<boolean>> {
  const look = await drawLook(sql)
  const listed = await listRefs(repository, ['refs/heads'])
  if (!listed.ok) return listed
  const branches = listed.value.length
  const size = await gitService.repositories.bytes(folderOf(row))
  const head = listed.value.find(({ name }) => name === `refs/heads/${row.default_branch}`)
  const licenses = await licensesAt(repository, head?.id, licenseDetector)
  if (!licenses.ok) return licenses
  const measured = {
    size,
    is_empty: branches === 0,
    branch_count: branches,
    licenses: licenses.value,
    look,
  }
  return done(await updateMeasured(sql, row.id, measured))
}

/** The result of a pass over all repositories. */
interface VisitResult {
  /** Number of repositories visited. */
  count: number
  /** Number of visits that returned true. */
  changed: number
  /** Names of the repositories whose visit failed. */
  failed: string[]
}

/**
 * Visits all repositories one after another, except those without a directory.
 * @throws Error if git is missing or busy, since then all other visits would fail too
 */
async function visitAll(
  { gitService }: Tools,
  { sql, signal, log }: CronRun,
  visit: (row: Repository, repository: OpenRepository) => Promise<GitOutcome<boolean>>,
): Promise<VisitResult> {
  const result: VisitResult = { count: 0, changed: 0, failed: [] }
  for await (const row of allRepositories(sql)) {
    signal.throwIfAborted()
    const repository = gitService.repositories.open(folderOf(row))
    if (!repository || !(await gitService.repositories.exists(folderOf(row)))) continue
    const visited = await visit(row, repository)
    if (!visited.ok && isGone(visited.fault)) continue
    result.count++
    if (visited.ok && visited.value) result.changed++
    if (visited.ok) continue
    const name = `${row.folder_owner}/${row.folder_name}`
    result.failed.push(name)
    log.error('maintenance of a repository failed', { repository: name, error: visited.fault.log })
  }
  return result
}

/** Whether a repository was deleted during the visit. @throws Error for a failure that affects all repositories */
function isGone({ kind }: GitFault): boolean {
  if (kind === 'missing') throw new Error('there is no git program')
  if (kind === 'busy' || kind === 'cancelled') throw new Error('git is busy')
  return kind === 'gone'
}

/** The first names, and the number of the others. */
function summary(names: readonly string[]): string {
  const more = names.length - maxNames
  return names.slice(0, maxNames).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

import type { CronRun, CronTask } from '../../background/cron/cron-task.ts'
import { done, type GitFault, type GitOutcome } from '../../git/program/outcome.ts'
import { packRepository, verifyRepository } from '../../git/repository/maintenance.ts'
import { listRefs } from '../../git/repository/refs.ts'
import { allRepositories } from './census.ts'
import { type DirectoryDeps, repair, settle } from './directory.ts'
import { drawLook, folderOf, type Repository, updateMeasured } from './repo-store.ts'

/** Tasks over the repositories and their directories. */

type Tools = DirectoryDeps['tools']

/** How long a repository is taken to be still in the making, in milliseconds. */
const stillMaking = 10 * 60_000

/** How long what lies among unfinished work may still belong to somebody, in milliseconds. */
const stillUsed = 24 * 3_600_000

/** Most names that the result of a task tells. */
const mostTold = 10

/** Reads all objects of all repositories. What is damaged is told, never touched. */
export const repoHealthCheck = (tools: Tools): CronTask => ({
  name: 'repo_health_check',
  schedule: '@midnight',
  run: async (run) => {
    const { git } = tools.gitService
    const { count, refused } = await overAll(tools, run, async (_, path) => {
      const verified = await verifyRepository(git, path, run.signal)
      return verified.ok ? done(false) : verified
    })
    if (refused.length > 0) throw new Error(`${refused.length} of ${count} damaged: ${told(refused)}`)
    return count > 0 ? `${count} sound` : undefined
  },
})

/** Sizes and numbers of branches as they are on the disk. */
export const checkRepoStats = (tools: Tools): CronTask => ({
  name: 'check_repo_stats',
  schedule: '@midnight',
  run: async (run) => {
    const { changed, refused } = await overAll(tools, run, (row, path) => remeasure(tools, run, row, path))
    if (refused.length > 0) throw new Error(`${changed} corrected; cannot be read: ${told(refused)}`)
    return changed > 0 ? `${changed} corrected` : undefined
  },
})

/** Removes what was made and never put in its place, because a process died over it. */
export const archiveCleanup = ({ gitService }: Tools): CronTask => ({
  name: 'archive_cleanup',
  schedule: '@midnight',
  runAtStart: true,
  run: async ({ now }) => {
    const removed = await gitService.repositories.tidy(new Date(now.getTime() - stillUsed))
    return removed > 0 ? `${removed} removed` : undefined
  },
})

/** Packs what lies loose. On, unlike in the original, because pushes do not wait for git to do it by itself. */
export const gitGcRepos = (tools: Tools): CronTask => ({
  name: 'git_gc_repos',
  schedule: '@every 72h',
  run: async (run) => {
    const { changed, refused } = await overAll(tools, run, async (row, path) => {
      const packed = await packRepository(tools.gitService.git, path, run.signal)
      if (packed.ok && packed.value) await remeasure(tools, run, row, path)
      return packed
    })
    if (refused.length > 0) throw new Error(`${changed} packed; git refused: ${told(refused)}`)
    return changed > 0 ? `${changed} packed` : undefined
  },
})

/** Brings to its end what a crash left between rows and directories. */
export const repairRepos = (tools: Tools): CronTask => ({
  name: 'repair_repos',
  schedule: '@every 10m',
  runAtStart: true,
  run: async (run) => {
    const repaired = await repair({ ...run, tools }, new Date(run.now.getTime() - stillMaking))
    return repaired > 0 ? `${repaired} repaired` : undefined
  },
})

/** Moves what a crash, or somebody else's directory, kept under a former name. Until then all works from there. */
export const settleRepos = (tools: Tools): CronTask => ({
  name: 'settle_repos',
  schedule: '@midnight',
  runAtStart: true,
  run: async (run) => {
    const { moved, left } = await settle({ ...run, tools }, null)
    if (left > 0)
      run.log.warn('repositories lie under a former name, because their place is taken', { count: left })
    return moved > 0 ? `${moved} moved` : undefined
  },
})

async function remeasure(
  { gitService }: Tools,
  { sql }: CronRun,
  row: Repository,
  path: string,
): Promise<GitOutcome<boolean>> {
  const look = await drawLook(sql)
  const listed = await listRefs(gitService.git, path, ['refs/heads'])
  if (!listed.ok) return listed
  const branches = listed.value.length
  const size = await gitService.repositories.bytes(folderOf(row))
  const measured = { size, is_empty: branches === 0, branch_count: branches, look }
  return done(await updateMeasured(sql, row.id, measured))
}

/** What became of a walk over all repositories. */
interface Walked {
  /** Visited. */
  count: number
  /** Of which the visit gave true. */
  changed: number
  /** Names of those that it could not be done with. */
  refused: string[]
}

/**
 * Visits all repositories, one after another, but for those without a directory.
 * @throws Error when none of the others can be visited either
 */
async function overAll(
  { gitService }: Tools,
  { sql, signal, log }: CronRun,
  visit: (row: Repository, path: string) => Promise<GitOutcome<boolean>>,
): Promise<Walked> {
  const walked: Walked = { count: 0, changed: 0, refused: [] }
  for await (const row of allRepositories(sql)) {
    signal.throwIfAborted()
    const path = gitService.repositories.path(folderOf(row))
    if (path === undefined || !(await gitService.repositories.exists(folderOf(row)))) continue
    const visited = await visit(row, path)
    if (!visited.ok && isGone(visited.fault)) continue
    walked.count++
    if (visited.ok && visited.value) walked.changed++
    if (visited.ok) continue
    const name = `${row.folder_owner}/${row.folder_name}`
    walked.refused.push(name)
    log.error('a repository could not be looked after', { repository: name, error: visited.fault.log })
  }
  return walked
}

/** Whether a repository was removed while it was visited. @throws Error for what is true of all repositories */
function isGone({ kind }: GitFault): boolean {
  if (kind === 'missing') throw new Error('there is no git program')
  if (kind === 'busy' || kind === 'cancelled') throw new Error('git is busy')
  return kind === 'gone'
}

/** Some names, and how many more there are. */
function told(names: readonly string[]): string {
  const more = names.length - mostTold
  return names.slice(0, mostTold).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

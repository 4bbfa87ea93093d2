import type { CronTask } from '../../../background/cron/cron-task.ts'
import { removePullRef } from '../../../git/repository/merging/pull-refs.ts'
import { folderOf } from '../../repos/repo-store.ts'
import type { ForgeTools } from '../../route.ts'
import { deleteRemovedPull, removedPulls } from './removed-pull-store.ts'

/** The task that removes the refs of deleted pull requests, so that nobody can fetch their commits any more. */
export const removePullRefsTask = ({ gitService }: Pick<ForgeTools, 'gitService'>): CronTask => ({
  name: 'remove_pull_refs',
  summary: 'Removes the refs of deleted pull requests, so that nobody can fetch their commits.',
  schedule: '@every 1m',
  run: async ({ sql, signal, log }) => {
    let [count, failed] = [0, 0]
    for (const pull of await removedPulls(sql)) {
      signal.throwIfAborted()
      const repository = gitService.repositories.open(folderOf(pull))
      const removed = repository && (await removePullRef(repository, pull.number))
      if (removed?.ok) {
        await deleteRemovedPull(sql, pull)
        count++
      } else if (removed && removed.fault.kind !== 'gone') {
        failed++
        const where = { repository: `${pull.folder_owner}/${pull.folder_name}`, number: pull.number }
        log.error('cannot remove the ref of a pull request', { ...where, error: removed.fault.log })
      }
      // One without its directory, for example while that is moved, has its turn again.
    }
    if (failed > 0) throw new Error(`${count} removed, ${failed} failed`)
    return count > 0 ? `${count} removed` : undefined
  },
})

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
  run: async ({ sql, signal }) => {
    let count = 0
    for (const pull of await removedPulls(sql)) {
      signal.throwIfAborted()
      const repository = gitService.repositories.open(folderOf(pull))
      const removed = repository && (await removePullRef(repository, pull.number))
      // Without its directory, for example while it is moved, it has its turn again.
      if (!removed || (!removed.ok && removed.fault.kind === 'gone')) continue
      if (!removed.ok) throw new Error(removed.fault.log)
      await deleteRemovedPull(sql, pull)
      count++
    }
    return count > 0 ? `${count} removed` : undefined
  },
})

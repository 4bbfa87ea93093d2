import { relationOf } from '../../../git/repository/merging/relation.ts'
import { mergeCommit, rebaseCommits } from '../../../git/repository/merging/ways.ts'
import { conflict, forbidden, found, unprocessable } from '../../../http/route/problem.ts'
import { signatureOf } from '../../accounts/commit-names.ts'
import { LEVELS } from '../../permissions/access-level-store.ts'
import { changeRefs, type RefRequest } from '../../push/change-refs.ts'
import { commitOfBranch, gitValue, openToWrite } from '../../repos/code.ts'
import { SETTINGS } from '../../repos/repo.shape.ts'
import { pullToMerge } from './merge-store.ts'

/** The ways of bringing the base branch into the head branch. */
export const UPDATE_STYLES = ['merge', 'rebase'] as const
type UpdateStyle = (typeof UPDATE_STYLES)[number]

/**
 * Brings the commits of the base branch into the head branch of an open pull request, by a push of the caller. The head branch
 * must be in the same repository: with a fork, its owner does it there. Without a style, that of the repository.
 * @throws Problem 403, 404, 409 conflicts or the branch has moved, 422 merged or closed, 423 archived, 503
 */
export async function updateHead(
  context: RefRequest,
  number: number,
  requested: UpdateStyle | undefined,
): Promise<void> {
  const code = await openToWrite(context)
  const style = requested ?? (code.row.settings.default_update_style === 'rebase' ? 'rebase' : 'merge')
  const pull = found(await pullToMerge(context.sql, code.row.id, number))
  if (pull.merged_at !== null) throw unprocessable('pull request is already merged')
  if (pull.closed_at !== null) throw unprocessable('pull request is already closed')
  const setting = style === 'merge' ? 'allow_merge_update' : 'allow_rebase_update'
  const isAllowed = code.row.settings[setting] ?? SETTINGS[setting]
  if (!isAllowed || context.caller.repo.level < LEVELS.write || pull.head_repository_id !== code.row.id)
    throw forbidden('you may not update the head branch')
  // The head takes the place of the base: it is the branch that moves.
  const base = found(await commitOfBranch(code, pull.head_branch))
  const head = found(await commitOfBranch(code, pull.base_branch))
  const { ahead, mergeBase } = gitValue(await relationOf(code, { base, head }))
  if (ahead === 0) return
  const { repositories } = context.tools.gitService.forRequest(context.from)
  const target = { repositories, repository: code }
  const signature = signatureOf(context.caller.me, context)
  const message = `Merge branch '${pull.base_branch}' into ${pull.head_branch}`
  const made = gitValue(
    style === 'merge'
      ? await mergeCommit(
          target,
          { base, head, mergeBase },
          { author: signature, committer: signature, message },
        )
      : await rebaseCommits(target, { base: head, head: base, mergeBase }, signature),
  )
  if (made.kind === 'too many') throw unprocessable(`at most ${made.most} commits can be rebased`)
  if (made.kind !== 'made') throw conflict(`${style} failed because of conflict`)
  const ref = `refs/heads/${pull.head_branch}`
  const moving = { ...context, written: made.written }
  await changeRefs(moving, code.row, [{ ref, before: base, after: made.commit }])
}

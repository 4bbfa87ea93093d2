import type { Tx } from '../../db/sql.ts'
import { type Account, accountById } from '../accounts/account-store.ts'
import type { GitService } from '../git-service.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { lockIssue, updateIssue } from '../issues/issue-store.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { emitIssueActivity } from '../watching/events.ts'
import { cancelAutoMerge } from './merging/auto-merge.ts'
import { actingAs, emitPullEvents } from './pull-events.ts'
import { openPullsOf, setHeadBranches } from './pull-store.ts'

/** Who has pushed to the repository of an id; `host` is the root of links. */
export interface PushSender {
  id: number
  sender: Account
  host: string
  tools: { gitService: GitService }
}

/** Closes the open pull requests that propose deleted branches, or propose something for them. */
export async function closePullsOf(
  tx: Tx,
  { sender, host, tools, id }: PushSender,
  branches: readonly string[],
): Promise<void> {
  if (branches.length === 0) return
  await setHeadBranches(tx, id, { branches, exist: false })
  for (const pull of await openPullsOf(tx, id, branches)) {
    const base = await repositoryById(tx, pull.repository_id)
    const owner = base && (await accountById(tx, base.owner_id))
    const issue = await lockIssue(tx, pull.repository_id, pull.number)
    if (!owner || !issue || issue.closed_at !== null) continue
    await updateIssue(tx, issue.id, {
      ...issue,
      milestone_id: issue.milestone?.id ?? null,
      closed_at: tx.now,
    })
    const isBase = pull.repository_id === id && branches.includes(pull.base_branch)
    const branch = isBase ? pull.base_branch : pull.head_branch
    await cancelAutoMerge(tx, { issue: issue.id, actor: sender.id })
    await recordHappenings(tx, { issue: issue.id, actor: sender.id }, [
      { type: 'delete_branch', old_text: branch },
      { type: 'close' },
    ])
    await emitIssueActivity(tx, {
      issue: issue.id,
      actor: sender.id,
      audience: true,
      names: [],
      accounts: [],
    })
    const context = actingAs({ sender, owner, base }, { gitService: tools.gitService, host })
    await emitPullEvents(tx, context, issue.id, [{ action: 'closed' }])
  }
}

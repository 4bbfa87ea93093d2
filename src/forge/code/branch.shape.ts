import * as v from 'valibot'
import type { CommitObject, StoredCommit } from '../../git/repository/commit.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import type { Account } from '../accounts/account.ts'
import { emailKey } from '../accounts/account-by-email.ts'
import { describedField, option, optionalFlag, optionalText, text } from '../protocol/fields.ts'
import { gitRefName, maxSize, required } from '../protocol/rules.ts'
import { PayloadUser, printVerification, Verification } from './verification.shape.ts'

/** A commit as branches show it; the same members as in the payloads of webhooks. */
const PayloadCommit = shape('PayloadCommit', {
  id: v.string(),
  message: v.string(),
  url: v.string(),
  author: PayloadUser,
  committer: PayloadUser,
  verification: Verification,
  timestamp: described(
    v.string(),
    'When its author made it, with the offset of the commit; empty if unreadable',
  ),
  added: described(v.null(), 'Always null here: webhooks list the paths'),
  removed: described(v.null(), 'Always null here'),
  modified: described(v.null(), 'Always null here'),
})

/** Branch of the original. */
export const Branch = shape('Branch', {
  name: v.string(),
  commit: PayloadCommit,
  protected: v.boolean(),
  required_approvals: int,
  enable_status_check: v.boolean(),
  status_check_contexts: v.array(v.string()),
  user_can_push: described(v.boolean(), 'Whether the caller may push to it'),
  user_can_merge: described(v.boolean(), 'The same, as there are no pull requests'),
  effective_branch_protection_name: described(v.string(), 'For administrators of the repository'),
})
export type Branch = v.InferOutput<typeof Branch>

const branchName = (words: string) => describedField(text(required, gitRefName, maxSize(100)), words)

/** CreateBranchRepoOption of the original. */
export const CreateBranchRepoOption = option('CreateBranchRepoOption', {
  new_branch_name: branchName('Name of the new branch'),
  old_branch_name: describedField(
    optionalText(gitRefName, maxSize(100)),
    'The former name of `old_ref_name`',
  ),
  old_ref_name: describedField(
    optionalText(gitRefName, maxSize(100)),
    'Branch, tag or commit that it starts from; empty: the default branch',
  ),
})

/** RenameBranchRepoOption of the original. */
export const RenameBranchRepoOption = option('RenameBranchRepoOption', { name: branchName('The new name') })

/** UpdateBranchRepoOption of the original. */
export const UpdateBranchRepoOption = option('UpdateBranchRepoOption', {
  new_commit_id: describedField(
    text(required),
    'Commit that the branch is to point to, or a ref that leads to one',
  ),
  old_commit_id: describedField(optionalText(), 'Commit that the branch must point to now; empty: any'),
  force: describedField(optionalFlag(), 'Also if commits of the branch are lost by it'),
})

/** What rules for branches say of one, for a caller. */
interface BranchRights {
  canPush: boolean
}

/** `home`: address of the repository's page; `authors`: accounts by e-mail address. */
export function printBranch(
  { name, commit }: { name: string; commit: StoredCommit },
  { home, authors, canPush }: { home: string; authors: ReadonlyMap<string, Account> } & BranchRights,
): Branch {
  const userOf = ({ name, email }: CommitObject['author']) => ({
    name,
    email,
    username: authors.get(emailKey(email))?.name ?? '',
  })
  const { id, message, author, committer } = commit
  return {
    name,
    commit: {
      id,
      message,
      url: `${home}/commit/${id}`,
      author: userOf(author),
      committer: userOf(committer),
      verification: printVerification(commit),
      timestamp: author.at,
      added: null,
      removed: null,
      modified: null,
    },
    protected: false,
    required_approvals: 0,
    enable_status_check: false,
    status_check_contexts: [],
    user_can_push: canPush,
    user_can_merge: canPush,
    effective_branch_protection_name: '',
  }
}

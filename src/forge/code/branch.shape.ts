import * as v from 'valibot'
import type { CommitObject, StoredCommit } from '../../git/repository/commit.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { type BranchRule, mayMerge, mayPush } from '../protection/branch-rules.ts'
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
  protected: described(v.boolean(), 'Whether a rule applies to it'),
  required_approvals: described(int, 'What its rule says, 0 without'),
  enable_status_check: described(v.boolean(), 'What its rule says, false without'),
  status_check_contexts: described(v.array(v.string()), 'What its rule says, empty without'),
  user_can_push: described(v.boolean(), 'Whether the caller may push to it'),
  user_can_merge: described(
    v.boolean(),
    'Whether the rules let the caller merge pull requests into it, which this server does not have',
  ),
  effective_branch_protection_name: described(
    v.string(),
    'The name of its rule, for administrators of the repository; otherwise empty',
  ),
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

/** What all branches of an answer have in common. */
interface BranchView {
  /** Address of the repository's page. */
  home: string
  /** Accounts by e-mail address. */
  authors: ReadonlyMap<string, Account>
  /** Whether the caller may write to the code. */
  canWrite: boolean
  /** Whether the caller administers the repository. */
  isAdmin: boolean
}

/** `rule`: that of the branch, as it concerns the caller; undefined: the branch is not protected. */
export function printBranch(
  { name, commit, rule }: { name: string; commit: StoredCommit; rule: BranchRule | undefined },
  { home, authors, canWrite, isAdmin }: BranchView,
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
    protected: rule !== undefined,
    required_approvals: rule?.required_approvals ?? 0,
    enable_status_check: rule?.enable_status_check ?? false,
    status_check_contexts: rule?.status_check_contexts ?? [],
    user_can_push: canWrite && (!rule || mayPush(rule)),
    user_can_merge: canWrite && (!rule || mayMerge(rule)),
    effective_branch_protection_name: (isAdmin && rule?.rule_name) || '',
  }
}

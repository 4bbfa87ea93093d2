import * as v from 'valibot'
import type { CommitObject, StoredCommit } from '../../git/repository/commit.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { emailKey } from '../accounts/account-by-email-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { type BranchRule, mayMerge, mayPush } from '../protection/branch-rules.ts'
import type { Signer } from '../ssh-keys/signers.ts'
import { PayloadUser, printVerification, Verification } from './verification.shape.ts'

/** A commit in a branch; the same members as in the payloads of webhooks. */
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
  required_approvals: described(int, 'That of its rule, or 0'),
  enable_status_check: described(v.boolean(), 'That of its rule, or false'),
  status_check_contexts: described(v.array(v.string()), 'Those of its rule, or none'),
  user_can_push: described(v.boolean(), 'Whether the caller may push to it'),
  user_can_merge: described(v.boolean(), 'Whether the caller may merge pull requests into it'),
  effective_branch_protection_name: described(
    v.string(),
    'The name of its rule, for administrators of the repository; otherwise empty',
  ),
})
export type Branch = v.InferOutput<typeof Branch>

/** Facts that all branches of an answer share. */
interface BranchView {
  /** Address of the repository's page. */
  home: string
  /** Accounts by e-mail address. */
  authors: ReadonlyMap<string, Account>
  /** By the ids of commits. */
  signers: ReadonlyMap<string, Signer>
  /** Whether the caller may write to the code. */
  canWrite: boolean
  /** Whether the caller administers the repository. */
  isAdmin: boolean
}

/** `rule`: that of the branch, as it concerns the caller; undefined: the branch is not protected. */
export function printBranch(
  { name, commit, rule }: { name: string; commit: StoredCommit; rule: BranchRule | undefined },
  { home, authors, signers, canWrite, isAdmin }: BranchView,
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
      verification: printVerification(commit, signers.get(id)),
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

import { describedField, flag, option, optionalFlag, text } from '../../protocol/fields.ts'
import { oneOf, required } from '../../protocol/rules.ts'
import { MERGE_STYLES } from './messages.ts'

/** MergePullRequestOption of the original. */
export const MergePullRequestOption = option('MergePullRequestOption', {
  Do: describedField(text(required, oneOf(MERGE_STYLES)), 'The way of merging'),
  MergeTitleField: describedField(text(), 'First line of the message; empty: one that names the request'),
  MergeMessageField: describedField(text(), 'The rest of the message'),
  MergeCommitID: describedField(
    text(),
    'Of `manually-merged`: the commit of the base branch that has the changes',
  ),
  head_commit_id: describedField(text(), 'The head that the caller has seen; refused if it has moved since'),
  delete_branch_after_merge: describedField(
    optionalFlag(),
    'Whether the head branch is deleted; absent: as the repository says',
  ),
  merge_when_checks_succeed: describedField(
    flag(),
    'Whether to merge later, as soon as the rule of the base branch is met',
  ),
  force_merge: describedField(
    flag(),
    'Whether to merge against the rule of the base branch, where the rule allows the caller that',
  ),
})

import { describedField, option, optionalFlag, optionalText, text } from '../protocol/fields.ts'
import { gitRefName, maxSize, required } from '../protocol/rules.ts'

const branchName = (description: string) =>
  describedField(text(required, gitRefName, maxSize(100)), description)

/** CreateBranchRepoOption of the original. */
export const CreateBranchRepoOption = option('CreateBranchRepoOption', {
  new_branch_name: branchName('Name of the new branch'),
  old_branch_name: describedField(
    optionalText(gitRefName, maxSize(100)),
    'The former name of `old_ref_name`',
  ),
  old_ref_name: describedField(
    optionalText(gitRefName, maxSize(100)),
    'Branch, tag or commit from which it starts; empty: the default branch',
  ),
})

/** RenameBranchRepoOption of the original. */
export const RenameBranchRepoOption = option('RenameBranchRepoOption', { name: branchName('The new name') })

/** UpdateBranchRepoOption of the original. */
export const UpdateBranchRepoOption = option('UpdateBranchRepoOption', {
  new_commit_id: describedField(text(required), 'New commit of the branch, or a ref that leads to it'),
  old_commit_id: describedField(optionalText(), 'Required current commit of the branch; empty: any'),
  force: describedField(optionalFlag(), 'Also if the branch loses commits'),
})

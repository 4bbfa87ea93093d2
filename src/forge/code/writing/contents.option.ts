import type * as v from 'valibot'
import { maxMessageLength } from '../../../git/repository/commit.ts'
import {
  describedField,
  flag,
  named,
  objects,
  option,
  optionalMoment,
  optionalObject,
  text,
} from '../../protocol/fields.ts'
import { gitRefName, maxSize, oneOf, required } from '../../protocol/rules.ts'

/** Identity of the original: the author or committer of a commit. */
const Identity = option('Identity', { name: text(maxSize(100)), email: text(maxSize(254)) })

/** CommitDateOptions of the original. */
const CommitDateOptions = option('CommitDateOptions', {
  author: optionalMoment(),
  committer: optionalMoment(),
})

const branchName = (description: string) => describedField(text(gitRefName, maxSize(100)), description)

/** The members of all operations that write files: the commit and its branch. */
const commitMembers = {
  message: describedField(text(maxSize(maxMessageLength)), 'Empty: the server lists the files that changed'),
  branch: named('BranchName', branchName('Branch of the parent; empty: the default branch')),
  new_branch: named('NewBranchName', branchName('Branch of the commit; empty: that of the parent')),
  author: describedField(optionalObject(Identity), 'Absent: the committer, or the caller'),
  committer: describedField(optionalObject(Identity), 'Absent: the author, or the caller'),
  dates: describedField(optionalObject(CommitDateOptions), 'Times of writing and of committing; absent: now'),
  signoff: describedField(flag(), 'Add a line that the committer signs off'),
  force_push: describedField(flag(), 'Whether an existing `new_branch` is overwritten'),
}

const content = describedField(text(), 'Bytes of the file in base64')
const optionalSha = (description: string) => describedField(text(), description)
const fromPath = describedField(text(maxSize(500)), 'Path of the file that is moved here')

/** CreateFileOptions of the original. */
export const CreateFileOptions = option('CreateFileOptions', { ...commitMembers, content })

/** UpdateFileOptions of the original. */
export const UpdateFileOptions = option('UpdateFileOptions', {
  ...commitMembers,
  content,
  sha: optionalSha('Id of the blob that was read; empty: the file is new'),
  from_path: fromPath,
})

/** DeleteFileOptions of the original. */
export const DeleteFileOptions = option('DeleteFileOptions', {
  ...commitMembers,
  sha: describedField(text(required), 'Id of the blob that was read'),
})

/** ChangeFileOperation of the original. */
const ChangeFileOperation = option('ChangeFileOperation', {
  operation: describedField(
    text(required, oneOf(['create', 'update', 'upload', 'rename', 'delete'])),
    '`upload` creates or updates; `rename` keeps the content of `from_path`',
  ),
  path: text(required, maxSize(500)),
  content,
  sha: optionalSha('Id of the blob that was read; empty: any'),
  from_path: fromPath,
})

/** ChangeFilesOptions of the original. */
export const ChangeFilesOptions = option('ChangeFilesOptions', {
  ...commitMembers,
  files: describedField(objects(ChangeFileOperation), 'Changes, each on top of those before it'),
})

/** ApplyDiffPatchFileOptions of the original. */
export const ApplyDiffPatchFileOptions = option('ApplyDiffPatchFileOptions', {
  ...commitMembers,
  content: describedField(text(required), 'The patch, as `git diff` writes it: not base64'),
})

/** The members of all these bodies about the commit. */
export type CommitOptions = Omit<v.InferOutput<typeof ChangeFilesOptions>, 'files'>
export type ChangeOptions = v.InferOutput<typeof ChangeFileOperation>

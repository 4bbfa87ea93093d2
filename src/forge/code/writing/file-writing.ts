import { found, unprocessable } from '../../../http/route/problem.ts'
import { ReplyWith } from '../../../http/route/results.ts'
import { json } from '../../../http/route/sends.ts'
import { Limiter } from '../../../limiter/limiter.ts'
import { usageOf } from '../../../limiter/usage.ts'
import type { RefRequest } from '../../push/change-refs.ts'
import { codeWritten } from '../../repos/access.ts'
import { route } from '../../route.ts'
import { orBusy } from '../or-busy.ts'
import { commitChanges, commitFiles } from './commit-files.ts'
import {
  ApplyDiffPatchFileOptions,
  ChangeFilesOptions,
  type CommitOptions,
  CreateFileOptions,
  DeleteFileOptions,
  UpdateFileOptions,
} from './contents.option.ts'
import { type FileChange, fileChange, maxFiles } from './file-change.ts'
import { FileDeleteResponse, FileResponse, FilesResponse, printCommitted } from './file-response.shape.ts'
import { applyPatchTo } from './patch-changes.ts'
import { contentsAfter } from './written-contents.ts'

/** Operations that change files with a commit. */

/** Maximum files in an answer. */
const maxShown = 30

const writing = {
  access: codeWritten(),
  fails: [403, 404, 409, 422, 423, 503],
  /** Base64 of a file of 24 MiB. */
  largestBody: 32 * 1024 * 1024,
} as const

export const repoCreateFile = route('POST /repos/{owner}/{repo}/contents/{filepath...}', {
  ...writing,
  summary: 'Create a file with a commit',
  body: CreateFileOptions,
  returns: json(201, FileResponse),
  runsGit: true,
  handler: async ({ params, body, ...context }) => {
    const { content } = body
    return committedFile(context, body, fileChange({ operation: 'create', path: params.filepath, content }))
  },
})

export const repoUpdateFile = route('PUT /repos/{owner}/{repo}/contents/{filepath...}', {
  ...writing,
  summary: 'Change or create a file with a commit',
  body: UpdateFileOptions,
  returns: json(200, FileResponse),
  also: [201],
  runsGit: true,
  handler: async ({ params, body, ...context }) => {
    const { content, sha, from_path } = body
    const isNew = sha === ''
    if (isNew && from_path !== '') throw unprocessable('[SHA]: Required')
    const operation = isNew ? 'create' : 'update'
    const change = fileChange({ operation, path: params.filepath, content, sha, from_path })
    const file = await committedFile(context, body, change)
    return isNew ? new ReplyWith(file, { status: 201 }) : file
  },
})

export const repoDeleteFile = route('DELETE /repos/{owner}/{repo}/contents/{filepath...}', {
  ...writing,
  summary: 'Delete a file with a commit',
  body: DeleteFileOptions,
  returns: json(200, FileDeleteResponse),
  runsGit: true,
  handler: async ({ params, body, ...context }) => {
    const change = fileChange({ operation: 'delete', path: params.filepath, sha: body.sha })
    return { content: null, ...printCommitted(await commitFiles(context, body, [change])) }
  },
})

export const repoChangeFiles = route('POST /repos/{owner}/{repo}/contents', {
  ...writing,
  summary: 'Change several files with one commit',
  body: ChangeFilesOptions,
  returns: json(201, FilesResponse),
  runsGit: true,
  handler: async ({ body, ...context }) => {
    if (body.files.length > maxFiles) throw unprocessable(`a commit may change at most ${maxFiles} files`)
    const committed = await commitFiles(context, body, body.files.map(fileChange))
    const shown = committed.changes.slice(0, maxShown)
    const files = await Promise.all(shown.map((change) => contentsAfter(committed, change)))
    return { files, ...printCommitted(committed) }
  },
})

export const repoApplyDiffPatch = route('POST /repos/{owner}/{repo}/diffpatch', {
  ...writing,
  summary: 'Apply a patch with a commit',
  body: ApplyDiffPatchFileOptions,
  returns: json(201, FileResponse),
  runsGit: true,
  handler: async ({ body, ...context }) => {
    const { repositories } = context.tools.gitService
    const commit = () =>
      commitChanges(context, body, {
        message: 'apply-patch',
        apply: (code, editor, tree) => applyPatchTo(repositories, { code, editor, tree }, body.content),
      })
    const committed = await patches.run(commit, {}).catch(orBusy('too many patches are being applied'))
    return { content: null, ...printCommitted(committed) }
  },
})

/** A small patch may change large files, which the server holds in memory until it has written them. */
const patches = new Limiter({ concurrency: 4, queue: 100, usage: usageOf('patches') })

/** @throws Problem 403, 404, 409, 422, 423, 503 */
async function committedFile(context: RefRequest, options: CommitOptions, change: FileChange) {
  const committed = await commitFiles(context, options, [change])
  const [applied] = committed.changes
  const content = found(applied && (await contentsAfter(committed, applied)))
  return { content, ...printCommitted(committed) }
}

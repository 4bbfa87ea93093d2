import { done } from '../../../common/outcome.ts'
import { applyPatch, type PatchedFile, readNewBlobs } from '../../../git/repository/apply-patch.ts'
import type { TreeEditor } from '../../../git/repository/edit-tree.ts'
import type { Repositories } from '../../../git/repository/repositories.ts'
import { newObject } from '../../../git/repository/write-objects.ts'
import { unprocessable } from '../../../http/route/problem.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import { type AppliedChange, maxFiles, moduleMode, pathIn, requireName } from './file-change.ts'

/** Maximum bytes of all files that a patch changes, as they are afterwards. */
const maxBytes = 32 * 1024 * 1024

/**
 * Applies a patch to a tree, apart from the repository, and makes the same changes with the editor of the tree.
 * @throws Problem 422 it does not apply, or changes too much; 503
 */
export async function applyPatchTo(
  repositories: Repositories,
  { code, editor, tree }: { code: Code; editor: TreeEditor; tree: string | undefined },
  patch: string,
): Promise<AppliedChange[]> {
  if (tree === undefined) throw unprocessable('the repository is empty: there is nothing to patch')
  const patched = await filesOf(repositories, code, { tree, patch })
  if (typeof patched === 'string') throw unprocessable(`the patch does not apply: ${patched}`)
  const { files, blobs } = patched
  const [removed, written] = [files.filter(({ after }) => !after), files.filter(({ after }) => after)]
  const applied = [...removed, ...written].map((file) => changeOf(code, file, blobs))
  for (const { change, entry } of applied) {
    const present = gitValue(await editor.find(change.path))
    if (present?.path !== change.path) requireName(change.path)
    gitValue(entry ? await editor.put(change.path, entry) : await editor.remove(change.path))
  }
  return applied
}

/** The files that a patch changes. */
interface Patched {
  files: PatchedFile[]
  /** The contents of the files, by id. */
  blobs: ReadonlyMap<string, Buffer>
}

/** The files that a patch changes, with their contents; a sentence if it cannot be applied. @throws Problem 503 */
async function filesOf(
  repositories: Repositories,
  code: Code,
  { tree, patch }: { tree: string; patch: string },
): Promise<Patched | string> {
  const patched = await repositories.withScratch<Patched | string>(
    code,
    code.row.object_format,
    async (scratch) => {
      const files = await applyPatch(scratch, tree, patch)
      if (!files.ok) return files
      if (typeof files.value === 'string') return done(files.value)
      if (files.value.length > maxFiles) return done(`it changes more than ${maxFiles} files`)
      const ids = files.value.flatMap(({ after }) => (after && after.mode !== moduleMode ? [after.id] : []))
      const blobs = await readNewBlobs(scratch, ids, maxBytes)
      if (blobs.ok) return done({ files: files.value, blobs: blobs.value })
      return blobs.fault.kind === 'large'
        ? done(`it changes files of more than ${maxBytes >> 20} MiB`)
        : blobs
    },
  )
  return gitValue(patched)
}

/** @throws Problem 422 an invalid path */
function changeOf({ row }: Code, file: PatchedFile, blobs: ReadonlyMap<string, Buffer>): AppliedChange {
  // A name in another encoding is not the name of the file as git decoded it.
  const path = pathIn(file.path.includes('\ufffd') ? '' : file.path)
  const content = blobs.get(file.after?.id ?? '')
  return {
    change: {
      operation: file.after ? 'upload' : 'delete',
      path,
      from: path,
      sha: '',
      content: content ?? Buffer.alloc(0),
    },
    entry: file.after,
    isChanged: true,
    blob: content && newObject(row.object_format, 'blob', content),
  }
}

import { isTreePath } from '../../../git/program/names.ts'
import type { PlacedEntry, TreeEditor } from '../../../git/repository/edit-tree.ts'
import { folderMode } from '../../../git/repository/tree-object.ts'
import { type NewObject, newObject } from '../../../git/repository/write-objects.ts'
import { notFound, unprocessable } from '../../../http/route/problem.ts'
import { decodeBase64 } from '../base64.ts'
import { type Code, gitValue } from '../code.ts'
import type { ChangeOptions } from './contents.option.ts'

/** A change of a file, checked as far as it can be without the repository. */
export interface FileChange {
  operation: ChangeOptions['operation']
  path: string
  /** Where the file is before; the same path unless it is moved. */
  from: string
  /** Id of the blob that the caller has read; "": any. */
  sha: string
  content: Buffer
}

/** What became of a change. */
export interface AppliedChange {
  change: FileChange
  /** What is at the path now; undefined: nothing. */
  entry: PlacedEntry | undefined
  /** Whether the path had something else before. */
  isChanged: boolean
  /** The content, unless it is in the repository already. */
  blob: NewObject | undefined
}

/** Maximum files that one commit changes: each is written and synced for itself. */
export const maxFiles = 1000

const linkMode = '120000'
export const moduleMode = '160000'

/** @throws Problem 422 not a path, not base64 */
export function fileChange({
  operation,
  path: given,
  from_path,
  sha,
  content: encoded,
}: Pick<ChangeOptions, 'operation' | 'path'> & Partial<ChangeOptions>): FileChange {
  const content = decodeBase64(encoded ?? '')
  if (typeof content === 'number') throw unprocessable(`illegal base64 data at input byte ${content}`)
  const path = pathIn(given)
  return { operation, path, from: from_path ? pathIn(from_path) : path, sha: sha ?? '', content }
}

/** @throws Problem 422 */
export function pathIn(given: string): string {
  const path = given.replace(/^\/|\/$/g, '')
  const isTooLong = path.split('/').some((part) => Buffer.byteLength(part) > maxNameBytes)
  if (isTreePath(path) && !isTooLong) return path
  throw unprocessable(`path contains a malformed path component [path: ${given}]`)
}

/** What file systems can take. */
const maxNameBytes = 255

/**
 * Makes a change on top of those before it.
 * @throws Problem 404 no such file, 422 another one has been read or is in the way, 503
 */
export async function applyChange(
  { row }: Code,
  editor: TreeEditor,
  change: FileChange,
): Promise<AppliedChange> {
  const { operation, path, from, content } = change
  const source = operation === 'create' ? undefined : await sourceOf(editor, change)
  if (operation === 'delete') {
    gitValue(await editor.remove(path))
    return { change, entry: undefined, isChanged: true, blob: undefined }
  }
  await requireRoom(editor, change)
  const keeps = operation === 'rename' ? source : undefined
  const blob = keeps ? undefined : newObject(row.object_format, 'blob', content)
  const mode = source?.mode === executable ? executable : plain
  const entry = keeps ?? { mode, id: blob?.id ?? '' }
  if (source && from !== path) gitValue(await editor.remove(from))
  gitValue(await editor.put(path, entry))
  return { change, entry, isChanged: from !== path || source?.id !== entry.id, blob }
}

const [plain, executable] = ['100644', '100755']

/**
 * What is changed; undefined where `upload` finds nothing.
 * @throws Problem 404, 422
 */
async function sourceOf(
  editor: TreeEditor,
  { operation, from, path, sha }: FileChange,
): Promise<PlacedEntry | undefined> {
  const found = gitValue(await editor.find(from))
  const source = found?.path === from ? { mode: found.mode, id: found.id } : undefined
  if (!source && operation !== 'upload') throw notFound(`object does not exist [id: , rel_path: ${from}]`)
  if (sha !== '' && sha !== source?.id)
    throw unprocessable(`sha does not match [given: ${sha}, expected: ${source?.id ?? ''}]`)
  const isFolder = source?.mode === folderMode
  if (isFolder && (operation === 'delete' || from !== path))
    throw unprocessable(`a directory can only be changed file by file [path: ${from}]`)
  return source
}

/** @throws Problem 422 something is in the way */
async function requireRoom(editor: TreeEditor, { operation, path, from }: FileChange): Promise<void> {
  const found = gitValue(await editor.find(path))
  if (!found) return
  const where = `[path: ${found.path}]`
  if (found.path !== path)
    throw unprocessable(`a file exists where you’re trying to create a subdirectory ${where}`)
  if (found.mode === linkMode && operation !== 'rename')
    throw unprocessable(`a symbolic link exists where you’re trying to create a subdirectory ${where}`)
  if (found.mode === folderMode)
    throw unprocessable(`a directory exists where you’re trying to create a file ${where}`)
  if (found.mode === moduleMode)
    throw unprocessable(`a submodule exists where you’re trying to create a file ${where}`)
  if (operation === 'create' || from !== path) throw unprocessable(`repository file already exists ${where}`)
}

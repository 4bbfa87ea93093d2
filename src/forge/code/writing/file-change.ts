import { isStoredPath, isTreePath } from '../../../git/program/names.ts'
import type { PlacedEntry, TreeEditor } from '../../../git/repository/edit-tree.ts'
import { folderMode } from '../../../git/repository/tree-object.ts'
import { type NewObject, newObject } from '../../../git/repository/write-objects.ts'
import { notFound, unprocessable } from '../../../http/route/problem.ts'
import { decodeBase64 } from '../../protocol/base64.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import type { ChangeOptions } from './contents.option.ts'

/** A change of a file, checked as far as it can be without the repository. */
export interface FileChange {
  operation: ChangeOptions['operation']
  path: string
  /** Where the file was before; the same path unless it is moved. */
  from: string
  /** Id of the blob that the caller has read; "": any. */
  sha: string
  content: Buffer
}

/** The result of a change. */
export interface AppliedChange {
  change: FileChange
  /** The entry at the path now; undefined: none. */
  entry: PlacedEntry | undefined
  /** Whether the path had something else before. */
  isChanged: boolean
  /** The content, unless it is in the repository already. */
  blob: NewObject | undefined
}

/** Maximum files that one commit changes: the server writes and syncs each of them separately. */
export const maxFiles = 1000

const linkMode = '120000'
export const moduleMode = '160000'

/** @throws Problem 422 not a path, not base64 */
export function fileChange({
  operation,
  path,
  from_path,
  sha,
  content: encoded,
}: Pick<ChangeOptions, 'operation' | 'path'> & Partial<ChangeOptions>): FileChange {
  const content = decodeBase64(encoded ?? '')
  if (typeof content === 'number') throw unprocessable(`illegal base64 data at input byte ${content}`)
  const target = pathIn(path)
  return { operation, path: target, from: from_path ? pathIn(from_path) : target, sha: sha ?? '', content }
}

/** A path that a commit may have; whether it may be a new one is another question (`requireName`). @throws Problem 422 */
export function pathIn(text: string): string {
  const path = text.replace(/^\/|\/$/g, '')
  if (isStoredPath(path)) return path
  throw malformed(text)
}

/** What a push has brought can be changed and removed, but no new file gets a name that is hard to use. @throws Problem 422 */
export function requireName(path: string): void {
  const isTooLong = path.split('/').some((part) => Buffer.byteLength(part) > maxNameBytes)
  if (isTooLong || !isTreePath(path)) throw malformed(path)
}

const malformed = (path: string) => unprocessable(`path contains a malformed path component [path: ${path}]`)

/** Maximum bytes of a name that file systems accept. */
const maxNameBytes = 255

/**
 * Makes a change on top of the changes before it.
 * @throws Problem 404 no such file, 422 the client has read another one, or an entry blocks the path, 503
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
 * The entry that a change replaces; undefined if `upload` finds none.
 * @throws Problem 404, 422
 */
async function sourceOf(
  editor: TreeEditor,
  { operation, from, path, sha }: FileChange,
): Promise<PlacedEntry | undefined> {
  const entry = gitValue(await editor.find(from))
  const source = entry?.path === from ? { mode: entry.mode, id: entry.id } : undefined
  if (!source && operation !== 'upload') throw notFound(`object does not exist [id: , rel_path: ${from}]`)
  if (sha !== '' && sha !== source?.id)
    throw unprocessable(`sha does not match [given: ${sha}, expected: ${source?.id ?? ''}]`)
  const isFolder = source?.mode === folderMode
  if (isFolder && (operation === 'delete' || from !== path))
    throw unprocessable(`a directory can only be changed file by file [path: ${from}]`)
  return source
}

/** @throws Problem 422 an entry blocks the path, or a new file may not be called so */
async function requireRoom(editor: TreeEditor, { operation, path, from }: FileChange): Promise<void> {
  const entry = gitValue(await editor.find(path))
  if (!entry) return requireName(path)
  const where = `[path: ${entry.path}]`
  if (entry.path !== path)
    throw unprocessable(`a file exists where you’re trying to create a subdirectory ${where}`)
  if (entry.mode === linkMode && operation !== 'rename')
    throw unprocessable(`a symbolic link exists where you’re trying to create a subdirectory ${where}`)
  if (entry.mode === folderMode)
    throw unprocessable(`a directory exists where you’re trying to create a file ${where}`)
  if (entry.mode === moduleMode)
    throw unprocessable(`a submodule exists where you’re trying to create a file ${where}`)
  if (operation === 'create' || from !== path) throw unprocessable(`repository file already exists ${where}`)
}

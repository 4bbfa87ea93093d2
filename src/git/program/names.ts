import { isAbsolute, join } from 'node:path'

/**
 * One segment of a path on disk: no separator or control character, never `.`, `..` or `-…`. Repositories may start
 * with a dot (`.profile`); owners may not, so `.temporary` cannot be an owner.
 */
const ownerPattern = /^[a-z0-9_][a-z0-9_.-]{0,99}$/
const repositoryPattern = /^[a-z0-9_.][a-z0-9_.-]{0,99}$/

/** Whether a lower-case name may be the folder of an owner. Which names the forge allows is decided elsewhere. */
export const isOwnerFolder = (name: string): boolean => ownerPattern.test(name)

/** Whether a lower-case name, without `.git`, may be the folder of a repository. */
export const isRepositoryFolder = (name: string): boolean =>
  repositoryPattern.test(name) && name !== '.' && name !== '..'

/** `<root>/<owner>/<name>.git`, in lower case; undefined if either name is unusable. */
export function repositoryPath(root: string, owner: string, name: string): string | undefined {
  const [parent, folder] = [owner.toLowerCase(), name.toLowerCase()]
  const isUsable = isAbsolute(root) && isOwnerFolder(parent) && isRepositoryFolder(folder)
  return isUsable ? join(root, parent, `${folder}.git`) : undefined
}

/** A full object id: 40 hexadecimal digits for SHA-1, 64 for SHA-256. */
export const isObjectId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

/** The null id: the old id of a created ref, and the new id of a deleted one. */
export const isZeroId = (id: string): boolean => /^0+$/.test(id)

/** The null id of the same object format as an id. */
export const zeroIdOf = (id: string): string => '0'.repeat(id.length)

/** The id of the tree without entries, of the same object format as an id. */
export const emptyTreeOf = (id: string): string =>
  id.length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * Whether a short branch or tag name is well-formed (git-check-ref-format(1), rules 1 to 9), does not start with `-`
 * (rule of `--branch`), and is not `HEAD`. Names with U+FFFD are invalid: malformed UTF-8 is read as that character, so
 * such a name could not be distinguished from others. So are parts that, with `.lock`, are too long for the name of a file.
 */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.length > 250) return false
  if (name.startsWith('-') || name.endsWith('.') || !name.isWellFormed() || name.includes('\ufffd'))
    return false
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(name) || name.includes('..') || name.includes('@{')) return false
  return name.split('/').every((part) => part !== '' && !/^\.|\.lock$/.test(part) && fitsInFileName(part))
}

const fitsInFileName = (part: string) => Buffer.byteLength(part) + '.lock'.length <= 255

/** Whether a push may change a ref: a well-formed name under `refs/heads/`, `refs/tags/` or `refs/notes/`. */
export function isPushableRef(ref: string): boolean {
  const name = /^refs\/(?:heads|tags|notes)\/(.+)$/s.exec(ref)?.[1]
  return name !== undefined && isBranchName(name)
}

/** Whether a ref holds notes (git-notes(1)). */
export const isNotesRef = (ref: string): boolean => ref.startsWith('refs/notes/')

/** Whether a path inside a commit may be written: one that may be read, without backslashes and control characters. */
export const isTreePath = (path: string): boolean => isStoredPath(path) && !/[\x00-\x1f\x7f\\]/.test(path)

/**
 * Whether a path inside a commit may be read: relative, no empty, `.` or `..` segment, nothing that some file system
 * takes for `.git`. A push may bring backslashes and control characters.
 */
export function isStoredPath(path: string): boolean {
  if (path === '' || path.length > 4096 || !path.isWellFormed() || path.includes('\0')) return false
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !isGitFolder(part))
}

/** Whether Windows, which ignores the text after a colon, or macOS, which ignores some characters, takes it for `.git`. */
const isGitFolder = (part: string) =>
  /^(?:\.git|git~1)[ .]*(?::.*)?$/i.test(part.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, ''))

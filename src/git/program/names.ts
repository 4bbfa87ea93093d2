import { isAbsolute, join } from 'node:path'

/**
 * One segment of a path on disk: no separator, no control character, never `.`, `..` or `-…`. A leading dot is for
 * repositories (`.profile`); owners have none, which leaves `.temporary` to us.
 */
const ownerPattern = /^[a-z0-9_][a-z0-9_.-]{0,99}$/
const repositoryPattern = /^[a-z0-9_.][a-z0-9_.-]{0,99}$/

/** Whether a name, lower-cased, may be the folder of an owner. Which names the forge allows is its own matter. */
export const isOwnerFolder = (name: string): boolean => ownerPattern.test(name)

/** Whether a name, lower-cased and without `.git`, may be the folder of a repository. */
export const isRepositoryFolder = (name: string): boolean =>
  repositoryPattern.test(name) && name !== '.' && name !== '..'

/** `<root>/<owner>/<name>.git`, lower-cased; undefined when either is no usable name. */
export function repositoryPath(root: string, owner: string, name: string): string | undefined {
  const [parent, folder] = [owner.toLowerCase(), name.toLowerCase()]
  const isUsable = isAbsolute(root) && isOwnerFolder(parent) && isRepositoryFolder(folder)
  return isUsable ? join(root, parent, `${folder}.git`) : undefined
}

/** An object id in full: 40 hexadecimal digits for SHA-1, 64 for SHA-256. */
export const isObjectId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)

/** The beginning of an object id, long enough to be taken for one: seven digits, as Gitea wants them. */
export const isShortId = (text: string): boolean => /^[0-9a-f]{7,63}$/.test(text)

/** The id that stands for "nothing": before a ref is made, after it is deleted. */
export const isZeroId = (id: string): boolean => /^0+$/.test(id)

/**
 * Whether a short branch or tag name is well-formed (git-check-ref-format(1), rules 1 to 9), and does not begin with
 * `-` (rule of `--branch`), nor call itself `HEAD`. Bytes that are no UTF-8 are read as U+FFFD, so that nobody could
 * tell such a name from others, or write it anywhere.
 */
export function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name === 'HEAD' || name.length > 250) return false
  if (name.startsWith('-') || name.endsWith('.') || !name.isWellFormed() || name.includes('\ufffd'))
    return false
  if (/[\x00-\x20\x7f~^:?*[\\]/.test(name) || name.includes('..') || name.includes('@{')) return false
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
}

/** A ref that a push may change: a well-formed name under `refs/heads/` or `refs/tags/`. */
export function isPushableRef(ref: string): boolean {
  const name = /^refs\/(?:heads|tags)\/(.+)$/s.exec(ref)?.[1]
  return name !== undefined && isBranchName(name)
}

/**
 * A path inside a commit: relative, no empty, `.` or `..` segment, nothing that is `.git` to some file system, no
 * control characters.
 */
export function isTreePath(path: string): boolean {
  if (path === '' || path.length > 4096 || !path.isWellFormed() || /[\x00-\x1f\x7f\\]/.test(path))
    return false
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/^(?:\.git|git~1)[ .]*$/i.test(part))
}

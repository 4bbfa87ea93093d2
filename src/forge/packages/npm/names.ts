import { isVersion } from './semver.ts'

/** Names that would collide with other paths. */
const RESERVED: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico'])

/** Whether a package name is valid: lower case, with or without a scope, as in the schema of package.json. */
export function isPackageName(name: string): boolean {
  if (name.length > 214 || !/^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/.test(name)) return false
  return !RESERVED.has(bareName(name))
}

/** The name without its scope. */
const bareName = (name: string) => name.slice(name.indexOf('/') + 1)

/** Maximum length of a tarball name in characters: the limit of most file systems. */
export const TARBALL_MAX = 255

/** The file name of a version's tarball, here and in the lock files of clients. */
export const tarballName = (name: string, version: string) => `${bareName(name)}-${version}.tgz`

/** The version whose tarball has this file name; undefined for any other file. */
export function versionOfTarball(name: string, file: string): string | undefined {
  const [prefix, suffix] = [`${bareName(name)}-`, '.tgz']
  if (!file.startsWith(prefix) || !file.endsWith(suffix)) return undefined
  const version = file.slice(prefix.length, -suffix.length)
  return isVersion(version) ? version : undefined
}

/** Matches version ranges: clients could never request a tag that looks like one. */
const rangePart = '(?:\\d+|[xX*])'
const rangeSyntax = new RegExp(
  `^[=v]*${rangePart}(?:\\.${rangePart}(?:\\.${rangePart}(?:-[\\w.-]+)?(?:\\+[\\w.-]+)?)?)?$`,
)

/** Names that JavaScript programs such as npm cannot safely use as keys of objects. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Whether a dist-tag name is valid: only characters that need no escape in a URL, not a version range, and not a name
 * that every JavaScript object already has.
 */
export function isTag(tag: string): boolean {
  return isTagWord(tag) && !rangeSyntax.test(tag) && !UNSAFE_KEYS.has(tag)
}

/** Whether a stored dist-tag may have this name; older versions of this program accepted more names than `isTag`. */
export function isTagWord(tag: string): boolean {
  return /^[\w.!~*'()-]{1,100}$/.test(tag)
}
